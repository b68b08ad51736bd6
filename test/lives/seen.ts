import type { Run, Saved } from "../support/miniEngine";
import { steady } from "../support/miniStack";
import { assignedIn, BASE_URL, type Sent, type Store } from "./platform";
import { nameOf, type Trouble } from "./realPlatform";
import type { Lived, Step } from "./world";

/** One run with the small engine, and what the real one makes of the same run: both in forms that can be compared. */

/** A run as the small engine has lived it, with what the operator had raised `triggers` to. */
export interface Told {
  readonly step: Step;
  readonly triggers: number;
  readonly lived: Lived;
}

export interface Seen {
  /** `update x`; in order for each resource, for the engine does several in any order. Empty if the CLI was killed. */
  readonly steps: readonly string[];
  readonly failures: readonly string[];
  readonly sent: readonly string[];
  readonly state: readonly string[];
  readonly numbers: readonly string[];
  readonly posted: readonly string[];
}

/** What the small engine did, as the real one is to do it. */
export function seenOf({ step, lived }: Told): Seen {
  const { run, failures, sent, world } = lived;
  return seen(step, { steps: run?.steps ?? [], failures }, sent, world.kept.state, world.store, BASE_URL);
}

export type Kill = NonNullable<Trouble["cliDies"]>;

/** At which request the real CLI has to be killed; undefined if no request of the run shows this moment. */
export function killOf({ step, lived }: Told, calm: Lived): Kill | undefined | "not shown" {
  const { fault } = step;
  if (fault?.at !== "save") {
    return undefined;
  }
  const before = calm.sentBySave[fault.index - 1] ?? 0;
  const now = calm.sentBySave[fault.index] ?? 0;
  const next = calm.sentBySave[fault.index + 1] ?? 0;
  const isShown = fault.kind === "before" ? now > before : next > now;
  if (!isShown || step.order !== undefined || lived.sent.length !== now) {
    return "not shown";
  }
  return fault.kind === "before" ? { at: now, isActing: true } : { at: now + 1, isActing: false };
}

export function seen(
  { order = "serial" }: Step,
  { steps: all, failures }: Pick<Run, "steps" | "failures">,
  sent: readonly Sent[],
  state: readonly Saved[],
  { numbers, chats, voices }: Store,
  url: string,
): Seen {
  const plain = (text: string) => plainText(text, url);
  const steps = [...all].filter(({ op }) => op !== "same").sort((a, b) => (a.name < b.name ? -1 : +(a.name > b.name)));
  const saved = state.map((one) => plain(savedText(one)));
  return {
    steps: steps.map(({ op, name }) => `${op} ${name}`),
    failures: failures
      .filter(({ message }) => message !== "an output of the program failed")
      .map(({ name, message, code }) => `${name}: ${code === 14 ? "its provider is gone" : plain(message)}`)
      .sort(),
    sent: sent
      .map((one) => `${nameOf(one)} ${JSON.stringify(one.after)} ${one.isAnswered ? "answered" : "lost"}`)
      .sort(),
    // What is under way at once is saved in any order.
    state: order === "serial" ? saved : [...saved].sort(),
    numbers: [...numbers.values()].map((one) => `${one.number} ${JSON.stringify(assignedIn(one))}`).sort(),
    posted: [
      ...chats.map(({ chatId, ended, metadata }) => JSON.stringify([chatId, ended, metadata])),
      ...voices.map(({ voiceId, voiceName }) => `${voiceId} ${voiceName}`),
    ].sort(),
  };
}

/** What is made up or of this machine. */
const plainText = (text: string, url: string): string =>
  steady(text)
    .replaceAll(url, "the platform")
    .replaceAll(`${new URL(url).host}:443`, "the platform")
    .replaceAll(new URL(url).host, "the platform")
    .replaceAll("127.0.0.1:8080", "the platform")
    .replaceAll("http://the platform", "the platform")
    // The real engine has the token from the environment, so that no state holds it.
    .replaceAll(/\w+ \(environment\)|agent-platform:accessToken \(stack config\)/g, "the token")
    .replaceAll(/(group-|unresolved-)(made-\d+|1f0c|[0-9a-f]{8}-[0-9a-f-]{27})/g, "made-up")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "today");

/** The outputs of a chat in which the platform may repeat what it was sent. */
const SECRET = [
  "customAttributes",
  "transcript",
  "messages",
  "chatAnalysis",
  "collectedDynamicVariables",
  "overrideDynamicVariables",
];

function savedText({ inputs, outputs, initErrors, ...rest }: Saved): string {
  const { __provider: _, __urn: __, ...given } = inputs;
  const { __provider: ___, __urn: ____, ...shown } = outputs;
  // The real engine has encrypted them.
  const made = {
    ...shown,
    ...Object.fromEntries(SECRET.filter((name) => name in shown).map((name) => [name, "secret"])),
  };
  return JSON.stringify(sorted({ ...rest, given, made, isFailed: initErrors.length > 0 }));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
