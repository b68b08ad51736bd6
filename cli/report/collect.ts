import { createHash } from "node:crypto";
import { CODES, type Code } from "../../provider/core/codes";
import { compare, same } from "../../provider/core/equality";
import { ENGINE_KEYS } from "../../provider/core/settings";
import { explicitProvider, nameOf, partsOf } from "../../provider/core/urn";
import { codeAddress } from "../links";
import { capped, uniqueBy } from "../lists";
import type { Diagnostic, Preview, Step, StepState } from "../pulumi/preview";
import { isProviderType, kindOf, providerUrn } from "../pulumi/urn";
import { isMap } from "../pulumi/values";
import type { Alert, Change } from "./model";
import { id, say, type Text } from "./text";

/** From the engine's steps to changes: the three steps of a replacement are one. */

const STACK = "pulumi:pulumi:Stack";
const PROVIDER = "pulumi:providers:";

export type Changes = ReturnType<typeof changesIn>;

/** `line-2` before `line-10`. */
const collator = new Intl.Collator("en", { numeric: true });

const REPLACING = new Set(["replace", "create-replacement", "import-replacement", "read-replacement"]);
const CHANGING = new Set(["create", "update", "delete"]);

export function changesIn({ steps, counts }: Preview) {
  const replaced: Replaced = new Map();
  for (const step of steps) {
    if (REPLACING.has(step.op) && replaced.get(step.urn)?.op !== "replace") {
      replaced.set(step.urn, step);
    }
  }
  const changing = steps.filter(({ op }) => op !== "same" && op !== "discard");
  const isOurs = ({ type }: Step) => kindOf(type) !== undefined;
  const isStack = ({ type }: Step) => type === STACK;
  const others = changing.filter((step) => !isOurs(step) && !isStack(step));
  const sameOnes = steps.filter((step) => step.op === "same" && isStack(step)).length;
  const { stack, project } = partsOf(steps[0]?.urn ?? "");
  return {
    ours: unique(changing.filter(isOurs))
      .flatMap((step) => toChange(step, replaced))
      .sort((a, b) => collator.compare(a.name, b.name)),
    /** Resources of this platform that stay as they are, where the preview shows them. */
    kept: steps.filter(({ op }) => op === "same").flatMap((step) => changeOf(step, { op: "update" })),
    /** Explicit providers of this platform. */
    providers: unique(others.filter(isExplicitProvider)),
    others: unique(others.filter((step) => !isExplicitProvider(step) && !step.type.startsWith(PROVIDER))),
    stack,
    project,
    unchanged: Math.max(0, (counts.same ?? 0) - sameOnes),
  };
}

/** The engine's events may name a step more than once. What is left over of a group has the id of the group. */
function unique(steps: readonly Step[]): Step[] {
  return uniqueBy(steps, ({ op, urn, old }) =>
    JSON.stringify([op, urn, old?.id, op === "delete-replaced" ? old?.outputs : undefined]),
  );
}

/** The step that stands for the replacement of a resource: the events name all three, the document the one that has both sides. */
type Replaced = Map<string, Step>;

function toChange(step: Step, replaced: Replaced): Change[] {
  const { op, old } = step;
  const replacing = replaced.get(step.urn);
  const isOfThis = replacing?.old?.id === old?.id && same(replacing?.old?.outputs, old?.outputs);
  // Left over from a replacement of an earlier run that did not come to its end; the resource may be replaced once more.
  if (op === "delete-replaced" && !(replacing && isOfThis)) {
    return changeOf(step, { op: "delete", new: undefined, isLeftover: true });
  }
  if (replacing !== undefined) {
    return op === replacing.op ? changeOf(step, { op: "replace" }) : [];
  }
  return CHANGING.has(op) ? changeOf(step, { op: op as Change["op"] }) : [];
}

/** None where the step is not about a resource of this platform. */
function changeOf(step: Step, parts: Pick<Change, "op"> & Partial<Change>): Change[] {
  const kind = kindOf(step.type);
  if (kind === undefined) {
    return [];
  }
  const { urn, old, new: next } = step;
  const providerName = explicitProvider(providerUrn(step.provider));
  const isRetained = old?.retainOnDelete === true;
  return [{ kind, urn, name: nameOf(urn), providerName, old, new: next, isRetained, ...parts }];
}

const isExplicitProvider = ({ urn, type, new: next, old }: Step): boolean =>
  isProviderType(type) &&
  explicitProvider(urn) !== undefined &&
  Object.keys({ ...old?.inputs, ...next?.inputs }).some((key) => key.startsWith("agent-platform:"));

/**
 * What was reviewed, in twelve characters: each change's resource, operation, provider, and inputs before and after, with secrets masked;
 * and the explicit providers that change, for they say which platform a resource goes to, and what guards it. Order, the CLI's version and
 * what a run answered have no part in it, so that the same change is the same digest in the pull request and in the merge job.
 */
export function digestOf({ ours, providers }: Changes): string {
  const lines = [...ours.map(reviewed), ...providers.flatMap(reviewedProvider)].map(canonical).sort();
  return createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 12);
}

const reviewed = ({ urn, op, providerName, old, new: next, isRetained }: Change) => ({
  urn,
  op,
  account: providerName ?? null,
  before: inputsOf(old),
  after: inputsOf(next),
  ...((op === "delete" || op === "replace") && { retains: isRetained }),
});

/** A provider that another version of the SDK registers again has the same settings, and is the same one. */
function reviewedProvider({ urn, op, old, new: next }: Step): unknown[] {
  const [before, after] = [settingsIn(old), settingsIn(next)];
  return canonical(before) === canonical(after) ? [] : [{ urn, op, before, after }];
}

const settingsIn = (state: StepState | undefined): unknown => inputsOf(state, ENGINE_KEYS);

/** The provider's text, and the placeholders of masked outputs, are no part of what is declared. */
const inputsOf = (state: StepState | undefined, undeclared: readonly string[] = ["__provider"]): unknown =>
  state ? Object.fromEntries(Object.entries(state.inputs).filter(([key]) => !undeclared.includes(key))) : null;

/** JSON with sorted keys, so that it is the same text whoever wrote it. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(canonical).join(",")}]`;
  }
  if (!isMap(value)) {
    return JSON.stringify(value) ?? "null";
  }
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${entries
    .sort(([a], [b]) => compare(a, b))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`)
    .join(",")}}`;
}

// --- what the provider and the engine said beside the steps: refusals, open guards, warnings

export type Diagnosed = ReturnType<typeof readDiagnostics>;

const CODE = /^(AGP-\d{3}) /;
const GUARDS_OPEN: Code = "AGP-068";
/** What a card says in its own words. */
const TOLD: ReadonlySet<string> = new Set<Code>(["AGP-044", "AGP-064", "AGP-072", "AGP-077", GUARDS_OPEN]);
/** How the engine ends a preview after whatever failed it. */
const LAST_WORD = "preview failed";
/** More than these say nothing that the first ones do not. */
const MOST_ERRORS = 10;
const LONGEST = 1200;

export function readDiagnostics({ diagnostics, hasFailed }: Preview) {
  const failures = diagnostics.filter(({ severity }) => severity === "error").map(toError);
  const causes = failures.filter(({ text }) => text !== LAST_WORD);
  const errors = uniqueBy(causes.length > 0 ? causes : failures, ({ name, text }) => `${name} ${text}`);
  // Of an error with several messages the engine prints each once more, and calls the first alone an error.
  const isTold = (text: string) => errors.some((error) => error.text.includes(text));
  const warnings = diagnostics.flatMap(warningIn).filter(({ text }) => !isTold(text));
  const open = textsOf(warnings.filter(({ code }) => code === GUARDS_OPEN));
  const [first] = errors;
  const alerts = capped(errors.map(errorAlert), MOST_ERRORS, (more) =>
    danger([`… and ${more} more errors: see the preview itself`]),
  );
  return {
    alerts: [...alerts, ...open.map((text) => danger(["⚠ The guards are bypassed for this run"], linesOf(text)))],
    warnings: textsOf(warnings.filter(({ code }) => !TOLD.has(code))),
    hasFailed: hasFailed || first !== undefined,
    /** For the one run: is every guard open? */
    isOpen: open.length > 0,
    /** One line, where the preview failed. */
    failure: (first && failureText(first)) ?? (hasFailed ? ["The preview failed"] : undefined),
  };
}

const danger = (title: Text, quote: readonly string[] = []): Alert => ({ tone: "danger", title, quote });

type Failure = ReturnType<typeof toError>;

function toError({ urn, message }: Diagnostic) {
  const text = message
    .trim()
    .replace(/^error: (Preview failed: )?/, "")
    // The engine's words before a check failure's: the name is said anyhow.
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

function failureText({ name, code, text }: Failure): Text {
  const title = code === undefined ? undefined : CODES[code as Code]?.title;
  if (title !== undefined) {
    return say`Refused, nothing is sent: ${title}${name === undefined ? "" : say` (${id(name)})`}`;
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

/** Where a program threw is of no use to a reader of the change. */
function linesOf(text: string): string[] {
  const lines = text.slice(0, LONGEST).split("\n");
  return lines.filter((line) => line.trim() !== "" && !/^\s+at /.test(line)).slice(0, 12);
}
