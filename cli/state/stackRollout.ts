import { isObject, parseJson } from "../../provider/base/json";
import { NAMESPACE } from "../../provider/config/keys";
import { steps } from "../../provider/config/settings";
import { outboundKey, unappliedOf } from "../../provider/numbers/state";
import {
  isAborted,
  type RolloutEntry,
  type Rollouts,
  rollouts,
  savedRollout,
  splitOf,
} from "../../provider/routing/rollout";
import { round } from "../../provider/routing/split";
import type { Rollout } from "../../provider/routing/types";
import { counted } from "../../provider/words/message";
import { capped } from "../lists";
import { freezeIn, type StackConfig, settingsIn, valuesOf } from "../pulumi/config";
import { type Pending, type SavedResource, type StackState, stateIn } from "../pulumi/state";
import { shownNumbers, splitIn } from "../pulumi/values";
import { type Callers, callersOf, hasText, haveSplit, percentagesOf } from "./callers";
import { openSteps, pendingText, resourcesOfNumbers, resourceTitle } from "./resources";
import { timeOf } from "./time";

// --- what a config and a state say of rollouts

/** The rollout of a state; undefined if it is none. */
export const rolloutIn = (value: unknown): Rollout | undefined => savedRollout.safeParse(value).data;

/** The rollouts in a value of a config, by name. Pulumi prints a map of the config as JSON. What is no rollout is left out. */
export function rolloutsIn(value: unknown): Rollouts {
  const all = typeof value === "string" ? parseJson(value) : value;
  const read = Object.entries(isObject(all) ? all : {}).map(([name, one]) => rollouts.safeParse({ [name]: one }).data);
  return Object.assign({}, ...read);
}

export const STEPS = `${NAMESPACE}:steps`;

/** The setting of the percentages, as it is read; undefined if it is not set, or secret. */
export function stepsIn(config: StackConfig) {
  const { value } = config[STEPS] ?? {};
  return value === undefined ? undefined : steps.safeParse(parseJson(value));
}

/** The candidate's percentage: 0 without one. */
export const percentOf = ({ candidate, percent = 0 }: Rollout): number => (candidate === undefined ? 0 : percent);

/** The percentage of the calls that an agent gets. */
export function percentOfAgent(agent: string, rollout: Rollout): number {
  const percent = percentOf(rollout);
  if (agent === rollout.candidate) {
    return percent;
  }
  return agent === rollout.stable ? 100 - percent : 0;
}

export const percentText = (percent: number): string => `${round(percent)}%`;

/**
 * The resources that have the agent and not the rollout of this name, each with a sentence without an end: an abort of the rollout does not take
 * it back from them. Outbound calls of any resource count as well.
 */
export function othersWith(agent: string, name: string, state: StackState) {
  return resourcesOfNumbers(state).flatMap((saved) => {
    const who = resourceTitle(saved);
    const rollout = rolloutIn(saved.outputs.rollout)?.name;
    const total = shownNumbers(saved.outputs).length;
    const others =
      rollout === name
        ? []
        : callersOf(saved, state).filter((one) => percentagesOf(agent, [one]).some((percent = 0) => percent > 0));
    const where = rollout === undefined ? "" : `, in the rollout ${rollout}`;
    const texts = [
      ...others.map((one) => `${hasText(one, total, who)}${where}`),
      ...(outboundKey(stateIn(saved.outputs)) === agent ? [`${who} makes its outbound calls with it`] : []),
    ];
    return texts.map((text) => ({ saved, rollout: rollout === name ? undefined : rollout, text }));
  });
}

// --- a rollout of a stack

/** A rollout as a command sees it: what the config of its stack wants, and what the saved state says of its numbers. */
export interface StackRollout {
  readonly stack: string;
  readonly name: string;
  /** What is wanted. */
  readonly entry: RolloutEntry;
  /** The resources that have it; empty if none has. */
  readonly resources: readonly RolloutResource[];
  readonly numbers: readonly string[];
  /** Why not all of its numbers certainly have what is wanted, in sentences without an end; empty if they do. */
  readonly notApplied: readonly string[];
  /** What callers have of it. A resource that a run was about to create may have what that run sent. */
  readonly callers: readonly Callers[];
  /** What was under way when a run was stopped, of these resources or of one that is not in the state. */
  readonly stopped: readonly Pending[];
  /** Since when every number has its split; undefined if one of them may not have it, or if a resource does not say. */
  readonly since: Date | undefined;
}

/**
 * Why `pulumi up` refuses what the config says of the rollout without a reason; undefined if it does not. An abort to an agent that was not the stable
 * one passes the guards if that agent is approved.
 */
export function refusedWithoutReason(
  { entry, resources }: Pick<StackRollout, "entry" | "resources">,
  config: StackConfig,
): string | undefined {
  const freeze = freezeIn(config);
  const to = isAborted(entry) ? entry.aborted.to : undefined;
  const { approvedAgents = [] } = settingsIn(valuesOf(config)).guards;
  const isAllowed =
    to === undefined || approvedAgents.includes(to) || resources.some(({ rollout }) => rollout.stable === to);
  const unapproved = isAllowed ? undefined : `${to} is not approved`;
  return freeze === undefined ? unapproved : `the stack is frozen (${freeze})`;
}

/** Does `ignoreChanges` keep what the entry says from callers of the resource? An abort reaches them all the same. */
export const isLeftBehind = ({ saved, callers }: RolloutResource, entry: RolloutEntry): boolean =>
  !isAborted(entry) &&
  saved.ignoreChanges.some((path) => path === "*" || /^(\[")?rollout\b/.test(path)) &&
  callers.some((one) => !haveSplit(one, splitOf(entry)));

/** A saved resource that has a rollout. */
export interface RolloutResource {
  readonly saved: SavedResource;
  /** What the last run wanted. */
  readonly rollout: Rollout;
  readonly callers: readonly Callers[];
}

/** Every resource of a state that has a rollout. */
export const rolloutResources = (state: StackState): RolloutResource[] =>
  resourcesOfNumbers(state).flatMap((saved) => {
    const rollout = rolloutIn(saved.outputs.rollout);
    return rollout?.name === undefined ? [] : [{ saved, rollout, callers: callersOf(saved, state) }];
  });

/** The rollout of this name. @param entry what the config says of it, or what a run asked for */
export function stackRollout(name: string, entry: RolloutEntry, state: StackState): StackRollout {
  const { stack } = state;
  const resources = rolloutResources(state).filter(({ rollout }) => rollout.name === name);
  // A resource that a run was about to create is not in the state, and has inputs alone.
  const pending = openSteps(state).filter(
    ({ urn, inputs }) => resources.some(({ saved }) => saved.urn === urn) || rolloutIn(inputs.rollout)?.name === name,
  );
  const lacking = [
    ...pending.map((step) => pendingText(step, resourceTitle(step))),
    ...resources.flatMap((resource) => notAppliedOf(entry, resource)),
  ];
  const created = pending
    .filter(({ urn }) => !resources.some(({ saved }) => saved.urn === urn))
    .map(({ inputs }): Callers => {
      const split = splitIn(inputs.inboundAgents);
      return { numbers: shownNumbers(inputs), have: [undefined, split], wanted: split };
    });
  const times = resources
    .flatMap(({ saved }) => timeOf(saved.outputs.since))
    .toSorted((left, right) => right.getTime() - left.getTime());
  const isNowhere = resources.length === 0 && pending.length === 0;
  return {
    stack,
    name,
    entry,
    resources,
    numbers: resources.flatMap(({ saved }) => shownNumbers(saved.outputs)),
    notApplied: isNowhere
      ? [`no resource of stack ${stack} has the rollout ${name}`]
      : capped(
          lacking,
          5,
          (more) => `${counted(more, "more part")} of it ${more === 1 ? "is" : "are"} not as the config says`,
        ),
    callers: [...resources.flatMap((one) => one.callers), ...created],
    stopped: pending,
    since: lacking.length > 0 || times.length < resources.length ? undefined : times[0],
  };
}

/** What numbers of a resource have in place of the rollout that is wanted. */
function notAppliedOf(entry: Rollout, { saved, rollout, callers }: RolloutResource): string[] {
  const who = resourceTitle(saved);
  const total = shownNumbers(saved.outputs).length;
  const wanted = splitOf(entry);
  const others = callers.filter((one) => !haveSplit(one, wanted));
  const texts = others.map((one) => hasText(one, total, who));
  if (texts.length > 0) {
    return texts;
  }
  if (isAborted(entry) && rollout.aborted?.at !== entry.aborted.at) {
    return [`${who} does not have this abort yet`];
  }
  // They have the split, but another field of the same request failed.
  const missed = [...unappliedOf(stateIn(saved.outputs)).keys()];
  return missed.length === 0 ? [] : [hasText({ numbers: missed, have: [] }, total, who)];
}
