import { CODES, type Code, partsOf, REFUSED_FOR_MISTAKES } from "../../provider/review";
import { codeAddress } from "../links";
import { capped, uniqueBy } from "../lists";
import type { Diagnostic, Preview } from "../pulumi/preview";
import type { Tone } from "./card";
import { counted, id, say, someIds, type Text } from "./text";

/** Reads the diagnostics of a preview: errors, bypassed guards, warnings. */

/** What a person must read first: an error, bypassed guards, a change that was not reviewed. */
export interface Alert {
  readonly tone: Tone;
  readonly title: Text;
  /** Words of the provider or of the engine. */
  readonly quote: readonly string[];
}

const CODE = /^(AGP-\d{3}) /;
const BYPASSED: Code = "AGP-068";
/** The codes of warnings that a card or an alert tells in its own words. */
const TOLD_ELSEWHERE: ReadonlySet<string> = new Set<Code>(["AGP-044", "AGP-064", "AGP-072", "AGP-077", BYPASSED]);
/** The first sentence of a message about a resource: it says what is wrong. What to do follows. */
const REFUSAL = /^AGP-\d{3} \w+ "(?<name>[^"]*)"(?: \([^)]*\))?: (?<sentence>.+?)(?:\.?$|\.(?=\s)|(?<=\?)\s)/;
/** The last error of each failed preview, which does not say why. */
const LAST_WORD = "preview failed";
const MOST_ERRORS = 10;
const LONGEST = 1200;

export function readDiagnostics({ diagnostics, hasFailed }: Preview) {
  const failures = diagnostics.filter(({ severity }) => severity === "error").map(toError);
  const causes = failures.filter(({ text }) => text !== LAST_WORD);
  const mistakes = causes.filter(({ text }) => !REFUSED_FOR_MISTAKES.test(text));
  const shown = [mistakes, causes, failures].find((list) => list.length > 0) ?? [];
  const errors = uniqueBy(shown, ({ name, text }) => `${name} ${text}`);
  // If an error has several messages, the engine prints each of them once more, as a warning.
  const isTold = (text: string) => errors.some((error) => error.text.includes(text));
  const warnings = diagnostics.flatMap(warningIn).filter(({ text }) => !isTold(text));
  const bypasses = textsOf(warnings.filter(({ code }) => code === BYPASSED));
  const [first] = errors;
  const alerts = capped(errors.map(errorAlert), MOST_ERRORS, (more) =>
    danger([`… and ${counted(more, "more error")}: see the preview itself`]),
  );
  return {
    alerts: [...alerts, ...bypasses.map((text) => danger(["⚠ The guards are bypassed for this run"], linesOf(text)))],
    /** What the provider wrote as a warning. */
    warnings: textsOf(warnings.filter(({ code }) => !TOLD_ELSEWHERE.has(code))),
    /** Did the preview end with an error? Then it does not show everything. */
    hasFailed: hasFailed || first !== undefined,
    /** Are all guards bypassed for this run? */
    areBypassed: bypasses.length > 0,
    /** One line, if the preview failed. */
    failure: (first && failureText(first, errors)) ?? (hasFailed ? ["The preview failed"] : undefined),
  };
}

const danger = (title: Text, quote: readonly string[] = []): Alert => ({ tone: "danger", title, quote });

type Failure = ReturnType<typeof toError>;

function toError({ urn, message }: Diagnostic) {
  const text = message
    .trim()
    .replace(/^error: (Preview failed: )?/, "")
    // The engine puts these words before the reason of a check. The title has the name already.
    .replace(/^\S+ resource '[^']*' has a problem: /, "");
  const code = CODE.exec(text)?.[1];
  const name = urn === undefined ? undefined : partsOf(urn).name;
  // The engine breaks a line in the middle of a sentence.
  return { name, code, text: code === undefined ? text.replace(/\n(?=[a-z])/g, " ") : text };
}

function warningIn({ severity, message }: Diagnostic) {
  const text = message.trim().replace(/^warning: /, "");
  const code = CODE.exec(text)?.[1];
  const isWarning = severity !== "error" && severity !== "debug";
  return isWarning && code !== undefined ? [{ code, text }] : [];
}

const textsOf = (warnings: ReturnType<typeof warningIn>): string[] => [...new Set(warnings.map(({ text }) => text))];

function failureText({ code, text }: Failure, errors: readonly Failure[]): Text {
  const title = code === undefined ? undefined : CODES[code as Code]?.title;
  const refused = REFUSAL.exec(text)?.groups;
  if (title !== undefined && refused !== undefined) {
    const more = errors.length === 1 ? "" : `, and ${counted(errors.length - 1, "more error")}`;
    return say`Refused, nothing is sent: ${id(refused.name)}: ${id(refused.sentence, 160)}${more}`;
  }
  if (title !== undefined) {
    const names = errors.filter((one) => one.code === code).flatMap(({ name }) => name ?? []);
    return say`Refused, nothing is sent: ${title}${names.length === 0 ? "" : say` (${someIds(names)})`}`;
  }
  const isLeadIn = (line: string) => line.endsWith(":") && !line.includes(". ");
  const line = linesOf(text).find((candidate) => !isLeadIn(candidate)) ?? "";
  return say`The preview failed: ${id(line, 160)}`;
}

function errorAlert({ name, code, text }: Failure): Alert {
  if (code === undefined) {
    return danger(say`The preview failed${name === undefined ? "" : say` at ${id(name)}`}`, linesOf(text));
  }
  const title = say`Refused, nothing is sent${name === undefined ? "" : say`: ${id(name)}`}`;
  return danger(title, [...linesOf(text), `See ${codeAddress(code)}`]);
}

/** The lines without those of a stack trace. */
function linesOf(text: string): string[] {
  const lines = text.slice(0, LONGEST).split("\n");
  return lines.filter((line) => line.trim() !== "" && !/^\s+at /.test(line)).slice(0, 12);
}
