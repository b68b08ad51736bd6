import { isUnknown } from "../common/engine";
import { clean } from "../common/redact";
import { partsOf, URN } from "../common/urn";
import { type Code, remedyOf } from "./codes";

/** A message in parts. `render` makes its text once, when it leaves the provider. */
export interface Message {
  readonly code: Code;
  /** The resource that it is about; absent if it is about the settings or about one argument alone. */
  readonly who?: string | undefined;
  /** The first line says what happened. */
  readonly lines: readonly string[];
}

/** A message that ends with the remedy of its code. @param who the resource; undefined if it is clear what the message is about */
export const say = (code: Code, who: string | undefined, ...lines: readonly string[]): Message =>
  sayThen(WITHOUT_REMEDY.has(code) ? "" : remedyOf(code), code, who, ...lines);

/** A message that ends with another remedy than that of its code, or with none. It has no empty lines. */
export function sayThen(remedy: string, code: Code, who: string | undefined, ...lines: readonly string[]): Message {
  const said = lines.filter((line) => line !== "").map(withOneStop);
  const all = said.length === 1 ? [`${said[0]} ${remedy}`.trim()] : [...said, remedy].filter((line) => line !== "");
  return { code, who, lines: all };
}

/** Codes whose messages say what to do, because each case has its own way out, or after which nothing is to be done. */
const WITHOUT_REMEDY: ReadonlySet<Code> = new Set([
  ...([
    "AGP-001",
    "AGP-007",
    "AGP-015",
    "AGP-041",
    "AGP-044",
    "AGP-050",
    "AGP-053",
    "AGP-060",
    "AGP-061",
    "AGP-062",
  ] as const),
  ...(["AGP-020", "AGP-021", "AGP-022", "AGP-023", "AGP-024", "AGP-025", "AGP-027", "AGP-064", "AGP-072"] as const),
]);

/** A line may end with a cause that has a full stop of its own. */
const withOneStop = (line: string): string => line.replace(/([^.])\.\.$/, "$1.");

/** `AGP-021 NumberAssignment "+15551234567": …`, each further line indented. */
export const render = ({ code, who, lines }: Message): string => {
  const text = lines.join("\n  ");
  return who === undefined ? `${code} ${text}` : `${code} ${who}: ${withoutCapital(text)}`;
};

/** After a label a sentence begins with a small letter, unless its first word is a name such as AGENT_PLATFORM_BYPASS. */
const withoutCapital = (text: string): string => text.replace(/^[A-Z](?=[a-z]* )/, (first) => first.toLowerCase());

/** A resource as messages name it: `NumberGroup "emea"`. */
export const subject = (kind: string, id: string): string => `${kind} "${id}"`;

/** The first few, and how many more: a list of 10,000 numbers says nothing. */
export const shortList = (items: readonly string[], most = 4, between = ", "): string =>
  items.length <= most ? items.join(between) : `${items.slice(0, most).join(between)} and ${items.length - most} more`;

export const named = (numbers: readonly string[]): string => ` (${shortList(numbers)})`;

/** `1 number`, `10,000 numbers`. */
export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

// --- a resource as messages name it

const LONGEST_SHOWN = 60;

/** A value of an argument, short enough for a sentence. */
export const shownShort = (value: string): string => clean(value, "", LONGEST_SHOWN);

/** A resource as messages name it: its kind, its name in the program, and its number if it is a single one. */
export function resourceLabel(kind: string, inputs: object): string {
  const { [URN]: urn, number } = inputs as Readonly<Record<string, unknown>>;
  return labelOf(kind, typeof urn === "string" ? partsOf(urn).name : undefined, number);
}

/** A resource as messages name it, if its URN is not known yet. @param number the argument as the program wrote it */
export function labelOf(kind: string, name: string | undefined, number?: unknown): string {
  const shown = typeof number === "string" && !isUnknown(number) ? shownShort(number) : "";
  if (name === undefined) {
    return shown === "" ? kind : subject(kind, shown);
  }
  return shown === "" || name.includes(shown) ? subject(kind, name) : `${subject(kind, name)} (${shown})`;
}

export function labelOfUrn(urn: string): string {
  const { kind, name } = partsOf(urn);
  return labelOf(kind, name);
}
