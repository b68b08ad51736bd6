import { same } from "../../provider/core/common/equality";
import { printable } from "../../provider/core/common/redact";
import { URN } from "../../provider/core/common/urn";
import { NAMESPACE, TOKEN_ENV } from "../../provider/core/config/settings";
import { adoptArgument, type Code, shortList, UNAPPLIED, waysToResolve } from "../../provider/core/messages";
import { clearedNumbers, type NumbersState } from "../../provider/core/numbers/state";
import { isOfNumbers, type PostedKind, PROVIDER, postedAs } from "../../provider/core/platform/kinds";
import { numbersOf } from "../../provider/core/routing/group";
import { CALLED } from "../command";
import { groupBy, present } from "../lists";
import { stateIn } from "../pulumi/coreState";
import { configOf } from "../pulumi/history";
import type { ReadLeftOut } from "../pulumi/projectFile";
import type { Pending, SavedResource, StackState } from "../pulumi/stackExport";
import type { KnownStack } from "../pulumi/stacks";
import { holdsMasked } from "../pulumi/values";
import { type Claim, numbersPending, sharedNumbers } from "./numbersHeld";
import { ROLLOUTS, rolloutsIn } from "./rollout";
import { standingOf } from "./standing";
import { timeText } from "./time";

/** A problem, and what to do. */
export interface Finding {
  readonly code?: Code;
  readonly what: string;
  readonly todo: string;
  /** The topic of the help that knows more. */
  readonly help?: string;
  /** The URN of the resource that it is about. */
  readonly urn?: string;
  /** All numbers that it is about. */
  readonly numbers?: readonly string[];
  /** The URN of a voice or chat that may have been sent, and that the next `pulumi up` sends again. */
  readonly sendsAgain?: string;
}

/** A resource of a state, as findings name it. */
const label = (state: StackState, { kind, name }: { kind: string | undefined; name: string }): string =>
  printable(`${state.asked}: ${kind ?? "resource"} "${name}"`);

/** The problems of configs, of the program's file, of last runs, and of saved states. */
export function findingsOf(stacks: readonly KnownStack[], readLeftOut: ReadLeftOut = () => []): Finding[] {
  return [
    ...(stacks.some(({ config }) => config[TOKEN_KEY]?.secret === false) ? [PLAIN_TOKEN] : []),
    ...stacks.flatMap((stack) => [
      ...readLeftOut(stack.state.project, Object.keys(stack.config)).map((reason) => leftOutFinding(reason, stack)),
      ...lastRunFailed(stack),
      ...stack.state.pending.map((pending) => pendingFinding(pending, stack.state)),
      ...stack.state.resources.flatMap((saved) => resourceFindings(saved, label(stack.state, saved))),
    ]),
    ...sharedNumbers(stacks.map(({ state }) => state)).map(sharedNumber),
  ];
}

const leftOutFinding = (reason: string, { state }: KnownStack): Finding => ({
  code: "AGP-077",
  what: printable(`${state.asked}: Pulumi leaves out a resource that the program's file names. ${reason}.`),
  todo: "change the file so that Pulumi runs it. Until then its delete is refused in every run.",
});

const TOKEN_KEY = `${NAMESPACE}:accessToken`;
const PLAIN_TOKEN: Finding = {
  what: "the access token is in the stack's config file in plain text.",
  todo: `create a new token, and store it with \`pulumi config set --secret ${TOKEN_KEY}\` or in ${TOKEN_ENV}.`,
};

/** Of a resource on which it failed, the state may be as before. So what its config asked for says who does not have it. */
function lastRunFailed({ state, runs }: KnownStack): Finding[] {
  const last = runs.at(-1);
  if (last?.result !== "failed") {
    return [];
  }
  const message = last.message ? ` ("${last.message.split("\n")[0]}")` : "";
  const verb = last.kind === "destroy" ? "destroy" : "up";
  const asked = verb === "up" ? Object.entries(rolloutsIn(configOf(last, ROLLOUTS))) : [];
  // What was stopped or is not applied has a finding of its own.
  const others = { resources: state.resources.filter(({ outputs }) => !outputs.unapplied), pending: [] };
  const lags = asked.flatMap(([name, rollout]) => standingOf(name, rollout, others)?.lags ?? []);
  const left = lags.length === 0 ? "" : ` Not what its config asks for: ${lags.join(". ")}.`;
  const what = printable(`${state.asked}: the last run failed at ${timeText(last.startTime)}${message}.${left}`);
  return [{ what, todo: todoAfterFailure(verb, state) }];
}

function todoAfterFailure(verb: "up" | "destroy", { asked, pending, resources }: StackState): string {
  // A provider that was killed has saved nothing of its last calls. On another machine than its own, nothing else tells of it.
  const isExplained =
    pending.some(({ stopped }) => stopped === "provider") ||
    resources.some(({ hasInitErrors, outputs }) => hasInitErrors || outputs.unapplied !== undefined);
  return present([
    `fix what its errors name, then run \`pulumi ${verb} --stack ${asked}\` until it succeeds.`,
    verb === "destroy" && `A destroy uses the token of the saved state: if that is no longer valid, set ${TOKEN_ENV}.`,
    !isExplained && `If they say EOF or "transport is closing", first: \`${CALLED} help killed-run\``,
  ]).join(" ");
}

// --- what one resource of a state says

function resourceFindings(saved: SavedResource, who: string): Finding[] {
  const findings = present([unfinished(saved, who), leftover(saved, who)]);
  const failed = { what: `${who}: its last step failed.`, todo: "run `pulumi up`." };
  const all = findings.length === 0 && saved.hasInitErrors ? [failed] : findings;
  return all.map((one) => ({ ...one, urn: saved.urn }));
}

/** A POST that is unresolved, or numbers that were not applied. */
function unfinished(saved: SavedResource, who: string): Finding | undefined {
  const { kind, outputs, id } = saved;
  if (!isOfNumbers(kind)) {
    return outputs.unresolved === true || id.startsWith("unresolved-")
      ? unresolvedFinding(saved, kind, who)
      : undefined;
  }
  // A resource that is still to be deleted is not sent again.
  if (saved.isLeftover) {
    return undefined;
  }
  return unappliedFinding(stateIn(outputs), who);
}

function unresolvedFinding({ id, outputs }: SavedResource, kind: PostedKind, who: string): Finding {
  const where = `workspace ${outputs.workspaceId}`;
  const ask = "check there, then set ONE of these arguments in the program and run `pulumi up`:";
  return {
    code: "AGP-041",
    what: `${who}: unresolved since an earlier run: the ${postedAs(kind).noun} may or may not be in ${where}.`,
    todo: [ask, ...waysToResolve(kind, id)].join("\n     "),
  };
}

function unappliedFinding({ unapplied = [] }: NumbersState, who: string): Finding | undefined {
  if (unapplied.length === 0) {
    return undefined;
  }
  const parts = groupBy(unapplied, ({ reason }) => reason).map((alike) => ({
    numbers: alike.flatMap((part) => numbersOf(part.numbers)).sort(),
    why: UNAPPLIED[alike[0].reason],
  }));
  const texts = parts.map(({ numbers, why }) => `${numbers.length} (${shortList(numbers)}): ${why}`);
  return {
    code: "AGP-044",
    what: printable(`${who}: not applied in an earlier run: ${texts.join("; ")}.`),
    todo: `run \`pulumi up\`. It sends these numbers only. \`${CALLED} show <number>\` shows what each of them may have.`,
    numbers: parts.flatMap(({ numbers }) => numbers),
  };
}

function leftover({ isLeftover, kind, urn, outputs }: SavedResource, who: string): Finding | undefined {
  if (!isLeftover) {
    return undefined;
  }
  const what = `${who}: replaced in an earlier run; the original is not deleted yet.`;
  const numbers = isOfNumbers(kind) ? clearedNumbers(stateIn(outputs)) : [];
  const forget = printable(`\`pulumi state delete '${urn}'\``);
  const unassigned = `It unassigns those of ${shortList(numbers)} that this stack does not declare. If another stack has one by now, first run ${forget} in a terminal, and choose the one marked Pending Deletion.`;
  return { what, todo: `run \`pulumi up\`.${numbers.length === 0 ? "" : ` ${unassigned}`}`, numbers };
}

/** @param it what was under way */
export const brokenOffText = ({ stopped, operation }: Pick<Pending, "stopped" | "operation">, it: string): string =>
  stopped === "run"
    ? `a run was stopped while it was ${operation} ${it}`
    : `the provider's process ended while it was ${operation} ${it}, so what it sent is not known`;

/** What was under way when the engine was stopped, or when the provider's process ended. */
function pendingFinding(pending: Pending, state: StackState): Finding {
  const { urn } = pending;
  const who = label(state, pending);
  const numbers = numbersPending(pending);
  const ofNumbers = numbers.length === 0 ? "" : printable(` (${shortList(numbers)})`);
  const what = `${who}${ofNumbers}: ${brokenOffText(pending, "this")}.`;
  if (isCreatedSince(pending, state)) {
    const todo = "`pulumi refresh --clear-pending-creates` clears this entry. It sends nothing.";
    return { what: `${what} A later run created it.`, todo, urn };
  }
  return {
    what,
    todo: todoOfPending(pending, state).join("\n     "),
    help: "killed-run",
    urn,
    ...(numbers.length > 0 && { numbers }),
    ...(isPosting(pending) && { sendsAgain: urn }),
  };
}

/** Would the next `pulumi up` send a voice or a chat again? */
const isPosting = ({ kind, operation }: Pending): boolean =>
  kind !== undefined && !isOfNumbers(kind) && operation === "creating";

function todoOfPending(pending: Pending, { asked }: StackState): string[] {
  const { kind, operation, stopped } = pending;
  const unlock = stopped === "run" ? `\`pulumi cancel --stack ${asked}\`, then ` : "";
  const up = `${unlock}\`pulumi up --stack ${asked}\``;
  if (kind === undefined || isOfNumbers(kind)) {
    if (operation === "deleting") {
      return [
        `to delete it: ${unlock}the command of that run again.`,
        `to keep it: change its \`triggers\`, because its numbers may have no agents, then ${up}`,
      ];
    }
    return [
      `if the change is still in the program: ${up} (the same request twice does no harm).`,
      "if it was reverted: first change `triggers` of each resource that declares one of the numbers.",
    ];
  }
  const { noun, place } = postedAs(kind);
  return isPosting(pending)
    ? [
        `look in ${place} first, because the next \`pulumi up\` sends the ${noun} again.`,
        `if it exists:          ${adoptArgument(kind)}, then ${up}`,
        `if it does not exist:  ${up}`,
      ]
    : [`${up}. If the change was reverted, look in ${place} first: the ${noun} may have ended.`];
}

/**
 * Has a later run certainly created it? `triggers` is what an operator changes to send numbers again, and `adopt` what records a POST that
 * was sent. Two values that are encrypted cannot be compared.
 */
export function isCreatedSince({ operation, urn, inputs }: Pending, { resources }: StackState): boolean {
  const declared = ({ [PROVIDER]: _, [URN]: __, triggers, adopt, ...others }: Pending["inputs"]) => others;
  const wanted = declared(inputs);
  return (
    operation === "creating" &&
    !holdsMasked(wanted) &&
    resources.some((one) => one.urn === urn && !one.isLeftover && same(declared(one.inputs), wanted))
  );
}

// --- the same number more than once

function sharedNumber(claims: readonly Claim[]): Finding {
  const [first] = claims;
  const holders = claims.map(({ owner: { state, saved } }) => label(state, saved));
  return {
    code: "AGP-003",
    what: printable(
      `${first?.number} at ${first?.at.endpoint ?? "an unknown platform"}: held ${claims.length} times: ${shortList(holders, 5)}. Each run of one of them overwrites the routing of the others.`,
    ),
    todo: "keep one. Remove each other from its program, and run `pulumi state delete` with its URN: that sends nothing. A number that leaves a group loses its agents: then change `triggers` where it stays.",
    numbers: present([first?.number]),
  };
}
