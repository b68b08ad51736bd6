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
import { counted, shortList } from "../../provider/words/message";
import { capped, present } from "../lists";
import { freezeReason, guardsIn, ROLLOUTS, type StackConfig, valuesOf } from "../pulumi/config";
import { type Pending, type SavedResource, type StackState, stateIn } from "../pulumi/state";
import { configName, ownCommand, pulumiCommand, type Target } from "../pulumi/target";
import { numbersIn, splitIn } from "../pulumi/values";
import {
  agentsReached,
  agentsSent,
  type Callers,
  callersOf,
  callersText,
  callsText,
  hasSplit,
  percentagesOf,
} from "./callers";
import {
  openOperations,
  pendingText,
  replacedResources,
  resourcesOfNumbers,
  resourceTitle,
  undeclaredNumbers,
} from "./resources";
import { timeOf, timeText } from "./time";

// --- rollouts in a config and in a saved state

/** Parses the rollout in a saved state. Returns undefined if the value isn't a rollout. */
export const rolloutIn = (value: unknown): Rollout | undefined => savedRollout.safeParse(value).data;

/**
 * Returns the rollouts in a config value, by name. Invalid rollouts are skipped. The value may be a JSON string,
 * because Pulumi prints a map in the config as JSON.
 */
export function rolloutsIn(value: unknown): Rollouts {
  const entries = typeof value === "string" ? parseJson(value) : value;
  const parsed = Object.entries(isObject(entries) ? entries : {}).map(
    ([name, entry]) => rollouts.safeParse({ [name]: entry }).data,
  );
  return Object.assign({}, ...parsed);
}

/** Returns the rollouts in a stack's config, by name. Invalid rollouts are skipped. */
export const configRollouts = (config: StackConfig): Rollouts => rolloutsIn(config[ROLLOUTS]?.value);

export const STEPS = `${NAMESPACE}:steps`;

/** Parses the `steps` setting. Returns undefined if the setting is missing or secret. */
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
 * Finds other uses of an aborted agent in the stack. Describes each in a phrase such as `NumberGroup "support" uses
 * agent_front@13 for outbound calls`. `isDeclared` is false if the program no longer gives the agent any calls there,
 * but its new split has not been applied.
 * @param name the name of the rollout in which the agent was aborted
 */
export function usesElsewhere(agent: string, name: string, state: StackState) {
  return resourcesOfNumbers(state).flatMap((saved) => {
    const title = resourceTitle(saved);
    const rollout = rolloutIn(saved.outputs.rollout)?.name;
    const total = numbersIn(saved.outputs).length;
    const groups = (rollout === name ? [] : callersOf(saved, state)).filter((group) =>
      percentagesOf(agent, [group]).some((percent = 0) => percent > 0),
    );
    const suffix = rollout === undefined ? "" : ` (rollout "${rollout}")`;
    const uses = [
      ...groups.map((group) => {
        const { wanted } = group;
        const isDeclared =
          wanted === undefined || percentagesOf(agent, [{ current: [wanted] }]).some((percent) => percent !== 0);
        const unapplied = isDeclared ? "" : ", because its new split has not been applied";
        return {
          isDeclared,
          text: `${callersText(group, total, title, isDeclared ? "" : "still ")}${suffix}${unapplied}`,
        };
      }),
      ...(outboundKey(stateIn(saved.outputs)) === agent
        ? [{ isDeclared: true, text: `${title} uses ${agent} for outbound calls` }]
        : []),
    ];
    return uses.map((use) => ({ ...use, saved, rollout: rollout === name ? undefined : rollout }));
  });
}

/**
 * Finds an abort in the saved state that the config lacks and would undo, for example because this clone doesn't have
 * the abort's commit.
 */
export function missingAbort({ name, entry, resources }: StackRollout, target: Target) {
  const newer = resources
    .flatMap(({ rollout }) => rollout.aborted ?? [])
    .find(({ agent, at }) => at > (entry.aborted?.at ?? "") && percentOfAgent(agent, entry) > 0);
  return newer === undefined
    ? undefined
    : {
        agent: newer.agent,
        problem: `according to the state, ${newer.agent} was aborted at ${timeText(new Date(newer.at))}, but ${configName(target)} does not contain this abort and would send calls to ${newer.agent} again.`,
        remedy: `Before you run \`pulumi up\`, get the commit of the abort, for example with \`git pull\`. If the commit is lost, run \`${commandToAbort(name, target)}\` again, and commit the config. Once the config contains the abort, you can send calls to ${newer.agent} again with \`${ownCommand(target, "promote", name)} --to ${newer.agent}\``,
      };
}

/**
 * Checks whether the saved state is ahead of the config: its candidate has a higher percentage, or it has the rollout
 * of a newer agent. For example, a clone may lack the commit of the last promotion, and `pulumi up` would then undo
 * that promotion. Returns the problem and its remedy, or undefined if the state isn't ahead.
 */
export function missingPromotion({ entry, resources }: StackRollout, target: Target) {
  const ahead = isAborted(entry)
    ? undefined
    : resources
        .filter((resource) => !isLeftBehind(resource, entry))
        .map(({ rollout }) => rollout)
        .find((rollout) => isLater(rollout, entry));
  if (ahead === undefined) {
    return undefined;
  }
  const config = configName(target);
  const difference =
    ahead.candidate === entry.candidate
      ? `${ahead.candidate} is at ${percentText(percentOf(ahead))}, but ${config} has ${percentText(percentOf(entry))}.`
      : `the rollout of ${ahead.candidate} has started, but ${config} has an earlier one, of ${entry.candidate}.`;
  return {
    problem: `according to the state, ${difference}`,
    remedy: `If your clone lacks the last promotion, run \`git pull\`. If callers are meant to go back, run \`${pulumiCommand(target, "up")}\`.`,
  };
}

/** Whether the first rollout follows the second one: a higher percentage, or the rollout of the next agent. */
const isLater = (first: Rollout, second: Rollout): boolean =>
  first.stable === second.stable && first.candidate === second.candidate
    ? percentOf(first) > percentOf(second)
    : first.candidate !== undefined &&
      first.stable === second.candidate &&
      // A `promote --to` back to the previous agent swaps the two agents. It is possible only once the rollout has
      // reached 100%, so a first rollout at 100% is the earlier one.
      (first.candidate !== second.stable || percentOf(first) < 100);

// --- a rollout of a stack

/** A stack's rollout as commands see it: the rollout in the config, and the saved state of its numbers. */
export interface StackRollout {
  readonly stack: string;
  readonly name: string;
  /** The configured rollout, which may not be applied to every number yet. */
  readonly entry: RolloutEntry;
  /** The saved resources that use this rollout. May be empty. */
  readonly resources: readonly RolloutResource[];
  readonly numbers: readonly string[];
  /**
   * The reasons why some numbers may not have the configured split. Empty only if all numbers are known to have it.
   */
  readonly notApplied: readonly string[];
  /**
   * Describes numbers that left the rollout and may still send calls to the agent that was aborted since, because
   * their new split, or the removal of their agents, has not been applied. An abort can't reach them.
   */
  readonly unreached: readonly string[];
  /**
   * The rollout's phone numbers, grouped by the splits that may be in effect for them. These include splits that a
   * stopped run may have sent.
   */
  readonly callers: readonly Callers[];
  /**
   * The rollout's agents: those in the config and the saved rollouts, and those in splits that its resources or a
   * stopped run may have sent. A number that has moved here from another resource may still have other agents.
   */
  readonly agents: ReadonlySet<string>;
  /**
   * The operations on this rollout's resources that a stopped run left pending. Some of the resources may not be in the
   * saved state yet.
   */
  readonly stopped: readonly Pending[];
  /**
   * When the last number received the configured split. Numbers that join a resource later don't count. Undefined if
   * `notApplied` isn't empty, or if a resource's time isn't known.
   */
  readonly since: Date | undefined;
}

/**
 * Returns the reason why the configured rollout can be applied only with a bypass: the stack is frozen, or an abort
 * returns to an agent that isn't approved. The stable agent of a saved resource needs no approval. Other guards aren't
 * checked.
 */
export function whyBypassNeeded(
  { entry, resources }: Pick<StackRollout, "entry" | "resources">,
  config: StackConfig,
): string | undefined {
  const freeze = freezeReason(config);
  const to = isAborted(entry) ? entry.aborted.to : undefined;
  const { approvedAgents = [] } = guardsIn(valuesOf(config));
  const isAllowed =
    to === undefined || approvedAgents.includes(to) || resources.some(({ rollout }) => rollout.stable === to);
  const unapproved = isAllowed ? undefined : `${to} is not approved`;
  return freeze === undefined ? unapproved : `the stack is frozen (${freeze})`;
}

/** Returns the command that sends all calls back to a rollout's stable agent. */
export const commandToAbort = (name: string, target: Target): string => `${ownCommand(target, "abort", name)} --up`;

/**
 * Returns the command that applies the configured rollout. For an abort, it is `abort --up`, which leaves the rest of
 * the program alone.
 */
export const applyCommand = ({ name, entry }: Pick<StackRollout, "name" | "entry">, target: Target): string =>
  isAborted(entry) ? commandToAbort(name, target) : pulumiCommand(target, "up");

/**
 * Whether the resource option `ignoreChanges` may keep the configured split from some of the numbers. It doesn't stop
 * an abort.
 */
export const isLeftBehind = ({ saved, callers }: RolloutResource, entry: RolloutEntry): boolean =>
  !isAborted(entry) &&
  saved.ignoreChanges.some((path) => path === "*" || /^(\[")?rollout\b/.test(path)) &&
  callers.some((group) => !hasSplit(group, splitOf(entry)));

/** A saved resource that uses a rollout. */
export interface RolloutResource {
  readonly saved: SavedResource;
  /** The rollout that the last run declared. */
  readonly rollout: Rollout;
  readonly callers: readonly Callers[];
}

/** Returns every saved resource that uses a rollout. */
export const rolloutResources = (state: StackState): RolloutResource[] =>
  resourcesOfNumbers(state).flatMap((saved) => {
    const rollout = rolloutIn(saved.outputs.rollout);
    return rollout?.name === undefined ? [] : [{ saved, rollout, callers: callersOf(saved, state) }];
  });

/**
 * Compares a rollout with the saved state of its numbers.
 * @param entry the rollout as it is in the config, or as it was in the config of an earlier run
 */
export function stackRollout(name: string, entry: RolloutEntry, state: StackState): StackRollout {
  const { stack } = state;
  const resources = rolloutResources(state).filter(({ rollout }) => rollout.name === name);
  // The pending operations may include creates. A resource that was being created isn't in the saved state, so its
  // rollout is known only from the operation's inputs.
  const pending = openOperations(state).filter(
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
      ? [`no resource of stack ${stack} uses the rollout "${name}"`]
      : capped(
          lacking,
          5,
          (more) => `${counted(more, "more part")} of the rollout ${more === 1 ? "differs" : "differ"} from the config`,
        ),
    unreached: isAborted(entry) ? unreachedOf(name, entry, entry.aborted.agent, state) : [],
    callers: [...resources.flatMap((resource) => resource.callers), ...created],
    agents: new Set([
      ...[entry, ...resources.map(({ rollout }) => rollout)].flatMap(({ stable, candidate }) =>
        present([stable, candidate]),
      ),
      ...resources.flatMap(({ saved }) => agentsSent(saved, state)),
      ...agentsReached(created).map(({ agent }) => agent),
    ]),
    stopped: pending,
    since: lacking.length > 0 || times.length < resources.length ? undefined : times[0],
  };
}

/**
 * Describes numbers that may still send calls to the aborted agent, but have left the rollout's resources. They belong
 * to a resource that was replaced but not deleted yet.
 */
function unreachedOf(name: string, entry: RolloutEntry, aborted: string, state: StackState): string[] {
  const replaced = replacedResources(state).filter(({ outputs }) => rolloutIn(outputs.rollout)?.name === name);
  const undeclared = replaced.flatMap((saved) => {
    const numbers = new Set(undeclaredNumbers(stateIn(saved.outputs), state));
    return groupsWith(numbers, saved, state)
      .filter((group) => !hasSplit(group, splitOf(entry)))
      .map(
        (group) =>
          `${shortList(group.numbers)} ${callsText(group, group.numbers.length > 1, "still ")}, although no other resource in the state declares ${group.numbers.length === 1 ? "this number" : "these numbers"}`,
      );
  });
  const left = new Set(replaced.flatMap(({ outputs }) => numbersIn(outputs)));
  const moved = resourcesOfNumbers(state)
    .filter(({ outputs }) => rolloutIn(outputs.rollout)?.name !== name)
    .flatMap((saved) =>
      groupsWith(left, saved, state)
        .filter((group) => group.wanted !== undefined)
        .filter((group) => percentagesOf(aborted, [group]).some((percent) => percent !== 0))
        .map(
          (group) =>
            `${shortList(group.numbers)} ${callsText(group, group.numbers.length > 1, "still ")}, because ${resourceTitle(saved)} has not been applied to ${group.numbers.length === 1 ? "it" : "them"}`,
        ),
    );
  return [...undeclared, ...moved];
}

/** Returns the groups of a resource's callers, reduced to the given numbers. */
const groupsWith = (numbers: ReadonlySet<string>, saved: SavedResource, state: StackState): Callers[] =>
  callersOf(saved, state)
    .map((group) => ({ ...group, numbers: group.numbers.filter((number) => numbers.has(number)) }))
    .filter((group) => group.numbers.length > 0);

/**
 * Describes the first kind of change that some of the resource's numbers may lack: the configured split, then the
 * abort, then other fields of the last request.
 */
function notAppliedOf(entry: Rollout, { saved, rollout, callers }: RolloutResource): string[] {
  const title = resourceTitle(saved);
  const total = numbersIn(saved.outputs).length;
  const wanted = splitOf(entry);
  const others = callers.filter((group) => !hasSplit(group, wanted));
  const texts = others.map((group) => callersText(group, total, title, "still "));
  if (texts.length > 0) {
    return texts;
  }
  if (isAborted(entry) && rollout.aborted?.at !== entry.aborted.at) {
    return [`this abort has not been applied to ${title} yet`];
  }
  // All numbers have the configured split, but some may lack other fields of the last request, such as the webhook.
  const missed = [...unappliedOf(stateIn(saved.outputs)).keys()];
  return missed.length === 0 ? [] : [callersText({ numbers: missed, current: [] }, total, title)];
}
