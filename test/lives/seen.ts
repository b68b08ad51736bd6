import type { Run, Saved } from "../support/miniEngine";
import { steady } from "../support/miniStack";
import { assignedIn, BASE_URL, type Sent, type Store } from "./platform";
import { nameOf, type Trouble } from "./realPlatform";
import type { RunResult, Step } from "./world";

/** Converts a run's results to a form in which the simulated engine and the real one can be compared. */

/** A run of the simulated engine, with the `triggers` that it used. */
export interface SimulatedRun {
  readonly step: Step;
  readonly triggers: number;
  readonly result: RunResult;
}

/** The results of a run, in a form that is the same for both engines. */
export interface Observed {
  /**
   * Steps such as `update x`, sorted by resource because the engine may run them in any order. Empty if the CLI was
   * killed.
   */
  readonly steps: readonly string[];
  readonly failures: readonly string[];
  readonly sent: readonly string[];
  readonly state: readonly string[];
  readonly numbers: readonly string[];
  readonly posted: readonly string[];
}

/** Returns the results of a simulated run, which the real engine should reproduce. */
export function observedIn({ step, result }: SimulatedRun): Observed {
  const { run, failures, sent, world } = result;
  return observe(step, { steps: run?.steps ?? [], failures }, sent, world.kept.state, world.store, BASE_URL);
}

export type Kill = NonNullable<Trouble["cliDies"]>;

/**
 * Returns the request at which to kill the real CLI, so that it has saved the same steps as the model's CLI, which is
 * killed at a save. Returns undefined if the fault doesn't kill the CLI, and "not shown" if there may be no such
 * request.
 * @param calm the results of the same run without the fault
 */
export function killOf({ step, result }: SimulatedRun, calm: RunResult): Kill | undefined | "not shown" {
  const { fault } = step;
  if (fault?.at !== "save") {
    return undefined;
  }
  const before = calm.sentBySave[fault.index - 1] ?? 0;
  const now = calm.sentBySave[fault.index] ?? 0;
  const next = calm.sentBySave[fault.index + 1] ?? 0;
  const isShown = fault.kind === "before" ? now > before : next > now;
  if (!isShown || step.order !== undefined || result.sent.length !== now) {
    return "not shown";
  }
  return fault.kind === "before" ? { at: now, isActing: true } : { at: now + 1, isActing: false };
}

export function observe(
  { order = "serial" }: Step,
  { steps: allSteps, failures }: Pick<Run, "steps" | "failures">,
  sent: readonly Sent[],
  state: readonly Saved[],
  { numbers, chats, voices }: Store,
  url: string,
): Observed {
  const plain = (text: string) => plainText(text, url);
  const steps = [...allSteps]
    .filter(({ op }) => op !== "same")
    .sort((a, b) => (a.name < b.name ? -1 : +(a.name > b.name)));
  const saved = state.map((resource) => plain(savedText(resource)));
  return {
    steps: steps.map(({ op, name }) => `${op} ${name}`),
    failures: failures
      .filter(({ message }) => message !== "an output of the program failed")
      .map(({ name, message, code }) => `${name}: ${code === 14 ? "its provider is gone" : plain(message)}`)
      .sort(),
    sent: sent
      .map(
        (request) => `${nameOf(request)} ${JSON.stringify(request.after)} ${request.isAnswered ? "answered" : "lost"}`,
      )
      .sort(),
    // Resources that are in progress at the same time are saved in any order.
    state: order === "serial" ? saved : [...saved].sort(),
    numbers: [...numbers.values()].map((stored) => `${stored.number} ${JSON.stringify(assignedIn(stored))}`).sort(),
    posted: [
      ...chats.map(({ chatId, ended, metadata }) => JSON.stringify([chatId, ended, metadata])),
      ...voices.map(({ voiceId, voiceName }) => `${voiceId} ${voiceName}`),
    ].sort(),
  };
}

/** Replaces everything that differs between two runs or machines, such as addresses, times and generated IDs. */
const plainText = (text: string, url: string): string =>
  steady(text)
    .replaceAll(url, "the platform")
    .replaceAll(`${new URL(url).host}:443`, "the platform")
    .replaceAll(new URL(url).host, "the platform")
    .replaceAll("127.0.0.1:8080", "the platform")
    .replaceAll("http://the platform", "the platform")
    // Messages say where the token comes from: the environment for the real engine, and the config for the model.
    .replaceAll(/\w+ \(environment\)|agent-platform:accessToken \(stack config\)/g, "the token")
    .replaceAll(/(group-|unresolved-)(made-\d+|1f0c|[0-9a-f]{8}-[0-9a-f-]{27})/g, "made-up")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "today");

/** The outputs of a chat that are always secret, because the platform may repeat parts of the request in them. */
const SECRET = [
  "customAttributes",
  "transcript",
  "messages",
  "chatAnalysis",
  "collectedDynamicVariables",
  "overrideDynamicVariables",
];

function savedText({ inputs, outputs, initErrors, ...rest }: Saved): string {
  const { __provider: _, __urn: __, ...visibleInputs } = inputs;
  const { __provider: ___, __urn: ____, ...visibleOutputs } = outputs;
  // Hide these outputs, because the real engine encrypts them.
  const made = {
    ...visibleOutputs,
    ...Object.fromEntries(SECRET.filter((name) => name in visibleOutputs).map((name) => [name, "secret"])),
  };
  return JSON.stringify(sorted({ ...rest, given: visibleInputs, made, isFailed: initErrors.length > 0 }));
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
