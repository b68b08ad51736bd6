import { E164, numberId } from "../../../provider/core/common/schemas";

/** What a cell says, or the rule that it breaks. */
export type Read<Value> = { readonly value: Value } | { readonly rule: string };

export const quoted = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);

/** How a cell with a number is read. Spreadsheets and exports write one number in many forms, and a wrong guess is another number. */

const EXTENSION = "ext:";
const SHORT = /^[1-9][0-9]{0,5}$/;

const isNumber = (text: string): boolean =>
  SHORT.test(text) || (text.startsWith("+") && numberId.safeParse(text).success);

export function readNumber(text: string): Read<string> {
  if (text === "-") {
    return { rule: "a number must be given" };
  }
  if (text.startsWith(EXTENSION)) {
    return readExtension(text.slice(EXTENSION.length));
  }
  return isNumber(text) ? { value: text } : { rule: `${quoted(text)} ${ruleOf(text)}` };
}

/** An extension that is not short looks like a phone number without its country code, so the file says what it is. */
function readExtension(text: string): Read<string> {
  const parsed = numberId.safeParse(text);
  return parsed.success && !text.startsWith("+")
    ? { value: parsed.data }
    : { rule: `${quoted(text)} behind ${EXTENSION} is not an extension` };
}

function ruleOf(text: string): string {
  if (/^\d(?:[.,]\d+)?E\+?\d+$/i.test(text) || /\d[.,]0{1,2}\D*$/.test(text)) {
    return "is what a spreadsheet made of a number; format the column as text and fill it again";
  }
  const meant = meantBy(text);
  if (meant !== undefined) {
    return `has characters that do not belong to the number; write ${meant}`;
  }
  if (text.startsWith("+")) {
    return "starts with +, so it must be the country code and the number, at most 15 digits and nothing else";
  }
  const extension = numberId.safeParse(text).success ? ` If it is an extension, write ${EXTENSION}${text}` : "";
  return `is not a phone number with its country code. Copy it from the platform's web application, as in +442079460101.${extension}`;
}

/** The number that has this form. Undefined if it may be another one: digits are never added, and only a zero in brackets is no digit. */
function meantBy(text: string): string | undefined {
  const bare = text
    .normalize("NFKC")
    .replace(/[\p{Cf}"'`=]/gu, "")
    .trim()
    .replace(/^tel:/i, "");
  const digits = bare.startsWith("+") && !/\(\s*0/.test(bare) ? bare.replace(/[\s().\p{Pd}\u2212]/gu, "") : bare;
  return SHORT.test(digits) || E164.test(digits) ? digits : undefined;
}
