import { partsOf } from "../../provider/core/common/urn";
import { CODES, type Code, REFUSED_FOR_MISTAKES } from "../../provider/core/messages";
import { moreIn } from "../command";
import { uniqueBy } from "../lists";
import type { Diagnostic, Preview } from "../pulumi/preview";
import { few, fewIds, id, ids, type Text, words } from "./text";

/** Reads the diagnostics of a preview: errors, bypassed guards, warnings. */

/** What a person must read first: an error, bypassed guards, a change that was not reviewed. */
export interface Alert {
  readonly title: Text;
  /** Words of the provider or of the engine. */
  readonly quote: readonly string[];
  readonly note?: Text;
}

const CODE = /^(AGP-\d{3}) /;
const BYPASSED: Code = "AGP-068";
/** The codes of warnings that a card or an alert tells. */
const TOLD_ELSEWHERE: ReadonlySet<string> = new Set<Code>(["AGP-044", "AGP-041", "AGP-064", "AGP-072", BYPASSED]);
/** The first sentence of a message: it says what is wrong. What to do follows. Of a setting there is no resource. */
const REFUSAL = /^AGP-\d{3} (?:\w+ "(?<name>[^"]*)"(?: \([^)]*\))?: )?(?<sentence>.+?)(?:\.?$|\.(?=\s)|(?<=\?)\s)/;
/** The last error of each failed preview, which does not say why. */
const LAST_WORD = "preview failed";
const MOST_WHOLE = 10;
const MOST_REFUSED = 100;
const LONGEST_QUOTE = 1200;

export function readDiagnostics({ diagnostics }: Preview) {
  const failures = diagnostics.filter(({ severity }) => severity === "error").map(toError);
  const causes = failures.filter(({ text }) => text !== LAST_WORD);
  const mistakes = causes.filter(({ text }) => !REFUSED_FOR_MISTAKES.test(text));
  const first = [mistakes, causes, failures].find((list) => list.length > 0) ?? [];
  const errors = uniqueBy(first, ({ name, text }) => `${name} ${text}`);
  // If an error has several messages, the engine prints each of them once more, as a warning.
  const warnings = diagnostics
    .flatMap(warningIn)
    .filter(({ text }) => !errors.some((error) => error.text.includes(text)));
  const bypasses = distinctTexts(warnings.filter(({ code }) => code === BYPASSED));
  return {
    alerts: [
      ...errors.slice(0, MOST_WHOLE).map(errorAlert),
      ...restAlert(errors.slice(MOST_WHOLE)),
      ...bypasses.map((text): Alert => ({ title: ["⚠ The guards are bypassed for this run"], quote: linesOf(text) })),
    ],
    /** What the provider wrote as a warning. */
    warnings: distinctTexts(warnings.filter(({ code }) => !TOLD_ELSEWHERE.has(code))),
    /** Did the preview end with an error? Then it does not show everything. */
    hasFailed: errors.length > 0,
    /** Are all guards bypassed for this run? */
    areBypassed: bypasses.length > 0,
    /** One line, if the preview failed. */
    failure: failureText(errors),
  };
}

type PreviewError = ReturnType<typeof toError>;

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

const distinctTexts = (warnings: ReturnType<typeof warningIn>): string[] => [
  ...new Set(warnings.map(({ text }) => text)),
];

/** What is refused, by its first sentence, and the other resources by their names. */
function failureText(errors: readonly PreviewError[]): Text | undefined {
  const [first, ...others] = errors;
  if (first === undefined) {
    return undefined;
  }
  const { code, text } = first;
  const title = code === undefined ? undefined : CODES[code as Code]?.title;
  if (title === undefined) {
    const isLeadIn = (line: string) => line.endsWith(":") && !line.includes(". ");
    return words`The preview failed: ${id(linesOf(text).find((line) => !isLeadIn(line)) ?? "", 160)}`;
  }
  const refused = REFUSAL.exec(text)?.groups;
  const name = refused?.name ?? first.name;
  const names = namesOf(others).filter((other) => other !== name);
  const more = names.length === 0 ? [] : words`; also refused: ${fewIds(names)}`;
  const who = name === undefined ? [] : words`${id(name)}: `;
  return words`Refused, nothing is sent: ${who}${refused === undefined ? title : id(refused.sentence, 160)}${more}`;
}

const namesOf = (errors: readonly PreviewError[]): string[] => [...new Set(errors.flatMap(({ name }) => name ?? []))];

/** Every refused resource is named, if not with its message. */
function restAlert(errors: readonly PreviewError[]): Alert[] {
  const names = few(ids(namesOf(errors)), MOST_REFUSED);
  const title = words`… and ${errors.length} more ${errors.length === 1 ? "error" : "errors"}${names.length === 0 ? "" : ": "}${names}`;
  return errors.length === 0 ? [] : [{ title, quote: ["The preview itself has them."] }];
}

function errorAlert({ name, code, text }: PreviewError): Alert {
  const what = code === undefined ? "The preview failed" : "Refused, nothing is sent";
  const quote = [...linesOf(text), ...(code === undefined ? [] : [moreIn(code)])];
  return { title: words`${what}${name === undefined ? "" : words`: ${id(name)}`}`, quote };
}

/** The lines without those of a stack trace. */
const linesOf = (text: string): string[] =>
  text
    .slice(0, LONGEST_QUOTE)
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^\s+at /.test(line))
    .slice(0, 12);
