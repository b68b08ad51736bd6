import { isUnknown, parseUrn, URN } from "../base/engine";
import { excerpt } from "../base/text";
import { CODES, type Code, type CodeByCase, type CodeText, remedyOf } from "./codes";

/**
 * A message in parts, so that the provider's `check` can still add the resource's label. `render` turns it into text.
 */
export interface Message {
  readonly code: Code;
  /**
   * The resource that the message is about, as in `NumberGroup "emea"`. Undefined if the message is about the settings
   * or the whole run, or until `check` adds the label.
   */
  readonly label?: string | undefined;
  /** Lines that say what happened, and what is true now. */
  readonly lines: readonly string[];
  /** What the user should do. Empty if `lines` already say it, as in `maxShift must be a number from 0 to 100.` */
  readonly remedy: string;
}

/**
 * The type of the `remedy` argument of `messageOf`. The argument is required for a code with `isByCase`, and optional
 * for every other code.
 */
type Remedy<Any extends Code> = [Extract<Any, CodeByCase>] extends [never] ? [remedy?: string] : [remedy: string];

/**
 * Makes a message. Drops empty lines.
 * @param label the resource; undefined if the message needs none
 * @param remedy what to do in this case; defaults to the remedy of the code
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

export const NO_REMEDY = "";

/** Formats a message as `AGP-021 NumberAssignment "+15551234567": …`. Lines after the first are indented. */
export const render = ({ code, label, lines, remedy }: Message): string => {
  const parts = remedy === "" ? lines : [...lines, remedy];
  const isOneLine = lines.length === 1 && !remedy.includes("\n");
  const text = parts.join(isOneLine ? " " : "\n").replaceAll("\n", "\n  ");
  return label === undefined ? `${code} ${text}` : `${code} ${label}: ${text}`;
};

/**
 * Names the command that explains a topic or an error code. The package is named in full, because `npx` with a shorter
 * command name could run some other package.
 */
export const helpHint = (topic: string): string => `More: npx pulumi-agent-platform help ${topic}`;

// --- errors

/**
 * An error that shows the user only its messages. For check, diff, read and delete, the SDK prints
 * `${error}: ${error.stack}`, which becomes `error: <messages>`.
 */
export class ResourceError extends Error {
  readonly code: Code;
  constructor(...messages: readonly [Message, ...Message[]]) {
    const [{ code }] = messages;
    const { pointsToHelp }: CodeText = CODES[code];
    const text = [...messages.map(render), ...(pointsToHelp ? [`  ${helpHint(code)}`] : [])].join("\n");
    super(text);
    this.name = "ResourceError";
    this.code = code;
    this.stack = text;
  }
  override toString(): string {
    return "error";
  }
}

/**
 * Thrown if an operation failed but the platform may have applied all or part of the change. The engine then saves the
 * resource with this ID and state.
 */
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

// --- sentences, and parts of sentences

export const NO_ACTION = "No action is needed.";

export const STAYS = "The resource stays in the state.";

/**
 * The command that removes a resource from the state. The user must look up the URN, because the provider's may be
 * outdated after an alias or a stack rename.
 */
export const FORGET = "`pulumi state delete '<URN>'` (`pulumi stack --show-urns` prints the URN)";

/** Returns the first few items and how many more there are, because nobody reads a list of 10,000 numbers. */
export const shortList = (items: readonly string[], most = 4, between = ", "): string =>
  items.length <= most
    ? items.join(between)
    : `${items.slice(0, most).join(between)} and ${(items.length - most).toLocaleString("en")} more`;

export const inBrackets = (numbers: readonly string[]): string => ` (${shortList(numbers)})`;

export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

/** A resource's kind and name, as in `NumberGroup "emea"`. */
export const subject = (kind: string, name: string): string => `${kind} "${name}"`;

/**
 * Returns a resource's kind, its name in the program and, if it has a single number, that number, as in
 * `NumberAssignment "support" (+15551234567)`.
 */
export function resourceLabel(kind: string, inputs: object): string {
  const { [URN]: urn, number } = inputs as Readonly<Record<string, unknown>>;
  return labelOf(kind, typeof urn === "string" ? parseUrn(urn).name : undefined, number);
}

/**
 * Like `resourceLabel`, for a resource whose name may be unknown.
 * @param number the argument as the program wrote it
 */
export function labelOf(kind: string, name: string | undefined, number?: unknown): string {
  const printed = typeof number === "string" && !isUnknown(number) ? excerpt(number) : "";
  if (name === undefined) {
    return printed === "" ? kind : subject(kind, printed);
  }
  return printed === "" || name.includes(printed) ? subject(kind, name) : `${subject(kind, name)} (${printed})`;
}

/**
 * Returns the label of the resource with this URN.
 * @param urn a URN or, during `pulumi import`, a string that starts with the kind
 */
export function labelOfUrn(urn: string): string {
  const { kind, name } = parseUrn(urn);
  return name === "" ? (urn.split(" ")[0] ?? urn) : labelOf(kind, name);
}
