/**
 * Ways in which servers encode a string in a response. Each key names an encoder, and its function follows that
 * encoder's documentation.
 */

const hex = (character: string, digits: number): string => character.charCodeAt(0).toString(16).padStart(digits, "0");
const json = (text: string): string => JSON.stringify(text).slice(1, -1);
const unicode = (text: string, characters: RegExp, upper = false): string =>
  text.replace(characters, (character) => `\\u${upper ? hex(character, 4).toUpperCase() : hex(character, 4)}`);

const HTML: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const NAMED: Readonly<Record<string, string>> = {
  ...HTML,
  ...{
    "/": "&sol;",
    "+": "&plus;",
    "=": "&equals;",
    ":": "&colon;",
    ".": "&period;",
    "?": "&quest;",
    _: "&lowbar;",
    "%": "&percnt;",
  },
};

export const ENCODERS: Readonly<Record<string, (text: string) => string>> = {
  unencoded: (text) => text,
  "encoded by PHP's json_encode": (text) => json(text).replaceAll("/", "\\/"),
  "encoded by .NET's System.Text.Json": (text) => unicode(json(text).replaceAll('\\"', "\\u0022"), /[+<>&'`]/g, true),
  "encoded by Java's Gson": (text) => unicode(json(text), /[<>&='\u2028\u2029]/g),
  "encoded by Python's json.dumps": (text) => unicode(json(text), /[^\x20-\x7e]/g),
  "encoded by Go's encoding/json": (text) => unicode(json(text), /[<>&\u2028\u2029]/g),
  "encoded by Rails' to_json": (text) => unicode(json(text), /[<>&\u2028\u2029]/g),
  "encoded by Ruby's inspect": (text) => json(text).replace(/#(?=[{$@])/g, "\\#"),
  "encoded by Python's repr": (text) => text.replaceAll("\\", "\\\\").replaceAll("'", "\\'"),
  "encoded as JSON inside JSON": (text) => json(json(text)),
  "URL-encoded": (text) => encodeURIComponent(text),
  "URL-encoded in lowercase hexadecimal": (text) =>
    encodeURIComponent(text).replace(/%../g, (octet) => octet.toLowerCase()),
  "URL-encoded twice": (text) => encodeURIComponent(encodeURIComponent(text)),
  "form-encoded": (text) => new URLSearchParams({ q: text }).toString().slice(2),
  "encoded by PHP's htmlspecialchars": (text) => text.replace(/[&<>"']/g, (character) => HTML[character] ?? character),
  "encoded by Python's html.escape": (text) =>
    text.replace(/[&<>"']/g, (character) => (character === "'" ? "&#x27;" : (HTML[character] ?? character))),
  "encoded by PHP's htmlentities for HTML 5": (text) =>
    text.replace(/[^\w ]|_/g, (character) => NAMED[character] ?? character),
  "encoded by .NET's HtmlEncode": (text) =>
    text.replace(/[&<>"'+]/g, (character) => (character === "+" ? "&#x2B;" : (HTML[character] ?? character))),
  "encoded as HTML inside JSON": (text) => json(text.replace(/[&<>"']/g, (character) => HTML[character] ?? character)),
};
