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
import { freezeReason, type StackConfig, settingsIn, valuesOf } from "../pulumi/config";
import { type Pending, type SavedResource, type StackState, stateIn } from "../pulumi/state";
import { numbersIn, splitIn } from "../pulumi/values";
import { type Callers, callersOf, callersText, hasSplit, percentagesOf } from "./callers";
import { openSteps, pendingText, resourcesOfNumbers, resourceTitle } from "./resources";
import { timeOf } from "./time";

// --- what a config and a state say of rollouts

/** Parses the rollout in a saved state; undefined if it isn't one. */
export const rolloutIn = (value: unknown): Rollout | undefined => savedRollout.safeParse(value).data;

/** The rollouts in a config value, by name. Pulumi prints a map in the config as JSON. Invalid entries are skipped. */
export function rolloutsIn(value: unknown): Rollouts {
  const entries = typeof value === "string" ? parseJson(value) : value;
  const parsed = Object.entries(isObject(entries) ? entries : {}).map(
    ([name, entry]) => rollouts.safeParse({ [name]: entry }).data,
  );
  return Object.assign({}, ...parsed);
}

export const STEPS = `${NAMESPACE}:steps`;

/** The parsed `steps` setting; undefined if it is unset or secret. */
export function stepsIn(config: StackConfig) {
  const { value } = config[STEPS] ?? {};
  return value === undefined ? undefined : steps.safeParse(parseJson(value));
}

/** The candidate's percentage, or 0 if there is no candidate. */
export const percentOf = ({ candidate, percent = 0 }: Rollout): number => (candidate === undefined ? 0 : percent);

/** The percentage of calls that an agent receives. */
export function percentOfAgent(agent: string, rollout: Rollout): number {
  const percent = percentOf(rollout);
  if (agent === rollout.candidate) {
    return percent;
  }
  return agent === rollout.stable ? 100 - percent : 0;
}

export const percentText = (percent: number): string => `${round(percent)}%`;

/**
 * Resources outside this rollout that use the agent, including for outbound calls, each with an unpunctuated sentence.
 * Aborting the rollout doesn't take the agent away from them. Outbound use by the rollout's own resources is included
 * too.
 */
export function usesElsewhere(agent: string, name: string, state: StackState) {
  return resourcesOfNumbers(state).flatMap((saved) => {
    const title = resourceTitle(saved);
    const rollout = rolloutIn(saved.outputs.rollout)?.name;
    const total = numbersIn(saved.outputs).length;
    const groups =
      rollout === name
        ? []
        : callersOf(saved, state).filter((group) => percentagesOf(agent, [group]).some((percent = 0) => percent > 0));
    const suffix = rollout === undefined ? "" : `, in the rollout ${rollout}`;
    const texts = [
      ...groups.map((group) => `${callersText(group, total, title)}${suffix}`),
      ...(outboundKey(stateIn(saved.outputs)) === agent ? [`${title} makes its outbound calls with it`] : []),
    ];
    return texts.map((text) => ({ saved, rollout: rollout === name ? undefined : rollout, text }));
  });
}

// --- a rollout of a stack

/**
 * A rollout from a command's point of view: what the stack's config asks for, and what the saved state says about its
 * numbers.
 */
export interface StackRollout {
  readonly stack: string;
  readonly name: string;
  /** What the config asks for. */
  readonly entry: RolloutEntry;
  /** The resources that use this rollout; may be empty. */
  readonly resources: readonly RolloutResource[];
  readonly numbers: readonly string[];
  /**
   * Why some of its numbers may lack what the config asks for, as unpunctuated sentences; empty if all of them
   * certainly have it.
   */
  readonly notApplied: readonly string[];
  /** The splits callers may reach. A resource that a stopped run was about to create may have what that run sent. */
  readonly callers: readonly Callers[];
  /** Steps that were under way when a run was stopped, for these resources or for one missing from the state. */
  readonly stopped: readonly Pending[];
  /**
   * When the last of its numbers got its split; undefined if a number may lack it, or if a resource doesn't record the
   * time.
   */
  readonly since: Date | undefined;
}

/**
 * Why `pulumi up` refuses the configured rollout unless the operator gives a reason; undefined if it doesn't. The
 * guards let an abort return to an agent that wasn't the stable one only if that agent is approved.
 */
export function refusedWithoutReason(
  { entry, resources }: Pick<StackRollout, "entry" | "resources">,
  config: StackConfig,
): string | undefined {
  const freeze = freezeReason(config);
  const to = isAborted(entry) ? entry.aborted.to : undefined;
  const { approvedAgents = [] } = settingsIn(valuesOf(config)).guards;
  const isAllowed =
    to === undefined || approvedAgents.includes(to) || resources.some(({ rollout }) => rollout.stable === to);
  const unapproved = isAllowed ? undefined : `${to} is not approved`;
  return freeze === undefined ? unapproved : `the stack is frozen (${freeze})`;
}

/** Does `ignoreChanges` keep the configured rollout from the resource's callers? An abort still reaches them. */
export const isLeftBehind = ({ saved, callers }: RolloutResource, entry: RolloutEntry): boolean =>
  !isAborted(entry) &&
  saved.ignoreChanges.some((path) => path === "*" || /^(\[")?rollout\b/.test(path)) &&
  callers.some((group) => !hasSplit(group, splitOf(entry)));

/** A saved resource with a rollout. */
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
      return { numbers: numbersIn(inputs), current: [undefined, split], wanted: split };
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
    numbers: resources.flatMap(({ saved }) => numbersIn(saved.outputs)),
    notApplied: isNowhere
      ? [`no resource of stack ${stack} has the rollout ${name}`]
      : capped(
          lacking,
          5,
          (more) => `${counted(more, "more part")} of it ${more === 1 ? "is" : "are"} not as the config says`,
        ),
    callers: [...resources.flatMap((resource) => resource.callers), ...created],
    stopped: pending,
    since: lacking.length > 0 || times.length < resources.length ? undefined : times[0],
  };
}

/** What numbers of a resource have in place of the rollout that is wanted. */
function notAppliedOf(entry: Rollout, { saved, rollout, callers }: RolloutResource): string[] {
  const title = resourceTitle(saved);
  const total = numbersIn(saved.outputs).length;
  const wanted = splitOf(entry);
  const others = callers.filter((group) => !hasSplit(group, wanted));
  const texts = others.map((group) => callersText(group, total, title));
  if (texts.length > 0) {
    return texts;
  }
  if (isAborted(entry) && rollout.aborted?.at !== entry.aborted.at) {
    return [`${title} does not have this abort yet`];
  }
  // They have the split, but another field of the same request failed.
  const missed = [...unappliedOf(stateIn(saved.outputs)).keys()];
  return missed.length === 0 ? [] : [callersText({ numbers: missed, current: [] }, total, title)];
}
