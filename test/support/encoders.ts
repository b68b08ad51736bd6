/** How servers write a text into a response. Each is what the named encoder writes, by its documentation. */

const hex = (character: string, digits: number): string => character.charCodeAt(0).toString(16).padStart(digits, "0");
const json = (text: string): string => JSON.stringify(text).slice(1, -1);
const unicode = (text: string, characters: RegExp, upper = false): string =>
  text.replace(characters, (one) => `\\u${upper ? hex(one, 4).toUpperCase() : hex(one, 4)}`);

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
  "no encoder": (text) => text,
  "json_encode of PHP": (text) => json(text).replaceAll("/", "\\/"),
  "System.Text.Json of .NET": (text) => unicode(json(text).replaceAll('\\"', "\\u0022"), /[+<>&'`]/g, true),
  "Gson of Java": (text) => unicode(json(text), /[<>&='\u2028\u2029]/g),
  "json.dumps of Python": (text) => unicode(json(text), /[^\x20-\x7e]/g),
  "encoding/json of Go": (text) => unicode(json(text), /[<>&\u2028\u2029]/g),
  "to_json of Rails": (text) => unicode(json(text), /[<>&\u2028\u2029]/g),
  "inspect of Ruby": (text) => json(text).replace(/#(?=[{$@])/g, "\\#"),
  "repr of Python": (text) => text.replaceAll("\\", "\\\\").replaceAll("'", "\\'"),
  "JSON inside JSON": (text) => json(json(text)),
  "a URL": (text) => encodeURIComponent(text),
  "a URL in lower case hexadecimal": (text) => encodeURIComponent(text).replace(/%../g, (one) => one.toLowerCase()),
  "a URL in a URL": (text) => encodeURIComponent(encodeURIComponent(text)),
  "a form": (text) => new URLSearchParams({ q: text }).toString().slice(2),
  "htmlspecialchars of PHP": (text) => text.replace(/[&<>"']/g, (one) => HTML[one] ?? one),
  "html.escape of Python": (text) => text.replace(/[&<>"']/g, (one) => (one === "'" ? "&#x27;" : (HTML[one] ?? one))),
  "htmlentities of PHP in HTML 5": (text) => text.replace(/[^\w ]|_/g, (one) => NAMED[one] ?? one),
  "HtmlEncode of .NET": (text) => text.replace(/[&<>"'+]/g, (one) => (one === "+" ? "&#x2B;" : (HTML[one] ?? one))),
  "HTML in JSON": (text) => json(text.replace(/[&<>"']/g, (one) => HTML[one] ?? one)),
};
