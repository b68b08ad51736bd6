import { memoizeByObject, memoizeByValue } from "./json";
import { series } from "./text";

/**
 * Strings that must never be shown, each with the name that a message shows instead, such as `the access token` or
 * `inboundWebhookUrl`.
 */
export type Secrets = ReadonlyMap<string, string>;

/**
 * Returns `Secrets` with only the access token. A saved response may contain the resource's own secret arguments, but
 * not the token.
 */
export const tokenAsSecret = memoizeByValue(
  (token: string): Secrets => new Map(token === "" ? [] : [[token, "the access token"]]),
);

/**
 * Replaces each secret in a string with its name. Servers often encode what they repeat. If a secret is found only
 * after decoding, withholds the whole string, because we can't tell which characters to replace.
 */
export function withhold(text: string, secrets: Secrets): string {
  const found = findSecrets(text, secrets);
  if (found.length === 0) {
    return text;
  }
  const isVerbatim = found.every(([secret]) => text.toLowerCase().includes(secret.toLowerCase()));
  if (!isVerbatim || findSecrets(text.replace(patternOf(secrets), "\n"), secrets).length > 0) {
    return `[withheld, because it repeats ${series([...new Set(found.map(([, name]) => name))])}]`;
  }
  const names = new Map(found.map(([secret, name]) => [secret.toLowerCase(), name]));
  return text.replace(patternOf(secrets), (secret) => `[${names.get(secret.toLowerCase())}]`);
}

/**
 * Returns a pattern that matches each secret literally. If one secret contains another, as a webhook URL contains its
 * own path, the longer one wins.
 */
const patternOf = memoizeByObject((secrets: Secrets): RegExp => {
  const longestFirst = [...secrets.keys()].sort((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map((secret) => secret.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")).join("|"), "gi");
});

/** The secrets that the text contains, in any encoding that a server may have applied. */
function findSecrets(text: string, secrets: Secrets): [secret: string, name: string][] {
  const forms = decodedForms(text);
  return [...secrets].filter(([secret]) =>
    decodedFormsOfSecret(secret).some((form) => forms.some((text) => text.includes(form))),
  );
}

/**
 * Returns a secret and its decoded forms, except for forms of fewer than six characters, which could occur in any text.
 */
const decodedFormsOfSecret = memoizeByValue((secret: string): string[] =>
  decodedForms(secret).filter((form, index) => index === 0 || form.length >= 6),
);

/** Encodings can be nested, such as JSON inside form data inside HTML. We decode at most this many layers. */
const MAX_LAYERS = 4;

/** Returns the string and its decoded forms. Secrets are decoded too, so a secret that looks encoded is still found. */
function decodedForms(text: string): string[] {
  if (!/[%\\&]/.test(text)) {
    return [normalize(text)];
  }
  const forms = new Set([text, ...DECODERS.map((decode) => decode(text))]);
  let decoded = text;
  for (let layer = 0; layer < MAX_LAYERS; layer += 1) {
    for (const decode of DECODERS) {
      decoded = decode(decoded);
      forms.add(decoded);
    }
  }
  return [...new Set([...forms].map(normalize))];
}

/**
 * Removes differences in case and in how a space is written. Forms encode a space as `+`, and servers may change host
 * names to lowercase.
 */
const normalize = (text: string): string => text.replaceAll("+", " ").toLowerCase();

const DECODERS: readonly ((text: string) => string)[] = [decodePercent, decodeBackslashes, decodeEntities];

/** Decodes percent-encoding, such as `%2F`, which is used in URLs and forms. */
function decodePercent(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll("%", ""), "hex").toString("utf8"));
}

const BACKSLASHED: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

/** Decodes `\/`, `\"`, `\u002B`, `\x2b` and `\u{2b}`, which JSON, JavaScript, Python, Ruby and Go write in strings. */
function decodeBackslashes(text: string): string {
  return text.replace(
    /\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2})|(.))/gis,
    (whole, braced?: string, unicode?: string, hex?: string, single?: string) =>
      single === undefined
        ? ofCodePoint(Number.parseInt(braced ?? unicode ?? hex ?? "", 16), whole)
        : (BACKSLASHED[single] ?? single),
  );
}

/** The names of HTML entities, such as `sol` in `&sol;`, and the ASCII characters that they stand for. */
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", tab: "\t", newline: "\n" },
  ...{ excl: "!", num: "#", dollar: "$", percnt: "%", lpar: "(", rpar: ")", ast: "*", plus: "+", comma: "," },
  ...{ period: ".", sol: "/", colon: ":", semi: ";", equals: "=", quest: "?", commat: "@", bsol: "\\", hat: "^" },
  ...{ lsqb: "[", lbrack: "[", rsqb: "]", rbrack: "]", lcub: "{", lbrace: "{", rcub: "}", rbrace: "}" },
  ...{ lowbar: "_", grave: "`", verbar: "|", vert: "|", hyphen: "-", dash: "-" },
};

/** Decodes the entities of HTML and XML, such as `&amp;`, `&#47;` and `&#x2F;`. */
function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi,
    (whole, decimal?: string, hex?: string, name?: string) =>
      name === undefined
        ? ofCodePoint(decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal), whole)
        : (ENTITIES[name.toLowerCase()] ?? whole),
  );
}

/**
 * Returns the character for a code point, even for half of a surrogate pair, because JSON escapes an emoji as two
 * halves, such as `\ud83d\ude00`.
 */
const ofCodePoint = (point: number, otherwise: string): string =>
  point <= 0x10_ff_ff ? String.fromCodePoint(point) : otherwise;
