import type { Code } from "../codes";

/** A message in parts. `render` makes its text once, when it leaves the provider. */
export interface Message {
  readonly code: Code;
  /** The resource that it is about; absent if it is about the settings or about one argument alone. */
  readonly who?: string | undefined;
  /** The first says what happened; each that follows is a line of its own. */
  readonly lines: readonly string[];
}

/** A message about a resource, or, with `undefined`, about what the reader sees beside it. Lines that are empty are left out. */
export const say = (code: Code, who: string | undefined, ...lines: readonly string[]): Message => ({
  code,
  who,
  lines: lines.filter((line) => line !== "").map(withOneStop),
});

/** A cause that is a sentence brings its own full stop. */
const withOneStop = (line: string): string => line.replace(/([^.])\.\.$/, "$1.");

/** `AGP-021 NumberAssignment "+15551234567": …`, each further line indented. */
export const render = ({ code, who, lines }: Message): string => {
  const text = lines.join("\n  ");
  return who === undefined ? `${code} ${text}` : `${code} ${who}: ${withoutCapital(text)}`;
};

/** Behind a label a sentence goes on. A word of capitals alone is a name. */
const withoutCapital = (text: string): string => text.replace(/^[A-Z](?=[a-z]* )/, (first) => first.toLowerCase());

/** The provider is told neither URN nor stack, so kind and number start every line that does not stand at its resource. */
export const subject = (kind: string, id: string): string => `${kind} "${id}"`;

/** The first few, and how many more: a list of 10,000 numbers says nothing. */
export const some = (items: readonly string[], most = 4): string =>
  items.length <= most ? items.join(", ") : `${items.slice(0, most).join(", ")} and ${items.length - most} more`;

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
