import type { Code } from "../codes";

/** A message with its code: `AGP-021 NumberAssignment "+15551234567": …`. */
export interface Message {
  code: Code;
  text: string;
}

export const say = (code: Code, text: string): Message => ({ code, text: `${code} ${text}` });

/** `NumberAssignment "+15551234567"`: the provider is told neither URN nor stack, so kind and number start every line. */
export const subject = (kind: string, id: string): string => `${kind} "${id}"`;

/** Names the resource behind the code, for a message that does not yet. */
export const about = (who: string, { code, text }: Message): Message =>
  say(code, `${who}: ${text.slice(code.length + 1)}`);

/** A line for each part that has something to say; all but the first indented. */
export const lines = (...parts: readonly string[]): string => parts.filter((part) => part !== "").join("\n  ");

/** The first few, and how many more: a list of 10,000 numbers says nothing. */
export const some = (items: readonly string[], most = 4): string =>
  items.length <= most ? items.join(", ") : `${items.slice(0, most).join(", ")} and ${items.length - most} more`;

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
