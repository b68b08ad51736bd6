/** Validation of phone numbers and extensions. */

export const INTERNATIONAL =
  "in international format: `+` followed by 7 to 15 digits (11 if the number starts with +1 or +7), such as `+15551234567`";

/**
 * All +1 and +7 numbers have 11 digits, and no number has fewer than 7 (E.164). We don't check a country's number
 * ranges, because they change.
 */
export const isPhoneNumber = (text: string): boolean => /^\+(?:[17]\d{10}|[2-689]\d{6,14})$/.test(text);

/**
 * Returns why the string is neither a phone number nor an extension, as a phrase that follows the argument's name. A
 * mistyped phone number must not pass as an extension, because agents would be assigned to the wrong number.
 */
export function invalidNumberReason(text: string): string | undefined {
  // An extension may follow a full number, as in `+15551234567#12`.
  if (isPhoneNumber(text.replace(/#[^#]{1,32}$/, ""))) {
    return undefined;
  }
  const [, code, otherDigits = ""] = /^\+([17])(\d*)$/.exec(text) ?? [];
  if (code !== undefined) {
    return `has ${1 + otherDigits.length} digits, but every +${code} number has 11`;
  }
  if (text.startsWith("+")) {
    return `starts with \`+\`, so it must be ${INTERNATIONAL}`;
  }
  // Count the digits of every script, not just 0 to 9. A string with letters, such as a UUID, doesn't look like a phone
  // number unless it also contains a plus sign.
  const looksLikePhone = (text.match(/\p{Nd}/gu) ?? []).length >= 7 && (!/\p{L}/u.test(text) || /[+＋]/.test(text));
  return looksLikePhone
    ? `has at least seven digits, so it must be a phone number ${INTERNATIONAL}${quotesHint(text)}`
    : undefined;
}

/**
 * Returns a hint for a string that may be a phone number without its `+`. YAML and spreadsheets read an unquoted
 * +15551234567 as a number, so only the digits arrive.
 */
export const quotesHint = (text: string): string =>
  /^\d{7,15}$/.test(text)
    ? ". If the `+` was lost, write the number in quotes (in YAML) or format the column as text (in a spreadsheet)"
    : "";
