import { isObject, onceForValue } from "./json";

/** Control characters, changes of the writing direction, line separators, and half of a surrogate pair, which a URL cannot encode. */
export const CONTROLS = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Surrogate}]/u;

/** These, and all other characters without width: in an id they make another id that looks the same. Words of some scripts and emoji need them. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/u;

export const isDotSegment = (segment: string): boolean => segment === "." || segment === "..";

const TOKEN_MARK = "[token]";

const escapedForRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** The token as it is, in a URL and in JSON, in any case. It is made once, and not for each response. */
const spellingsOf = onceForValue((token: string): RegExp => {
  const spellings = [token, encodeURIComponent(token.toWellFormed()), JSON.stringify(token).slice(1, -1)];
  return new RegExp(spellings.map(escapedForRegExp).join("|"), "gi");
});

const holds = (text: string, token: string): boolean => text.search(spellingsOf(token)) >= 0;

/**
 * The text without the token: as it is, in a URL, in JSON, and in base64 once. It is dropped if the marker and what is beside it spell the
 * token again.
 */
export function redact(text: string, token: string): string {
  if (token === "" || text.length < token.length) {
    return text;
  }
  const printed = text
    .replace(spellingsOf(token), TOKEN_MARK)
    // A word that may be base64, in both alphabets, which may begin at any character of the word.
    .replace(/[\w+/-]{8,}={0,2}/g, (word) => {
      const decoded = [0, 1, 2, 3].map((start) => Buffer.from(word.slice(start), "base64").toString("latin1"));
      return decoded.some((one) => holds(one, token)) ? TOKEN_MARK : word;
    });
  return holds(printed, token) ? "" : printed;
}

function escapeOf(character: string): string {
  const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
  return short[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** The text with escapes in place of characters that would control a terminal. */
export const printable = (text: string): string => text.replace(new RegExp(CONTROLS, "gu"), escapeOf);

/** The same with an escape for each character that is not seen: for a message about such a character. */
export const spelledOut = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, escapeOf);

export const printableLines = (text: string): string => text.split("\n").map(printable).join("\n");

/** A value of an argument or a setting, short enough for a sentence. */
export const printedShort = (value: string): string => clean(value, "", 60);

/** A foreign text made fit for a terminal and a log: without the token, on one line, escaped and cut. */
export function clean(text: string, token: string, limit = 500): string {
  const printed = printable(redact(text, token).trim());
  return redact(cut(printed, limit), token);
}

/** The text, or its beginning. No character is cut in half. */
export const cut = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/\p{Surrogate}$/u, "")}…`;

/** Texts of a request, each with the name of its field. */
export type SentTexts = ReadonlyMap<string, string>;

const NEVER_SECRET =
  /^(?:inboundAgents|outboundAgentId|outboundAgentVersion|agent_?id|chatId|workspaceId|isTimeRoutingEnabled|endpoint|__.*)$/i;

/**
 * What a request sends may be secret: a key in the URL of a webhook, the variables of a chat. A response that says why it refuses often
 * repeats the request, so these texts are taken out of what is shown. Agents and workspaces stay: who answers a call is never secret.
 * @param fields the fields of a request, by the names that a message may show
 */
export function textsSent(fields: object): SentTexts {
  const entries = Object.entries(fields);
  const plain = JSON.stringify(entries.filter(([name]) => NEVER_SECRET.test(name)));
  const sent = entries
    .filter(([name]) => !NEVER_SECRET.test(name))
    .flatMap(([name, value]) => textsIn(value).map((text) => [text, name] as const))
    // A shorter text is a part of many words.
    .filter(([text]) => text.length >= 6 && !plain.includes(text));
  return new Map(sent);
}

/** The URL of a text, or undefined. The optimized `URL.canParse` of Node 20 and 22 refuses texts that are not ASCII, so it is not used. */
export function parseUrl(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Keys of a map are the program's as well. Of a URL, what is behind its host and each value of its query may stand alone. */
function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) {
    return value.flatMap(textsIn);
  }
  if (isObject(value)) {
    return Object.entries(value).flatMap(([key, item]) => [key, ...textsIn(item)]);
  }
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  const url = parseUrl(text);
  return url?.host ? [text, url.pathname + url.search, ...url.searchParams.values()] : [text];
}

/** The text without these texts: as they are, in a URL, and in JSON. */
export function withoutSent(text: string, sent: SentTexts): string {
  const spellings = new Map(
    [...sent].flatMap(([secret, name]) =>
      [secret, encodeURIComponent(secret.toWellFormed()), JSON.stringify(secret).slice(1, -1)].map((spelling) => [
        spelling,
        name,
      ]),
    ),
  );
  // Of two that begin at the same place, the longer one counts.
  const longestFirst = [...spellings.keys()].sort((a, b) => b.length - a.length).map(escapedForRegExp);
  const found = new RegExp(longestFirst.join("|") || "(?!)", "g");
  return text.replace(found, (spelling) => `[${spellings.get(spelling)}]`);
}

/** The failure of a request that sends little, as a clear does: its response may repeat what was sent before. */
export const withoutSaved = <Failed extends { readonly platformMessage?: string | undefined }>(
  failure: Failed,
  saved: object,
): Failed => ({
  ...failure,
  platformMessage: failure.platformMessage && withoutSent(failure.platformMessage, textsSent(saved)),
});
