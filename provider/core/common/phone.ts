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
  const [, code, others = ""] = /^\+([17])(\d*)$/.exec(text) ?? [];
  if (code !== undefined) {
    return `must have 11 digits, as every number of +${code}, and has ${1 + others.length}`;
  }
  if (text.startsWith("+")) {
    return `starts with \`+\`, so it must be ${INTERNATIONAL}`;
  }
  return isAlike(text) ? `has seven digits or more, so it must be a phone number ${INTERNATIONAL}` : undefined;
}

/** Seven digits or more, in whatever script, and no letter. An id with letters, such as a UUID, may name an extension, but none with a plus. */
const isAlike = (text: string): boolean =>
  (text.match(/\p{Nd}/gu) ?? []).length >= 7 && (!/\p{L}/u.test(text) || /[+＋]/.test(text));
