import { printable } from "../../provider/base/text";

/** Builds HTML in which text from a stack is always escaped. */

/** A string that is already HTML. */
export interface Html {
  readonly html: string;
}

export type Piece = Html | string | number | undefined | false | readonly Piece[];

/**
 * A template tag that escapes strings and numbers, as in html`<td>${label}</td>`. `Html` is inserted as is, and
 * `undefined` and `false` are left out.
 */
export const html = (strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html => ({
  html: strings.map((text, index) => text + pieceText(pieces[index])).join(""),
});

function pieceText(piece: Piece): string {
  if (piece === undefined || piece === false) {
    return "";
  }
  if (typeof piece === "object") {
    return "html" in piece ? piece.html : piece.map(pieceText).join("");
  }
  return escapeHtml(String(piece));
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for HTML. Control and bidirectional characters are shown as escapes, such as `\u{202e}`. */
const escapeHtml = (text: string): string =>
  printable(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

/** Renders the lines of a command's message: each starts on a new line, and text in backquotes becomes code. */
export const messageHtml = (lines: readonly string[]): Html =>
  html`${lines.map((line, index) => html`${index > 0 && html`<br/>`}${withCode(line.trim())}`)}`;

const withCode = (line: string): readonly Piece[] =>
  line.split(/(`[^`]+`)/).map((piece) => (/^`.+`$/.test(piece) ? html`<code>${piece.slice(1, -1)}</code>` : piece));
