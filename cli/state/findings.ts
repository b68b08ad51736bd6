import { same } from "../../provider/base/json";
import { printable } from "../../provider/base/text";
import { NAMESPACE, PUBLIC_KEYS, unknownSettings } from "../../provider/config/keys";
import { isOfNumbers, type PostedKind, postedAs } from "../../provider/config/kinds";
import { noSuchSettings, secretSettings } from "../../provider/config/messages";
import { BASE_URL_ENV, readSettings, TOKEN_ENV } from "../../provider/config/settings";
import { judgeLosses } from "../../provider/numbers/guards";
import { planMembers } from "../../provider/numbers/plan";
import { membersOf } from "../../provider/routing/group";
import { isAborted, isNewAbort, splitOf } from "../../provider/routing/rollout";
import type { Rollout } from "../../provider/routing/types";
import { adoptArgument, notApplied, settingRefused, UNAPPLIED, waysToResolve } from "../../provider/run/messages";
import type { Code } from "../../provider/words/codes";
import { counted, shortList } from "../../provider/words/message";
import { CLI } from "../command";
import { capped, groupBy, present } from "../lists";
import { guardsIn, ROLLOUTS, valuesOf } from "../pulumi/config";
import { configOf, isAbort, isFailedDestroy, type LastRun, runTitle } from "../pulumi/history";
import type { KnownStack } from "../pulumi/stacks";
import { type Pending, type SavedResource, type StackState, stateIn } from "../pulumi/state";
import { ownCommand, pulumiCommand, withBypass } from "../pulumi/target";
import { numbersIn } from "../pulumi/values";
import { shellText } from "../shell";
import { hasSplit } from "./callers";
import {
  isCreatedSince,
  isPosting,
  openOperations,
  pendingText,
  resourcesOfNumbers,
  resourceTitle,
  type SavedEntry,
  sharedNumbers,
  undeclaredNumbers,
} from "./resources";
import {
  commandToAbort,
  configRollouts,
  isLeftBehind,
  missingAbort,
  missingPromotion,
  percentOf,
  type RolloutResource,
  rolloutIn,
  rolloutsIn,
  type StackRollout,
  stackRollout,
  usesElsewhere,
  whyBypassNeeded,
} from "./stackRollout";
import { timeText } from "./time";

/** A problem or note that `doctor` and the board show together with its remedy. */
export interface Finding {
  readonly code?: Code;
  readonly problem: string;
  /** Lines to print below the problem: the errors that the last run saved. */
  readonly details?: readonly string[];
  /** What to do about the problem, as sentences. Each of them is a step or an alternative. */
  readonly remedy: readonly string[];
  /** The topic for which `help` prints more details. */
  readonly help?: string;
  /** The URN of the affected resource. */
  readonly urn?: string;
  /** All affected numbers. */
  readonly numbers?: readonly string[];
  /**
   * The URN of a voice or chat that a stopped run may have created already. The next `pulumi up` would create it again.
   */
  readonly sendsAgain?: string;
  /** Set if the last deployment failed and the state doesn't say why. It may have created a voice or chat. */
  readonly isUnexplained?: true;
  /** Set if the reported situation may be intended. The finding is then shown as a note instead of a problem. */
  readonly isNote?: true;
}

/** Returns the stack together with its configured rollouts, each compared with the saved state of its numbers. */
const withRollouts = (known: KnownStack) => ({
  ...known,
  rollouts: Object.entries(configRollouts(known.config)).map(([name, entry]) => stackRollout(name, entry, known.state)),
});

type ComparedStack = ReturnType<typeof withRollouts>;

/** Finds the problems in each stack's last run, saved state and config, ordered by their possible effect on callers. */
export function findingsOf(known: readonly KnownStack[]): Finding[] {
  const stacks = known.map(withRollouts);
  const findings = [
    ...stacks.flatMap(afterMissingAbort(lastRunFindings)),
    ...stacks.flatMap(abortNotes),
    ...stacks.flatMap(lackedBy(missingAbort)),
    ...stacks.flatMap(lackedBy(missingPromotion, { isNote: true })),
    ...stacks.flatMap(afterMissingAbort(ignoredRollouts)),
    ...stacks.flatMap(settingsFindings),
    ...stacks.flatMap(
      afterMissingAbort((stack) => stack.state.pending.map((pending) => pendingFinding(pending, stack))),
    ),
    ...stacks.flatMap(
      afterMissingAbort((stack) => stack.state.resources.flatMap((saved) => resourceFindings(saved, stack))),
    ),
    ...sharedNumbers(stacks.map(({ state }) => state)).map(sharedFinding),
    ...stacks.filter(({ config }) => config[TOKEN_KEY]?.secret === false).map(plainTokenFinding),
  ].toSorted((left, right) => effectRank(left) - effectRank(right));
  return findings.map((finding) => ({
    ...finding,
    problem: printable(finding.problem),
    remedy: finding.remedy.map(printable),
  }));
}

/**
 * Ranks a finding: first voices and chats that may be created twice, then numbers whose callers may reach the wrong
 * agents. Notes come last.
 */
function effectRank({ sendsAgain, numbers = [], code, help, isNote }: Finding): number {
  if (isNote) {
    return 4;
  }
  const ranks = [sendsAgain !== undefined, numbers.length > 0, code !== undefined || help !== undefined, true];
  return ranks.indexOf(true);
}

/** Returns a resource's label in findings, such as `prod: NumberGroup "support"`. */
const label = ({ target }: StackState, resource: Pick<Pending, "kind" | "name">): string =>
  `${target.stack}: ${resourceTitle(resource)}`;

/** Returns the stack's `pulumi up` command in backquotes, ready to copy. */
const upCommand = ({ target }: StackState): string => `\`${pulumiCommand(target, "up")}\``;

/**
 * Returns, in backquotes, the command to repeat after a failed run. After a failed destroy, `pulumi up` would start
 * deleted chats again.
 */
const resumeCommand = ({ state, lastRun }: KnownStack): string =>
  isFailedDestroy(lastRun) ? `\`${pulumiCommand(state.target, "destroy")}\`` : upCommand(state);

/**
 * Returns the words before a command in a remedy. If the command may create a voice or chat a second time, they tell
 * the user to look for it first.
 */
const runFirst = (state: StackState): string =>
  openOperations(state).some(isPosting) ? "First check whether the voice or chat above was created, then run" : "Run";

/**
 * Reports that the last run failed, that aborts in the config weren't applied, or both. Both together are a single
 * finding, whose remedy is to apply the aborts.
 */
function lastRunFindings({ state, config, lastRun, rollouts }: ComparedStack): Finding[] {
  // After a failed destroy, leave out the aborts and only advise finishing the destroy, which unassigns the numbers'
  // agents anyway.
  const aborts = isFailedDestroy(lastRun) ? [] : abortsNotApplied(rollouts);
  const skipped = [...aborts, ...rollouts.filter((rollout) => wasAbortedAfter(lastRun, rollout))];
  const failed = runFailure(state, lastRun, new Set(skipped.map(({ name }) => name)));
  if (aborts.length === 0 && failed === undefined) {
    return [];
  }
  const applyText = (abort: StackRollout) => {
    const reason = whyBypassNeeded(abort, config);
    const command = commandToAbort(abort.name, state.target);
    return reason === undefined
      ? `To apply the abort, run \`${command}\``
      : `Because ${reason}, you must give a reason to apply the abort: \`${withBypass(command)}\``;
  };
  const abortProblems = aborts.map(
    ({ name, notApplied }) =>
      `the abort of the rollout "${name}" is in the config but not applied: ${notApplied.join("; ")}`,
  );
  // The hint about a killed provider comes before a command that repeats the run, because a voice or chat may exist. An
  // abort creates neither, so its command may come first.
  const abortTexts = aborts.length > 0 ? aborts.map(applyText) : (failed?.lackingAborts ?? []);
  const remedies = present([
    ...(abortTexts.length === 0 ? [failed?.killed, failed?.again] : abortTexts),
    abortTexts.length > 0 &&
      state.pending.length > 0 &&
      `If Pulumi says that the stack is locked although no run is active, run ${cancelCommand(state)}`,
    abortTexts.length > 0 && failed?.killed,
    ...(failed?.hints ?? []),
  ]);
  const numbers = aborts.flatMap((abort) => abort.numbers);
  return [
    {
      problem: [
        `${state.target.stack}: ${(aborts.length === 0 ? present([failed?.problem]) : abortProblems).join("; ")}.`,
        ...(aborts.length > 0 && failed !== undefined ? [`In addition, ${failed.problem}.`] : []),
        ...(failed?.sentences ?? []),
      ].join(" "),
      ...failed?.fields,
      remedy: remedies,
      numbers,
    },
  ];
}

/** Whether the rollout was aborted after this run. If so, the run's split is no longer wanted. */
const wasAbortedAfter = (run: LastRun | undefined, { resources }: StackRollout): boolean =>
  run !== undefined &&
  resources.some(({ rollout: { aborted } }) => aborted !== undefined && new Date(aborted.at) > run.startTime);

/**
 * Finds aborts in the config that may not have reached every number. Unapplied promotions aren't reported, because
 * their pull requests usually aren't merged yet.
 */
const abortsNotApplied = (rollouts: readonly StackRollout[]) =>
  rollouts.flatMap((abort) => {
    const { entry, resources } = abort;
    const lacks = ({ rollout, callers }: RolloutResource) =>
      isNewAbort(rollout, entry) || callers.some((group) => !hasSplit(group, splitOf(entry)));
    const without = isAborted(entry) ? resources.filter(lacks) : [];
    const numbers = without.flatMap(({ saved }) => numbersIn(saved.outputs));
    return without.length === 0 ? [] : [{ ...abort, numbers }];
  });

/**
 * Reports other uses of an aborted agent that the program declares in the stack. They are notes, because those numbers
 * may be meant to keep the agent, for example after `abort --to`.
 */
const abortNotes = ({ state, rollouts }: ComparedStack): Finding[] =>
  rollouts.flatMap(({ name, entry }) => {
    const uses = isAborted(entry) ? usesElsewhere(entry.aborted.agent, name, state) : [];
    // Another finding reports a split that has not been applied.
    return uses
      .filter(({ isDeclared }) => isDeclared)
      .map(({ saved, rollout, text }) => ({
        problem: `${state.target.stack}: ${entry.aborted?.agent} was aborted in the rollout "${name}", but is still used elsewhere: ${text}.`,
        remedy: [
          rollout === undefined
            ? `To stop using the agent there as well, change the program and run ${upCommand(state)}.`
            : `To stop using the agent there as well, run \`${commandToAbort(rollout, state.target)}\`. All calls of the rollout "${rollout}" then go to its stable agent.`,
        ],
        urn: saved.urn,
        numbers: numbersIn(saved.outputs),
        isNote: true as const,
      }));
  });

/**
 * Returns a function that reports what the config lacks and the next run would undo: an abort, which is a problem, or a
 * promotion, which is a note because callers may be meant to go back.
 */
const lackedBy =
  (find: typeof missingAbort | typeof missingPromotion, more: Pick<Finding, "isNote"> = {}) =>
  ({ state, rollouts }: ComparedStack): Finding[] =>
    rollouts.flatMap((rollout) =>
      present([find(rollout, state.target)]).map(({ problem, remedy }) => ({
        problem: `${state.target.stack}: ${problem}`,
        remedy: [remedy],
        numbers: rollout.numbers,
        ...more,
      })),
    );

/**
 * If the config lacks an abort, makes every remedy that mentions `pulumi up` start with getting that abort. Otherwise,
 * that `pulumi up` would send calls to the aborted agent again. After a failed destroy, no remedy recommends it.
 */
const afterMissingAbort =
  (find: (stack: ComparedStack) => Finding[]) =>
  (stack: ComparedStack): Finding[] =>
    !isFailedDestroy(stack.lastRun) &&
    stack.rollouts.some((rollout) => missingAbort(rollout, stack.state.target) !== undefined)
      ? find(stack).map(({ remedy, ...finding }) => ({
          ...finding,
          remedy: remedy.some((line) => line.includes("pulumi up")) ? [GET_ABORT_FIRST, ...remedy] : remedy,
        }))
      : find(stack);

const GET_ABORT_FIRST = "Before you run `pulumi up`, get the commit of the missing abort, which that run would undo.";

/** Reports resources whose `ignoreChanges` keeps the configured rollout from reaching their numbers. */
const ignoredRollouts = ({ state, rollouts }: ComparedStack): Finding[] =>
  rollouts.flatMap(({ name, entry, resources }) =>
    resources
      .filter((resource) => isLeftBehind(resource, entry))
      .map(({ saved }) => ({
        problem: `${label(state, saved)}: the resource option \`ignoreChanges\` keeps the configured rollout "${name}" from reaching this resource's numbers.`,
        remedy: [
          `Change that option so that it no longer covers \`rollout\` and \`inboundAgents\`, and run ${upCommand(state)}, which sends the configured split.`,
        ],
        urn: saved.urn,
        numbers: numbersIn(saved.outputs),
      })),
  );

// --- settings

/**
 * Reports that some settings make every preview fail. The finding shows only the first of them, because the preview
 * itself lists them all.
 */
function settingsFindings({ state: { target, project }, config, env }: KnownStack): Finding[] {
  const entryOf = (key: string) => config[`${NAMESPACE}:${key}`];
  // Don't read the token, because a preview works without it.
  const read = readSettings({ get: (key) => entryOf(key)?.value, env: { [BASE_URL_ENV]: env[BASE_URL_ENV] } });
  const refused = [
    ...("problems" in read ? read.problems : []).map(settingRefused),
    ...PUBLIC_KEYS.filter((key) => entryOf(key)?.secret === true).map((key) => secretSettings([key])),
    ...unknownSettings(Object.keys(config), project).map((key) => noSuchSettings([key])),
  ];
  const [first] = refused;
  const set = pulumiCommand(target, "config", "set", BASE_URL_KEY, "https://…");
  return first === undefined
    ? []
    : [
        {
          code: first.code,
          problem: `${target.stack}: every preview of this stack fails because of its settings: ${first.lines.join(" ")}`,
          remedy: present([
            first.code === "AGP-010" &&
              `Set the base URL with \`${set}\`, or set ${BASE_URL_ENV} on this machine to the value that your deployments use.`,
            `To see each wrong setting and how to correct it, run \`${pulumiCommand(target, "preview")}\``,
          ]),
        },
      ];
}

const BASE_URL_KEY = `${NAMESPACE}:baseUrl`;
const TOKEN_KEY = `${NAMESPACE}:accessToken`;
const plainTokenFinding = ({ state: { target } }: KnownStack): Finding => ({
  problem: `${target.stack}: the access token is in the config in plain text.`,
  remedy: [
    `Create a new token, and store it with \`${pulumiCommand(target, "config", "set", "--secret", TOKEN_KEY)}\` or in ${TOKEN_ENV}.`,
  ],
});

/** What to do first if the last run failed for an unknown reason, because a voice or chat may exist. */
export const KILLED_HINT = `If the errors said EOF or "transport is closing", first run \`${CLI} help killed-run\``;

/** Returns the resources whose saved errors explain why the last run failed. */
export const failedResources = ({ resources }: StackState, last: LastRun): SavedResource[] =>
  resources.filter(({ modified, errors }) => errors.length > 0 && modified && modified >= last.startTime);

/**
 * Describes the last run's failure, if it failed. Also names the numbers that it may have left unchanged: those whose
 * saved split differs from that run's config.
 * @param skipped the names of rollouts to skip, because their aborts are already reported as not applied, or because
 * they were aborted after the run
 */
function runFailure(state: StackState, last: LastRun | undefined, skipped: ReadonlySet<string>) {
  const { target, resources } = state;
  if (last?.result !== "failed") {
    return undefined;
  }
  const verb = isFailedDestroy(last) ? "destroy" : "up";
  const rollouts = verb === "up" ? Object.entries(rolloutsIn(configOf(last, ROLLOUTS))) : [];
  // Skip resources with pending operations or unapplied numbers, because separate findings report them.
  const isReported = ({ urn, outputs }: SavedResource) =>
    outputs.unapplied !== undefined || state.pending.some((pending) => pending.urn === urn);
  const others = { ...state, resources: resources.filter((saved) => !isReported(saved)), pending: [] };
  const lacking = rollouts
    .filter(([name]) => !skipped.has(name))
    .map(([name, rollout]) => stackRollout(name, rollout, others))
    .filter((rollout) => rollout.resources.length > 0 && rollout.notApplied.length > 0);
  const failed = failedResources(state, last);
  // If the provider process was killed, for example, the state contains no error that explains the failure.
  const isExplained = failed.length > 0;
  const notApplied = lacking.flatMap((rollout) => rollout.notApplied);
  // An unresolved voice or chat has a separate finding.
  const details = errorLines(
    failed.filter(({ outputs }) => outputs.unresolved !== true).flatMap(({ errors }) => errors),
  );
  // An abort creates no voice and no chat.
  const mayHaveSent = !isExplained && !isAbort(last);
  return {
    killed: mayHaveSent && KILLED_HINT,
    /** Further fields of the finding. */
    fields: { ...(details.length > 0 && { details }), ...(mayHaveSent && { isUnexplained: true as const }) },
    problem: `${runTitle(last)} failed at ${timeText(last.startTime)}`,
    sentences: present([
      !isExplained && "Pulumi's history does not say why.",
      verb === "destroy" &&
        resources.some(({ kind }) => isOfNumbers(kind)) &&
        "Numbers of a group that was partly cleared may have no agents, although the state still contains agents for them.",
      notApplied.length > 0 &&
        `According to the state, not every number has the split that the run was to apply: ${notApplied.join("; ")}.`,
    ]),
    // This clone's config may lack the aborts in the run's config, so `pulumi up` would not apply them.
    lackingAborts: lacking
      .filter(({ entry }) => isAborted(entry))
      .map(({ name }) => `To apply the abort of the rollout "${name}", run \`${commandToAbort(name, target)}\``),
    again: againText(state, verb, isExplained),
    hints: present([
      !isExplained && `If the errors said 401, the token is not valid. Run \`${CLI} help troubleshooting\``,
      !isExplained && `If the errors have a code, such as AGP-024, run \`${CLI} help AGP-024\``,
      verb === "destroy" && `Do not run \`pulumi up\` instead: ${STARTS_AGAIN}`,
      verb === "destroy" &&
        `A destroy uses the token in the saved state. If that token is no longer valid, set ${TOKEN_ENV}.`,
      ...lacking.flatMap(({ name, entry }) => abortHint({ ...entry, name }, state)),
    ]),
  };
}

/** Says to repeat the command that failed. */
function againText(state: StackState, verb: "up" | "destroy", isExplained: boolean): string {
  const again = `${runFirst(state)} \`${pulumiCommand(state.target, verb)}\` until it succeeds.`;
  const run = verb === "up" ? "deployment" : "destroy";
  return isExplained
    ? again
    : `${again} Its errors explain what to do. If that ${run} was only stopped with Ctrl-C, there are no errors.`;
}

/** Returns the lines of the first two saved errors, and how many more there are. */
function errorLines(errors: readonly string[]): string[] {
  const shown = capped(errors, 2, (count) => `and ${counted(count, "more error")}`);
  return shown.flatMap((message) => message.trim().split("\n")).map(printable);
}

/** Suggests the command that aborts the rollout, if the rollout gives its candidate any calls. */
const abortHint = (rollout: Rollout | undefined, state: StackState): string[] =>
  rollout?.name !== undefined && percentOf(rollout) > 0
    ? [`To abort the rollout "${rollout.name}", run \`${commandToAbort(rollout.name, state.target)}\``]
    : [];

// --- findings about a single resource

function resourceFindings(saved: SavedResource, known: ComparedStack): Finding[] {
  const { state } = known;
  const title = label(state, saved);
  const findings = [
    ...unresolvedFinding(saved, title, known),
    ...(saved.isLeftover ? [leftoverFinding(saved, title, known)] : unappliedFinding(saved, title, known)),
  ];
  const failed = {
    problem: `${title}: the last operation on this resource failed, so its last change may not have been applied.`,
    remedy: [`${runFirst(state)} ${resumeCommand(known)}, which repeats the operation.`],
  };
  return (findings.length === 0 && saved.errors.length > 0 ? [failed] : findings).map((finding) => ({
    ...finding,
    urn: saved.urn,
  }));
}

/** Says how to remove a voice or chat in the platform's web application, where the user has just found it. */
const removalThere = (kind: PostedKind): string =>
  postedAs(kind).ends ? "end it there" : "remove it there, unless something else uses it";

function unresolvedFinding({ id, kind, outputs }: SavedResource, title: string, known: KnownStack): Finding[] {
  if (isOfNumbers(kind) || !(outputs.unresolved === true || id.startsWith("unresolved-"))) {
    return [];
  }
  const { noun, named, foundBy } = postedAs(kind);
  const { [foundBy]: value } = outputs;
  const subject = typeof value === "string" ? named(value) : noun;
  const where = `workspace ${outputs.workspaceId}`;
  // After a failed destroy, tell the user to finish the destroy. Setting an argument would have no effect on it, and
  // `pulumi up` would start deleted chats again.
  const remedy = isFailedDestroy(known.lastRun)
    ? [
        `Check that workspace. If the ${noun} exists, ${removalThere(kind)}.`,
        `Then run ${resumeCommand(known)}, which removes this entry from the state and sends nothing for it.`,
      ]
    : present([
        `Check that workspace, then set one of these arguments in the program and run ${upCommand(known.state)}:`,
        ...waysToResolve(kind, id),
        openOperations(known.state).some(({ operation }) => operation === "deleting") &&
          "After a killed `pulumi destroy`, set no argument and do not run `pulumi up`: rerun the destroy, which removes this entry and sends nothing for it.",
      ]);
  return [
    {
      code: "AGP-041",
      problem: `${title}: unresolved, because the outcome of its POST in an earlier run is unknown. The ${subject} may or may not exist in ${where}.`,
      remedy,
    },
  ];
}

/**
 * Says which command to run for numbers whose last change wasn't applied.
 * @param abort the name of the numbers' rollout, if that rollout is aborted
 */
function resumeText(abort: string | undefined, known: KnownStack): string {
  const { state, lastRun } = known;
  if (isFailedDestroy(lastRun)) {
    return `${runFirst(state)} ${resumeCommand(known)}, because the last run was a destroy.`;
  }
  // Suggest `abort --up`, which applies only the abort. `pulumi up` would apply the rest of the program as well.
  return abort === undefined
    ? `${runFirst(state)} ${upCommand(state)}, which sends the routing again.`
    : `Run \`${commandToAbort(abort, state.target)}\`, which sends the stable split to these numbers.`;
}

function unappliedFinding({ outputs }: SavedResource, title: string, known: ComparedStack): Finding[] {
  const { state, rollouts } = known;
  const byReason = groupBy(stateIn(outputs).unapplied ?? [], ({ reason }) => reason).map((alike) => ({
    numbers: alike.flatMap((part) => [...membersOf(part).keys()]).sort(),
    reason: alike[0].reason,
  }));
  const rollout = rolloutIn(outputs.rollout);
  const abort = rollouts.find(({ name, entry }) => name === rollout?.name && isAborted(entry))?.name;
  const resume = resumeText(abort, known);
  const texts = byReason.map(({ numbers, reason }) => `${shortList(numbers)} (${UNAPPLIED[reason]})`);
  const count = byReason.reduce((sum, { numbers }) => sum + numbers.length, 0);
  return byReason.length === 0
    ? []
    : [
        {
          code: "AGP-044",
          problem: `${title}: the routing of ${counted(count, "number")} ${notApplied(byReason.map(({ reason }) => reason))} in an earlier run: ${texts.join("; ")}.`,
          remedy: [
            `${resume} To see the splits that each number may have, run \`${ownCommand(state.target, "show")}\``,
            ...(abort === undefined ? abortHint(rollout, state) : []),
          ],
          numbers: byReason.flatMap(({ numbers }) => numbers),
        },
      ];
}

function leftoverFinding({ kind, urn, outputs }: SavedResource, title: string, known: KnownStack): Finding {
  const { target } = known.state;
  const numbers = isOfNumbers(kind) ? undeclaredNumbers(stateIn(outputs), known.state) : [];
  const [refused] = numbers.length === 0 ? [] : refusedDeletes(known);
  const set = refused && pulumiCommand(target, "config", "set", `${NAMESPACE}:maxRemove`, `${refused.inRun}`);
  const pronoun = numbers.length === 1 ? "it" : "them";
  const unless = isFailedDestroy(known.lastRun) ? "" : ` unless the program declares ${pronoun} again`;
  const unassigns =
    refused === undefined
      ? [`Run ${resumeCommand(known)}, which unassigns the agents of ${shortList(numbers)}${unless}.`]
      : [
          `The next run would unassign the agents of ${counted(refused.inRun, "number")}, but the guard maxRemove allows only ${refused.max}. To keep the agents of ${shortList(refused.lost)}, declare these numbers again.`,
          `To unassign the agents, run \`${set}\`, then ${resumeCommand(known)}.`,
        ];
  const forget = [
    `If another stack declares ${numbers.length === 1 ? "the number" : "one of the numbers"} ${shortList(numbers)}, first run this command in a terminal and choose the entry marked Pending Deletion:`,
    `\`pulumi state delete ${shellText(urn)} --stack ${shellText(target.stack)}\``,
  ];
  return {
    ...(refused && { code: "AGP-024" }),
    problem: `${title}: this resource was replaced in an earlier run, but the original has not been deleted yet.`,
    remedy: numbers.length === 0 ? [`Run ${resumeCommand(known)}.`] : [...forget, ...unassigns],
    numbers,
  };
}

/** Checks the guard maxRemove for all replaced resources together, because the next run deletes all of them. */
function refusedDeletes({ state, config }: KnownStack) {
  const originals = state.resources.filter(({ isLeftover, kind }) => isLeftover && isOfNumbers(kind));
  const lost = originals.flatMap(({ outputs }) => undeclaredNumbers(stateIn(outputs), state));
  const declared = resourcesOfNumbers(state).flatMap(({ outputs }) => numbersIn(outputs));
  return judgeLosses({ lost, inRun: lost.length }, declared.length, guardsIn(valuesOf(config)));
}

// --- operations that a stopped run left pending

function pendingFinding(pending: Pending, known: KnownStack): Finding {
  const { state } = known;
  const { urn } = pending;
  const numbers = numbersChangedBy(pending, state);
  const title = `${label(state, pending)}${numbers.length === 0 ? "" : ` (${shortList(numbers)})`}`;
  const problem = `${title}: ${pendingText(pending, "this resource")}.`;
  if (isCreatedSince(pending, state)) {
    return createdSince(pending, problem, state);
  }
  return {
    problem,
    // While a run is active, the state looks the same as after a stopped run, so first tell the user to rule that out.
    remedy: ["Make sure that no run is active.", ...pendingRemedies(pending, known)],
    help: "killed-run",
    urn,
    ...(numbers.length > 0 && { numbers }),
    ...(isPosting(pending) && { sendsAgain: urn }),
  };
}

/** Returns the numbers that a stopped operation may have changed. An update sends nothing to unchanged numbers. */
function numbersChangedBy({ urn, operation, inputs }: Pending, state: StackState): string[] {
  const numbers = numbersIn(inputs);
  const saved = state.resources.find((resource) => resource.urn === urn && !resource.isLeftover);
  if (saved === undefined || operation === "deleting" || numbers.length === 0) {
    return numbers;
  }
  const declared = stateIn(inputs);
  const { assigns, leaves } = planMembers(stateIn(saved.outputs), declared, declared);
  const changed = [...assigns, ...leaves];
  // If the inputs don't show what the operation was changing, it may have sent something to every number.
  return changed.length === 0 && same(saved.outputs.numbers, inputs.numbers) ? numbers : changed;
}

/**
 * Reports a stopped run's create of a resource that a later run has created or adopted. If both runs created a voice or
 * chat, there are now two.
 */
function createdSince(pending: Pending, problem: string, state: StackState): Finding {
  const { urn } = pending;
  // `refresh --clear-pending-creates` clears all pending creates. If another voice or chat is still unresolved,
  // clearing its entry too early would hide it from `doctor`.
  const isOpen = state.pending.some((other) => isPosting(other) && !isCreatedSince(other, state));
  const command = `\`${pulumiCommand(state.target, "refresh", "--clear-pending-creates")}\``;
  const when = isOpen ? "Once every other pending voice and chat is resolved, run" : "Run";
  const isAdopted = state.resources.some((saved) => saved.urn === urn && saved.inputs.adopt !== undefined);
  if (!isPosting(pending) || isAdopted) {
    return {
      problem: `${problem} A later run ${isAdopted ? "recorded" : "created"} the resource.`,
      remedy: [`${when} ${command}, which clears this entry and sends nothing.`],
      urn,
    };
  }
  const { noun, place, ends } = postedAs(pending.kind);
  const damage = pending.kind === "SmsChat" ? "two SMS may have been sent" : "the voice may have been added twice";
  const id = state.resources.find((saved) => saved.urn === urn)?.id;
  const removal = `The ${noun} ${id} is in the state. Look in ${place} for a second ${noun}, and ${ends ? "end" : "remove"} that one.`;
  return {
    problem: `${problem} A later run sent the request again, but the first request may have arrived as well: ${damage}.`,
    remedy: [removal, `${isOpen ? when : "Then run"} ${command}, which clears this entry and sends nothing.`],
    help: "killed-run",
    urn,
  };
}

const STARTS_AGAIN = "it would start the deleted chats again, which sends SMS, and add the deleted voices again.";

/** Returns the stack's `pulumi cancel` command in backquotes, ready to copy. */
const cancelCommand = ({ target }: StackState): string => `\`${pulumiCommand(target, "cancel")}\``;

function pendingRemedies(pending: Pending, known: KnownStack): string[] {
  const { state } = known;
  const { kind, operation } = pending;
  const unlock = `${cancelCommand(state)}, then `;
  if (isFailedDestroy(known.lastRun)) {
    return remediesAfterDestroy(pending, `${unlock}${resumeCommand(known)}`);
  }
  const up = `${unlock}${upCommand(state)}`;
  if (isPosting(pending)) {
    const { noun, place } = postedAs(pending.kind);
    const clear = `\`${pulumiCommand(state.target, "refresh", "--clear-pending-creates")}\``;
    return [
      `Check ${place} first, because the ${noun} may exist. Do not run \`pulumi refresh\` before, because it may remove this entry.`,
      `If the ${noun} exists:          set ${adoptArgument(pending.kind)} on the resource, then run ${up}`,
      `If the ${noun} does not exist:  run ${up}, which ${postedAs(pending.kind).sends}.`,
      // Pulumi keeps the entry until then, even if the program no longer declares the resource.
      `To clear this entry at the end, run ${clear}, which sends nothing. Run this command only once the ${noun} is in the state, or once you have looked for the ${noun} and removed its resource from the program.`,
    ];
  }
  if (kind !== undefined && !isOfNumbers(kind)) {
    const { noun, place, ends } = postedAs(kind);
    // If the stopped run was a destroy, `pulumi up` would start the deleted chat again, so only rerunning the same
    // command is safe.
    const again = operation === "deleting" ? `${unlock}rerun the command that was stopped` : up;
    return present([
      `Run ${again}.${ends ? ` If the change was reverted, check ${place} first, because the ${noun} may have ended.` : ""}`,
      operation === "deleting" && `After a killed \`pulumi destroy\`, do not run \`pulumi up\`: ${STARTS_AGAIN}`,
    ]);
  }
  return operation === "deleting"
    ? [
        `To delete the resource, which unassigns the agents of its numbers, run ${unlock}rerun the command that was stopped.`,
        `To keep the resource after a killed \`pulumi up\`, change its \`triggers\`, because its numbers may have no agents any more. Then run ${up}`,
        `After a killed \`pulumi destroy\`, do not run \`pulumi up\`: ${STARTS_AGAIN}`,
      ]
    : [
        `If the change is still in the program, run ${up}. Sending the same request twice does no harm.`,
        "If the change was reverted, first change `triggers` of each resource that declares one of the numbers, then run the same two commands.",
        "If the stopped run was an abort, run the same abort again instead, and commit it before the next deployment.",
      ];
}

/**
 * Says how to finish a failed destroy while an operation is pending. The destroy skips a voice or chat that was being
 * created, because it isn't in the state.
 * @param destroy the commands that finish the destroy
 */
function remediesAfterDestroy(pending: Pending, destroy: string): string[] {
  if (!isPosting(pending)) {
    return [`Run ${destroy}, because the last run was a destroy.`];
  }
  const { noun, place } = postedAs(pending.kind);
  return [
    `Check ${place}, because the ${noun} may exist and the destroy does not know its id. If the ${noun} exists, ${removalThere(pending.kind)}.`,
    `Then run ${destroy}, because the last run was a destroy. Do not run \`pulumi up\` instead: it ${postedAs(pending.kind).sends}.`,
  ];
}

// --- numbers that are declared more than once

/** Reports a number that several stacks declare. */
function sharedFinding(entries: readonly SavedEntry[]): Finding {
  const [first] = entries;
  const where = `${first?.number} at ${first?.place.endpoint ?? "an unknown platform"}`;
  const owners = entries.map(({ owner: { state, saved } }) => label(state, saved));
  return {
    code: "AGP-003",
    problem: `${where}: ${entries.length} resources declare this number: ${shortList(owners, 5)}. Whenever one of them is applied, it overwrites the routing of the others.`,
    remedy: [
      "Keep the number in one resource. In the stack of every other resource, set `retainOnDelete: true` on the resource and run `pulumi up`. Then remove the number and run `pulumi up` again.",
      "Without `retainOnDelete`, removing the number unassigns its agents. If other numbers stay in that resource, remove `retainOnDelete` again. Finally, change `triggers` of the resource that keeps the number, and run `pulumi up` in its stack, so that its routing is sent again.",
    ],
    numbers: present([first?.number]),
  };
}
