import { numberId } from "../../../provider/core/common/schemas";

/** The rule that a cell breaks, with what to write into it. */
export class Unreadable extends Error {}

export const quoted = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);

const EXTENSION = "ext:";
const SHORT = /^[1-9][0-9]{0,5}$/;

const isId = (text: string): boolean => numberId.safeParse(text).success;

/** Spreadsheets and exports write one number in many forms, and a wrong guess is another number. So none is guessed. */
export function readNumber(text: string): string {
  const extension = text.startsWith(EXTENSION) ? text.slice(EXTENSION.length) : undefined;
  if (extension === undefined) {
    return SHORT.test(text) || (text.startsWith("+") && isId(text)) ? text : refuse(text, ruleOf(text));
  }
  // An extension that is not short looks like a phone number without its country code, so the file says what it is.
  return isId(extension) && !extension.startsWith("+") ? extension : refuse(text, "is not an extension");
}

function refuse(text: string, rule: string): never {
  throw new Unreadable(`${quoted(text)} ${rule}`);
}

function ruleOf(text: string): string {
  if (/^\d(?:[.,]\d+)?E\+?\d+$/i.test(text) || /\d[.,]0{1,2}\D*$/.test(text)) {
    return "is what a spreadsheet made of a number; format the column as text and fill it again";
  }
  const extension = isId(text) && !text.startsWith("+") ? `. If it is an extension, write ${EXTENSION}${text}` : "";
  return `is not a phone number in international format: + and at most 15 digits, as in +442079460101${extension}`;
}
