/** What a cell says, or the rule that it breaks. */
export type Read<Value> = { readonly value: Value } | { readonly rule: string };

export const quoted = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
