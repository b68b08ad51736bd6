import { parseUrn } from "../../provider/base/engine";
import type { Code } from "../../provider/words/codes";
import { counted } from "../../provider/words/message";
import { uniqueBy } from "../lists";
import type { Diagnostic, Preview } from "../pulumi/preview";
import { few, quoted, quotedEach, type Text, words } from "./text";

/** Reads a preview's diagnostics: errors, bypassed guards and warnings. */

/** A message at the top of the report, such as an error, bypassed guards or an unreviewed change. */
export interface Alert {
  readonly title: Text;
  /** Lines quoted from the provider or the engine. */
  readonly quote: readonly string[];
  readonly note?: Text | undefined;
}

const BYPASSED: Code = "AGP-068";
/** The codes of warnings that are not listed in the report, because a card or an alert already contains them. */
const REPORTED_ELSEWHERE: ReadonlySet<string> = new Set<Code>([
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
  // Every failed preview ends with the error `preview failed`. Drop it if there are other errors, because it gives no
  // reason.
  const causes = failures.filter(({ text }) => text !== "preview failed");
  const errors = uniqueBy(causes.length > 0 ? causes : failures, ({ name, text }) => `${name} ${text}`);
  // If an error has several messages, the engine also prints each of them as a warning. Drop these warnings.
  const warnings = diagnostics
    .flatMap(warningIn)
    .filter(({ text }) => !errors.some((error) => error.text.includes(text)));
  const bypasses = distinctTexts(warnings.filter(({ code }) => code === BYPASSED));
  const bypassed: Alert = { title: ["⚠ The guards are bypassed for this run"], quote: bypasses.flatMap(linesOf) };
  const { alerts, failure } = failureOf(errors);
  return {
    alerts: [...alerts, ...(bypasses.length > 0 ? [bypassed] : [])],
    /** Provider warnings that nothing else in the report covers. */
    warnings: distinctTexts(warnings.filter(({ code }) => !REPORTED_ELSEWHERE.has(code))),
    /** Whether the preview ended with an error. If so, it may not show every change. */
    hasFailed: errors.length > 0,
    /** Whether all guards are bypassed for this run. */
    areBypassed: bypasses.length > 0,
    /** A one-line summary if the preview failed. */
    failure,
  };
}

const codeIn = (text: string): string | undefined => /^(AGP-\d{3}) /.exec(text)?.[1];

type PreviewError = ReturnType<typeof toError>;

function toError({ urn, message }: Diagnostic) {
  const text = message
    .trim()
    .replace(/^error: (Preview failed: )?/, "")
    // Remove the engine's prefix. It contains the resource's name, which the alert's title already shows.
    .replace(/^\S+ resource '[^']*' has a problem: /, "")
    // Remove the engine's suggestion to unprotect a protected resource, because `pulumi up` could then delete it.
    .replace(/ To unprotect the resource,[\s\S]*$/, "");
  const code = codeIn(text);
  // The engine's messages may have line breaks in the middle of a sentence. Replace them with spaces.
  const joined = code === undefined ? text.replace(/\n(?=[a-z])/g, " ") : text;
  return { name: urn === undefined ? undefined : parseUrn(urn).name, code, text: joined };
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

/**
 * Summarizes a preview's errors, once as an alert that quotes the first error and names the other resources with
 * errors, and once as a single line (`failure`).
 */
function failureOf([first, ...others]: readonly PreviewError[]): { alerts: Alert[]; failure: Text | undefined } {
  if (first === undefined) {
    return { alerts: [], failure: undefined };
  }
  const { name, code, text } = first;
  const result = code === undefined ? "The preview failed" : "Refused (nothing is sent)";
  const lines = linesOf(text);
  // The engine introduces a program's exception with a line that ends in a colon, so quote the line after it instead.
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

/** Returns the non-empty lines of a message, without stack traces. */
const linesOf = (text: string): string[] =>
  text
    .slice(0, 5000)
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^\s+at /.test(line));
