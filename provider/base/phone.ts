/** The rule for phone numbers and extensions. */

export const INTERNATIONAL = "in international format: `+`, the country code, 7 to 15 digits, nothing else";

/** A number of +1 or +7 has 11 digits, and no number has fewer than 7 (E.164). Which ranges a country uses changes, so none is asked for. */
export const isPhoneNumber = (text: string): boolean => /^\+(?:[17]\d{10}|[2-689]\d{6,14})$/.test(text);

/**
 * Why the text can be neither a phone number nor an extension, as the rest of a sentence about it. What is like a phone number is one or is
 * refused: as an extension it would be assigned beside the number that is meant.
 */
export function faultOf(text: string): string | undefined {
  // An extension may be behind a full number, as in `+15551234567#12`.
  if (isPhoneNumber(text.replace(/#[^#]{1,32}$/, ""))) {
    return undefined;
  }
  const [, code, others = ""] = /^\+([17])(\d*)$/.exec(text) ?? [];
  if (code !== undefined) {
    return `must have 11 digits, as every number of +${code}, and has ${1 + others.length}`;
  }
  if (text.startsWith("+")) {
    return `starts with \`+\`, so it must be ${INTERNATIONAL}`;
  }
  // Digits of whatever script. An id with letters, such as a UUID, may name an extension, but none with a plus.
  const isAlike = (text.match(/\p{Nd}/gu) ?? []).length >= 7 && (!/\p{L}/u.test(text) || /[+＋]/.test(text));
  return isAlike
    ? `has seven digits or more, so it must be a phone number ${INTERNATIONAL}${quotesHint(text)}`
    : undefined;
}

/** YAML reads +15551234567 as an integer unless it's quoted, so what arrives is digits alone. */
export const quotesHint = (text: string): string =>
  /^\d{7,15}$/.test(text)
    ? " (in YAML, write it in quotes; in a spreadsheet, format the column as text: otherwise its `+` is lost)"
    : "";
