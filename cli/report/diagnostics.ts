import { partsOf } from "../../provider/base/engine";
import type { Code } from "../../provider/words/codes";
import { counted } from "../../provider/words/message";
import { uniqueBy } from "../lists";
import type { Diagnostic, Preview } from "../pulumi/preview";
import { few, quoted, quotedEach, type Text, words } from "./text";

/** Reads the diagnostics of a preview: errors, bypassed guards, warnings. */

/** What a person must read first: an error, bypassed guards, a change that was not reviewed. */
export interface Alert {
  readonly title: Text;
  /** Words of the provider or of the engine. */
  readonly quote: readonly string[];
  readonly note?: Text | undefined;
}

const BYPASSED: Code = "AGP-068";
/** The codes of warnings that a card or an alert tells. */
const TOLD_ELSEWHERE: ReadonlySet<string> = new Set<Code>([
  "AGP-044",
  "AGP-041",
  "AGP-061",
  "AGP-065",
  "AGP-067",
  "AGP-069",
  "AGP-072",
  BYPASSED,
]);

export function readDiagnostics({ diagnostics }: Preview) {
  const failures = diagnostics.filter(({ severity }) => severity === "error").map(toError);
  // The last error of each failed preview does not say why.
  const causes = failures.filter(({ text }) => text !== "preview failed");
  const errors = uniqueBy(causes.length > 0 ? causes : failures, ({ name, text }) => `${name} ${text}`);
  // If an error has several messages, the engine prints each of them once more, as a warning.
  const warnings = diagnostics
    .flatMap(warningIn)
    .filter(({ text }) => !errors.some((error) => error.text.includes(text)));
  const bypasses = distinctTexts(warnings.filter(({ code }) => code === BYPASSED));
  const bypassed: Alert = { title: ["⚠ The guards are bypassed for this run"], quote: bypasses.flatMap(linesOf) };
  const { alerts, failure } = failureOf(errors);
  return {
    alerts: [...alerts, ...(bypasses.length > 0 ? [bypassed] : [])],
    /** What the provider wrote as a warning. */
    warnings: distinctTexts(warnings.filter(({ code }) => !TOLD_ELSEWHERE.has(code))),
    /** Did the preview end with an error? Then it does not show everything. */
    hasFailed: errors.length > 0,
    /** Are all guards bypassed for this run? */
    areBypassed: bypasses.length > 0,
    /** One line, if the preview failed. */
    failure,
  };
}

const codeIn = (text: string): string | undefined => /^(AGP-\d{3}) /.exec(text)?.[1];

type PreviewError = ReturnType<typeof toError>;

function toError({ urn, message }: Diagnostic) {
  const text = message
    .trim()
    .replace(/^error: (Preview failed: )?/, "")
    // The engine puts these words before the reason of a check. The title has the name already.
    .replace(/^\S+ resource '[^']*' has a problem: /, "");
  const code = codeIn(text);
  // The engine breaks a line in the middle of a sentence.
  const joined = code === undefined ? text.replace(/\n(?=[a-z])/g, " ") : text;
  return { name: urn === undefined ? undefined : partsOf(urn).name, code, text: joined };
}

function warningIn({ severity, message }: Diagnostic) {
  const text = message.trim().replace(/^warning: /, "");
  const code = codeIn(text);
  const isWarning = severity !== "error" && severity !== "debug";
  return isWarning && code !== undefined ? [{ code, text }] : [];
}

const distinctTexts = (warnings: ReturnType<typeof warningIn>): string[] => [
  ...new Set(warnings.map(({ text }) => text)),
];

/** The first error: its first line, with how many others there are; and all of it. A person who has read it runs the preview again. */
function failureOf([first, ...others]: readonly PreviewError[]): { alerts: Alert[]; failure: Text | undefined } {
  if (first === undefined) {
    return { alerts: [], failure: undefined };
  }
  const { name, code, text } = first;
  const result = code === undefined ? "The preview failed" : "Refused, nothing is sent";
  const lines = linesOf(text);
  // What the engine puts before an exception of the program ends with a colon, and says nothing of it.
  const cause = code === undefined ? lines.find((line) => !line.endsWith(":")) : undefined;
  const more = others.length === 0 ? "" : `; and ${counted(others.length, "more error")}`;
  const names = quotedEach(others.flatMap((other) => (other.name === name ? [] : (other.name ?? []))));
  const alert: Alert = {
    title: words`${result}${name === undefined ? "" : words`: ${quoted(name)}`}`,
    quote: lines,
    note: names.length === 0 ? undefined : words`Also refused: ${few(names, 20)}.`,
  };
  return { alerts: [alert], failure: words`${result}: ${quoted(cause ?? lines[0] ?? "", 240)}${more}` };
}

/** The lines without those of a stack trace. */
const linesOf = (text: string): string[] =>
  text
    .slice(0, 5000)
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^\s+at /.test(line));
