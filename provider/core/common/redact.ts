import { onceForValue } from "./once";
import { HALF_A_CHARACTER } from "./text";

/** Takes the token out of texts, and makes foreign texts fit for a terminal. */

const MARKERS = ["[token]", "***", ""];
const MAX_PASSES = 8;

/** The token's own base64, as in a URL and with its padding or without. The base64 of a longer text around the token is not looked for. */
function inBase64(token: string): string[] {
  const padded = btoa(String.fromCharCode(...new TextEncoder().encode(token)));
  const bare = padded.replace(/=+$/, "");
  return [padded, bare, encodeURIComponent(padded), bare.replaceAll("+", "-").replaceAll("/", "_")];
}

function urlEncoded(token: string): string {
  return HALF_A_CHARACTER.test(token) ? token : encodeURIComponent(token);
}

/** The forms in which a server may echo the token: as it is, in a URL, in JSON, in base64. Longest first. They are computed once, and not for each response. */
const formsOf = onceForValue((token: string): string[] => {
  const inUrl = urlEncoded(token);
  const inJson = JSON.stringify(token).slice(1, -1);
  const all = [
    token,
    inUrl,
    inUrl.replace(/%../g, (code) => code.toLowerCase()),
    inJson,
    inJson.replaceAll("/", "\\/"),
    ...inBase64(token),
  ];
  return [...new Set(all)].sort((a, b) => b.length - a.length);
});

/** The text without any form of the token. */
export function redact(text: string, token: string): string {
  if (token === "") {
    return text;
  }
  const forms = formsOf(token);
  const marker = MARKERS.find((candidate) => !forms.some((form) => candidate.includes(form))) ?? "";
  let shown = text;
  // A marker and the text beside it can spell the token again. A text that still has it after some passes is not shown at all.
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const found = forms.filter((form) => shown.includes(form));
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
  return `${HALF_A_CHARACTER.test(kept) ? kept.slice(0, -1) : kept}…`;
}

/** The text with escapes in place of characters that would control a terminal. */
export const printable = (text: string): string => text.replace(UNPRINTABLE, escaped);
export const printableLines = (text: string): string => text.split("\n").map(printable).join("\n");

/** A foreign text made fit for a terminal and a log: without the token, on one line, escaped and cut. */
export function clean(text: string, token: string, limit = 500): string {
  const shown = printable(redact(text, token).trim());
  return redact(cut(shown, limit), token);
}
