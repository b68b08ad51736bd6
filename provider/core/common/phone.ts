/**
 * Phone numbers, and what people, spreadsheets and programs write in their place. What is like a phone number is one or is refused: as an
 * extension it would be assigned beside the number that is meant.
 */

/** A number of +1 or +7 has 11 digits, and no number has fewer than 7 (E.164). Which ranges a country uses changes, so none is asked for. */
const E164 = /^\+(?:[17]\d{10}|[2-689]\d{6,14})$/;
/** An extension behind a full number, as in `+15551234567#12`. */
const EXTENSION = /#[^#]{1,32}$/;

export const INTERNATIONAL = "in international format: `+`, the country code, 7 to 15 digits, nothing else";

export const isPhoneNumber = (text: string): boolean => E164.test(text);

/** Why the text can be neither a phone number nor an extension, as the rest of a sentence about it. */
export function faultOf(text: string): string | undefined {
  if (isPhoneNumber(text.replace(EXTENSION, ""))) {
    return undefined;
  }
  const meant = meantBy(text);
  if (meant !== undefined) {
    return `has ${/\s/.test(text) ? "spaces" : "more than `+` and digits"}: write ${meant}`;
  }
  const [, code, others = ""] = /^\+([17])(\d*)$/.exec(text) ?? [];
  if (code !== undefined) {
    return `must have 11 digits, as every number of +${code}, and has ${1 + others.length}`;
  }
  if (text.startsWith("+")) {
    return `starts with \`+\`, so it must be ${INTERNATIONAL}`;
  }
  if (isAlike(text.normalize("NFKC"))) {
    return `is written as a phone number, so it must be ${INTERNATIONAL} (in YAML, in quotes)`;
  }
  return NONE.test(text) ? "is what a program or a spreadsheet writes for none: write a number" : undefined;
}

/** The number without what is around and between its digits; undefined if that is no number. In `+44 (0)20 …` the zero is not dialled. */
function meantBy(text: string): string | undefined {
  const digits = text
    .normalize("NFKC")
    .replace(/^['"\s]*(?:tel:)?/i, "")
    .replace("(0)", "")
    .replace(/[\s()./\p{Pd}\p{Cf}'"]/gu, "");
  return isPhoneNumber(digits) ? digits : undefined;
}

/** What stands between the digits of a number. */
const GAP = "[\\p{Z}()./\\p{Pd}+'\":,]";
/** YAML takes the `+` from a number without quotes, and a spreadsheet makes `1.5551234567E10` of one. */
const ALIKE = [
  new RegExp(`^(?:\\p{Nd}${GAP}*){10}|^\\p{Nd}{7,}\\P{Nd}`, "u"),
  // Seven digits and a gap, and nothing else.
  new RegExp(`^(?=.*${GAP})${GAP}*(?:\\p{Nd}${GAP}*){7,}$`, "u"),
  /\+[\s(]*\p{Nd}(?:\P{Nd}*\p{Nd}){6}/u,
  /^tel:|^\d+(?:[.,]\d+E\+?|E\+)\d+$/i,
];
const isAlike = (text: string): boolean => ALIKE.some((form) => form.test(text));

const NONE =
  /^(?:undefined|null|nan|true|false|\[object .*\]|#(?:ref!|n\/a|value!|name\?|num!|null!|div\/0!|error!)|[^\p{L}\p{N}]+)$/iu;
