import { CODES, type Code } from "../../provider/core/codes";
import type { Alert } from "./model";
import { type Diagnostic, type Preview, partsOf } from "./preview";
import { id, say, type Text } from "./text";

/** What the provider and the engine said beside the steps: refusals, open guards, warnings. */

export interface Said {
  readonly alerts: readonly Alert[];
  readonly warnings: readonly string[];
  readonly hasFailed: boolean;
  /** For the one run: is every guard open? */
  readonly isOpen: boolean;
  /** One line, where the preview failed. */
  readonly failure: Text | undefined;
}

const CODE = /^(AGP-\d{3}) /;
const GUARDS_OPEN: Code = "AGP-068";
/** What a card says in its own words. */
const TOLD: ReadonlySet<string> = new Set<Code>(["AGP-044", "AGP-064", "AGP-072", GUARDS_OPEN]);
const MOVES = /^AGP-060 Number\w+ .*: moves from /;
/** More than these say nothing that the first ones do not. */
const MOST_ERRORS = 10;
const LONGEST = 1200;

export function readSaid({ diagnostics, hasFailed }: Preview): Said {
  const errors = unique(diagnostics.filter(({ severity }) => severity === "error").map(toError));
  const warnings = [...new Set(diagnostics.flatMap(warningIn))];
  const open = warnings.filter((text) => text.startsWith(GUARDS_OPEN));
  const [first] = errors;
  return {
    alerts: [
      ...errors.slice(0, MOST_ERRORS).map(errorAlert),
      ...more(errors.length - MOST_ERRORS),
      ...open.map(
        (text): Alert => ({ tone: "danger", title: ["⚠ The guards are open for this run"], quote: linesOf(text) }),
      ),
    ],
    warnings: warnings.filter((text) => !TOLD.has(CODE.exec(text)?.[1] ?? "") && !MOVES.test(text)),
    hasFailed: hasFailed || errors.length > 0,
    isOpen: open.length > 0,
    failure: first === undefined ? (hasFailed ? ["The preview failed"] : undefined) : failureText(first),
  };
}

interface Failure {
  readonly name: string | undefined;
  readonly code: string | undefined;
  readonly text: string;
}

function toError({ urn, message }: Diagnostic): Failure {
  const text = message
    .trim()
    .replace(/^error: /, "")
    // The engine's words before a check failure's: the name is said anyhow.
    .replace(/^\S+ resource '[^']*' has a problem: /, "");
  return { name: urn === undefined ? undefined : partsOf(urn).name, code: CODE.exec(text)?.[1], text };
}

const unique = (failures: readonly Failure[]): Failure[] => [
  ...new Map(failures.map((failure) => [`${failure.name} ${failure.text}`, failure])).values(),
];

function warningIn({ severity, message }: Diagnostic): string[] {
  if (severity === "error" || severity === "debug") return [];
  const text = message.trim().replace(/^warning: /, "");
  return CODE.test(text) ? [text] : [];
}

function failureText({ name, code, text }: Failure): Text {
  const title = code === undefined ? undefined : CODES[code as Code]?.title;
  if (title !== undefined)
    return say`Refused, nothing is sent: ${title}${name === undefined ? "" : say` (${id(name)})`}`;
  const line = linesOf(text).find((candidate) => !candidate.endsWith(":")) ?? "";
  return say`The preview failed: ${id(line, 160)}`;
}

const errorAlert = (failure: Failure): Alert => ({
  tone: "danger",
  title:
    failure.code === undefined
      ? say`The preview failed${failure.name === undefined ? "" : say` at ${id(failure.name)}`}`
      : say`REFUSED, nothing is sent${failure.name === undefined ? "" : say`: ${id(failure.name)}`}`,
  quote: linesOf(failure.text),
});

const more = (count: number): Alert[] =>
  count > 0 ? [{ tone: "danger", title: [`… and ${count} more errors: see the preview itself`], quote: [] }] : [];

/** Where a program threw is of no use to a reader of the change. */
export function linesOf(text: string): string[] {
  const lines = text.slice(0, LONGEST).split("\n");
  return lines.filter((line) => line.trim() !== "" && !/^\s+at /.test(line)).slice(0, 12);
}
