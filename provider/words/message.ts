import { isUnknown, partsOf, URN } from "../base/engine";
import { printedShort } from "../base/text";
import { type Code, type CodeByCase, remedyOf } from "./codes";

/** A message in parts. `render` makes its text once, when it leaves the provider. */
export interface Message {
  readonly code: Code;
  /** The resource that it is about; absent if it is about the settings or about one argument alone. */
  readonly label?: string | undefined;
  /** What happened, and what is true now. */
  readonly lines: readonly string[];
  /** What to do; empty if the lines are rules, which say it. */
  readonly remedy: string;
}

/** Of a code with a way out for each case, the caller has to say what to do. */
type Remedy<Any extends Code> = [Extract<Any, CodeByCase>] extends [never] ? [remedy?: string] : [remedy: string];

/**
 * The one function that makes a message. It has no empty lines.
 * @param label the resource; undefined if it is clear what the message is about
 * @param remedy of this case; else the message ends with that of its code
 */
export const messageOf = <Any extends Code>(
  code: Any,
  label: string | undefined,
  lines: string | readonly string[],
  ...[remedy = remedyOf(code)]: Remedy<Any>
): Message => ({
  code,
  label,
  lines: [lines].flat().filter((line) => line !== ""),
  remedy,
});

/** The remedy of a message whose lines are rules: `maxShift must be a number from 0 to 100.` */
export const RULES_SAY_IT = "";

/** `AGP-021 NumberAssignment "+15551234567": …`, each further line indented. One line and a short remedy stay together. */
export const render = ({ code, label, lines, remedy }: Message): string => {
  const parts = remedy === "" ? lines : [...lines, remedy];
  const isOneLine = lines.length === 1 && !remedy.includes("\n");
  const text = parts.join(isOneLine ? " " : "\n").replaceAll("\n", "\n  ");
  return label === undefined ? `${code} ${text}` : `${code} ${label}: ${text}`;
};

/** What prints a page of the package, or an error code. With the command's name alone, `npx` could run another package of that name. */
export const moreIn = (topic: string): string => `More: npx pulumi-agent-platform help ${topic}`;

// --- errors

/** A command to copy. */
const COMMAND = /`(npx|pulumi|AGENT_PLATFORM_BYPASS)\b/;

/** What a user sees of a failure. The engine's host prints `${error}: ${error.stack}` for check, diff, read and delete: here that is `error: <message>`. */
export class ResourceError extends Error {
  readonly code: Code;
  constructor(...said: readonly [Message, ...Message[]]) {
    const [{ code, remedy }] = said;
    // Rules say what to do, and a command of its own says it best. Any other remedy has a page.
    const isEnough = remedy === "" || said.some((message) => COMMAND.test(message.remedy));
    const text = [...said.map(render), ...(isEnough ? [] : [`  ${moreIn(code)}`])].join("\n");
    super(text);
    this.name = "ResourceError";
    this.code = code;
    this.stack = text;
  }
  override toString(): string {
    return "error";
  }
}

/** A failure after which something may exist: the resource is saved, with what is known of it. */
export class SavedError extends ResourceError {
  readonly id: string;
  readonly state: object;
  constructor(message: Message, id: string, state: object) {
    super(message);
    this.name = "SavedError";
    this.id = id;
    this.state = state;
  }
}

// --- parts of sentences

/** The first few, and how many more: a list of 10,000 numbers says nothing. */
export const shortList = (items: readonly string[], most = 4, between = ", "): string =>
  items.length <= most
    ? items.join(between)
    : `${items.slice(0, most).join(between)} and ${(items.length - most).toLocaleString("en")} more`;

export const inBrackets = (numbers: readonly string[]): string => ` (${shortList(numbers)})`;

export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

/** Its kind and its name: `NumberGroup "emea"`. */
export const subject = (kind: string, name: string): string => `${kind} "${name}"`;

/** Its kind, its name in the program, and its number if it is a single one. */
export function resourceLabel(kind: string, inputs: object): string {
  const { [URN]: urn, number } = inputs as Readonly<Record<string, unknown>>;
  return labelOf(kind, typeof urn === "string" ? partsOf(urn).name : undefined, number);
}

/** The same, if its URN is not known yet. @param number the argument as the program wrote it */
export function labelOf(kind: string, name: string | undefined, number?: unknown): string {
  const printed = typeof number === "string" && !isUnknown(number) ? printedShort(number) : "";
  if (name === undefined) {
    return printed === "" ? kind : subject(kind, printed);
  }
  return printed === "" || name.includes(printed) ? subject(kind, name) : `${subject(kind, name)} (${printed})`;
}

/** @param urn of `pulumi import`, which gives none, the text in its place: it begins with the kind */
export function labelOfUrn(urn: string): string {
  const { kind, name } = partsOf(urn);
  return name === "" ? (urn.split(" ")[0] ?? urn) : labelOf(kind, name);
}
