import { printable } from "../../provider/base/text";

/** HTML in which every text of a stack stays text. */

/** Text that is HTML already. */
export interface Html {
  readonly html: string;
}

export type Piece = Html | string | number | undefined | false | readonly Piece[];

/** html`<td>${label}</td>`: a text is escaped, HTML and lists of HTML are taken as they are, and what is not there is left out. */
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

/** Characters that control a text's direction are written as escapes: `\u{202e}`. */
const escapeHtml = (text: string): string =>
  printable(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

/** A message of a command, with its lines, and with what it has in backticks as code. */
export const messageHtml = (text: string): Html =>
  html`${text.split("\n").map((line, index) => html`${index > 0 && html`<br/>`}${withCode(line.trim())}`)}`;

const withCode = (line: string): readonly Piece[] =>
  line.split(/(`[^`]+`)/).map((piece) => (/^`.+`$/.test(piece) ? html`<code>${piece.slice(1, -1)}</code>` : piece));
