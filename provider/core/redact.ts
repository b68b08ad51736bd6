/** The token is nowhere but in the Authorization header, and what others wrote is shown only as harmless text. */

const MARKERS = ["[token]", "***", ""];
/** Below this length an encoded piece of the token would match ordinary words. */
const SHORTEST_PIECE = 6;
const MAX_PASSES = 8;

/** Base64 of any text that contains the token: at each of the three alignments, without the characters that the neighbours share. */
function base64Pieces(token: string): string[] {
  const bytes = Array.from(new TextEncoder().encode(token));
  return [0, 1, 2].flatMap((shift) => {
    const binary = String.fromCharCode(...Array.from({ length: shift }, () => 0), ...bytes);
    const usable = Math.floor(((shift + bytes.length) * 8) / 6);
    const piece = btoa(binary).slice(Math.ceil((shift * 8) / 6), usable);
    const inUrls = piece.replaceAll("+", "-").replaceAll("/", "_");
    return [piece, inUrls, encodeURIComponent(piece)].filter((text) => text.length >= SHORTEST_PIECE);
  });
}

/** Half of a surrogate pair: no character, and nothing that a URL can encode. */
const LONE_SURROGATE = /\p{Surrogate}/u;

function urlEncoded(token: string): string {
  return LONE_SURROGATE.test(token) ? token : encodeURIComponent(token);
}

/** Every way in which a server may echo the token: as it is, in a URL, in JSON, in base64. Longest first. */
function encodedForms(token: string): string[] {
  const inUrl = urlEncoded(token);
  const inJson = JSON.stringify(token).slice(1, -1);
  const all = [
    token,
    inUrl,
    inUrl.replace(/%../g, (code) => code.toLowerCase()),
    inJson,
    inJson.replaceAll("/", "\\/"),
    ...base64Pieces(token),
  ];
  return [...new Set(all)].sort((a, b) => b.length - a.length);
}

/** Those of the token that was asked for last: a client has one, and asks with each answer. */
let known: { token: string; forms: string[] } = { token: "", forms: [] };

/** The text without the token, in whatever form it stands there. */
export function redact(text: string, token: string): string {
  if (token === "") {
    return text;
  }
  if (known.token !== token) {
    known = { token, forms: encodedForms(token) };
  }
  const hidden = known.forms;
  const marker = MARKERS.find((candidate) => !hidden.some((form) => candidate.includes(form))) ?? "";
  let shown = text;
  // A marker and its neighbours can spell the token anew; what does not settle is not shown at all.
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const found = hidden.filter((form) => shown.includes(form));
    if (found.length === 0) {
      return shown;
    }
    for (const form of found) {
      shown = shown.replaceAll(form, marker);
    }
  }
  return "";
}

/** Control, format (bidi, zero-width), private, unassigned and lone surrogate characters, and line separators: none may reach a terminal. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;
const SHORT_ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escaped(character: string): string {
  return SHORT_ESCAPES[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

function cut(text: string, limit: number): string {
  if (text.length <= limit) {
    return text;
  }
  const kept = text.slice(0, limit - 1);
  return `${LONE_SURROGATE.test(kept) ? kept.slice(0, -1) : kept}…`;
}

/** What others wrote must not drive the terminal. */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escaped);
export const printableLines = (text: string): string => text.split("\n").map(printable).join("\n");

/** Text of others made fit for a terminal and a log: without the token, on one line, escaped and cut. */
export function clean(text: string, token: string, limit = 500): string {
  const shown = printable(redact(text, token).trim());
  return redact(cut(shown, limit), token);
}
