import { spawn } from "node:child_process";
import { printableLines } from "../../provider/base/text";
import { isOfNumbers } from "../../provider/config/kinds";
import { bypassIn, type Environment } from "../../provider/config/settings";
import { isAgentKey, suggestedAgent } from "../../provider/routing/inboundAgents";
import { isAborted, type RolloutEntry, splitOf } from "../../provider/routing/rollout";
import { shortList } from "../../provider/words/message";
import { JSON_OPTION, type ValuesOf } from "../command";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { present } from "../lists";
import { coloured, escapeRunnerCommands, jsonText } from "../print";
import { PULUMI_MISSING } from "../pulumi/cli";
import type { StackConfig } from "../pulumi/config";
import { isDestroyed, isFailedDestroy, readLastRun } from "../pulumi/history";
import { withConfigAndLastRun } from "../pulumi/stacks";
import { type Pending, readState, type StackState } from "../pulumi/state";
import { ownCommand, pulumiCommand, stackArgs, type Target, withBypass } from "../pulumi/target";
import { numbersIn } from "../pulumi/values";
import { untilSignalled } from "../signals";
import { hasSplit, splitClause } from "../state/callers";
import { findingsOf } from "../state/findings";
import { openOperations, pendingText, resourceTitle } from "../state/resources";
import { type StackRollout, stackRollout, usesElsewhere, whyBypassNeeded } from "../state/stackRollout";

/**
 * Prints what `promote` or `abort` did. With `--up`, also runs `pulumi up`, and then reports from the saved state which
 * numbers may not have received the new split.
 */

export const ACTION_OPTIONS = {
  "dry-run": { type: "boolean", help: "write nothing" },
  up: { type: "boolean", help: "then run `pulumi up`" },
  yes: { type: "boolean", help: "with --up: do not ask for confirmation" },
  json: JSON_OPTION,
} as const;

/** Refuses a `--to` that isn't an agent, and `--up` together with `--dry-run`. */
export function judgeValues({ to, up, "dry-run": isDry }: ActionValues): void {
  if (up && isDry) {
    throw new UsageError(
      "--dry-run writes nothing, so --up would have nothing to apply. Remove one of the two options.",
    );
  }
  if (to !== undefined && !isAgentKey(to)) {
    const meant = suggestedAgent(to);
    const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
    throw new UsageError(`--to takes an agent, such as agent_front@14; found ${JSON.stringify(to)}.${hint}`);
  }
}

export type ActionValues = ValuesOf<typeof ACTION_OPTIONS> & { readonly to?: string | undefined };

/** A stack's rollout, with the config it was read from. */
export interface ReadRollout {
  readonly target: Target;
  readonly config: StackConfig;
  readonly rollout: StackRollout;
}

/**
 * The result of a command. `--json` prints every field except the exit code. Which of the optional fields are present
 * depends on the outcome.
 */
export interface Result {
  readonly code: number;
  readonly text: string;
  readonly outcome:
    | "written"
    | "not written"
    | "written before"
    | "held"
    | "nothing to promote"
    | "nothing to abort"
    | "not known";
  readonly name: string;
  readonly stack: string;
  /** The rollout in the config before the command. */
  readonly from: RolloutEntry;
  /** The rollout that the command writes to the config, or would write without `--dry-run`. */
  readonly to?: RolloutEntry;
  /** The reasons why a promotion is held, that is, not written. */
  readonly reasons?: readonly string[];
  readonly since?: Date | undefined;
  /** The count of the rollout's numbers. */
  readonly numbers?: number;
  /** Whether every number has the configured split. */
  readonly isApplied?: boolean;
  /** Whether an abort's run has removed the record of a stopped run's changes, which the text describes. */
  readonly isForgotten?: boolean;
}

/** The result of a command, and the rollout that `--up` still has to apply. */
export interface ActionResult {
  readonly result: Result;
  readonly toApply?: ToApply | undefined;
  /**
   * Says that the requested promotion was not carried out, because this run only applies the split that was already
   * configured.
   */
  readonly notPromoted?: string | undefined;
}

/** A rollout whose configured split may be missing from some numbers. */
export interface ToApply extends ReadRollout {
  /** The rollout as it was read before the command, except that `entry` is the config's entry after the command. */
  readonly rollout: StackRollout;
  /** The command that applies the rollout, ready to copy. */
  readonly command: string;
  /** Undefined for an abort if no resource in the stack uses the rollout, because `pulumi up` would have no targets. */
  readonly up: UpRun | undefined;
  /** For an abort: the operations that a stopped run left pending, and whose record the abort's run may remove. */
  readonly stopped?: readonly Pending[];
  /** What the user has to do once the rollout is applied. */
  readonly afterwards?: string;
}

/** The arguments and environment variables that `pulumi up` needs in addition to the stack. */
export interface UpRun {
  readonly args: readonly string[];
  readonly env?: Environment;
}

/** Returns the fields that describe the rollout in JSON output. */
export const rolloutJson = ({ stack, name, entry }: StackRollout, next?: RolloutEntry) => ({
  name,
  stack,
  from: entry,
  ...(next && { to: next }),
});

export const lookFirst = (target: Target): string => `To see what to do first, run ${ownCommand(target, "doctor")}`;

export const stoppedBefore = (target: Target): string =>
  `An earlier run was stopped before it had finished. ${lookFirst(target)}`;

/** Says what `pulumi up` does in a stack that was destroyed. */
export const destroyedText = (target: Target): string =>
  `The last run destroyed the stack ${target.stack}. \`${pulumiCommand(target, "up")}\` would create everything again, which adds its voices and sends its SMS again.`;

/** Says how to finish a failed destroy, and what `pulumi up` would do instead. */
export const finishDestroy = (target: Target): string =>
  `To finish it, run \`${pulumiCommand(target, "destroy")}\`. To keep the stack instead, run \`${pulumiCommand(target, "up")}\` yourself: it declares everything again, adds the deleted voices and starts the deleted chats again, which sends SMS.`;

export const NOT_WRITTEN = "Not written (--dry-run).";

/** Returns the command that promotes or aborts this rollout, ready to copy. */
export const rolloutCommand = (verb: "promote" | "abort", { target, rollout }: ReadRollout): string =>
  ownCommand(target, verb, rollout.name);

/**
 * Tells the user to apply the config with this command.
 * @param why the reason why the guards refuse this without a bypass, if they do
 * @param what what the command applies, such as `the abort`
 */
export const applyText = (why: string | undefined, command: string, what: string): string =>
  why === undefined
    ? `To apply ${what}, run ${command}`
    : `Because ${why}, you must give a reason to apply ${what}: ${withBypass(command)}`;

function print({ code, ...result }: Result, { json }: ActionValues, io: Io): number {
  const text = escapeRunnerCommands(printableLines(result.text)).replaceAll(/^ *Held:/gm, (word) =>
    coloured("red", word, io.stdout, io),
  );
  io.stdout.write(json ? jsonText(result) : `${text}\n`);
  return code;
}

/** Prints the result and, with `--up`, applies the rollout. Resolves to the exit code. */
export async function finish(
  { result, toApply, notPromoted }: ActionResult,
  values: ActionValues,
  io: Io,
): Promise<number> {
  const { up, json = false } = values;
  if (!up || toApply === undefined) {
    return print(result, values, io);
  }
  if (!json) {
    print(result, values, io);
  }
  const { isApplied, isForgotten = false, text } = await apply(toApply, values, io);
  const lines = present([text, isApplied && notPromoted, toApply.afterwards]);
  const whole = `${json ? `${result.text}\n` : ""}\n${lines.join("\n")}`;
  const code = notPromoted === undefined ? 0 : 3;
  return print(
    {
      ...result,
      code: isApplied && !isForgotten ? code : 1,
      text: whole,
      isApplied,
      ...(isForgotten && { isForgotten }),
    },
    values,
    io,
  );
}

/**
 * Says how to apply a rollout that no saved resource uses. After a stopped run or a destroy, it doesn't just recommend
 * `pulumi up`, which could send an SMS again.
 */
async function firstUpText(target: Target, io: Io): Promise<string> {
  const [state, lastRun] = await Promise.all([readState(target, io), readLastRun(target.stack, io)]);
  if (openOperations(state).length > 0) {
    return stoppedBefore(target);
  }
  if (isFailedDestroy(lastRun)) {
    return `The last run of stack ${target.stack} was a destroy that failed. ${finishDestroy(target)}`;
  }
  return isDestroyed(lastRun)
    ? destroyedText(target)
    : `If the program uses the rollout, apply it with \`${pulumiCommand(target, "up")}\`.`;
}

interface EndOfUp {
  readonly isApplied: boolean;
  readonly isForgotten?: boolean;
  readonly text: string;
}

/**
 * Runs `pulumi up`, and then reads the saved state to find out which agents callers reach. The state is read even if
 * `pulumi up` failed.
 */
async function apply(toApply: ToApply, { yes = false, json = false }: ActionValues, io: Io): Promise<EndOfUp> {
  const { target, config, rollout, command, up } = toApply;
  if (up === undefined) {
    return {
      isApplied: false,
      text: `Not applied: ${rollout.notApplied.join("; ")}. ${await firstUpText(target, io)}`,
    };
  }
  const why = whyBypassNeeded(rollout, config);
  if (why !== undefined && bypassIn(io.env) === undefined) {
    return { isApplied: false, text: `Not applied. ${applyText(why, command, "it")}` };
  }
  const args = [...stackArgs(target, "up"), ...(yes ? ["--yes"] : []), ...up.args];
  const failed = await runUp(args, json, { ...io, env: { ...io.env, ...up.env } });
  const said = failed === undefined ? [] : [`\`pulumi up\` of ${target.stack} ${failed}.`];
  try {
    const end = await endOfUp(toApply, failed !== undefined, io);
    return { ...end, isApplied: failed === undefined && end.isApplied, text: [...said, end.text].join("\n") };
  } catch (error) {
    if (error instanceof UsageError) {
      return {
        isApplied: false,
        text: [...said, `The current routing of the numbers is not known: ${error.message}`].join("\n"),
      };
    }
    throw error;
  }
}

/**
 * Says whether every number has the configured split after `pulumi up`. If the run failed or a number may lack the
 * split, the findings of `doctor` follow.
 */
async function endOfUp(
  { target, rollout: { name, entry }, stopped = [] }: ToApply,
  hasFailed: boolean,
  io: Io,
): Promise<EndOfUp> {
  const state = await readState(target, io);
  const rollout = stackRollout(name, entry, state);
  const { stack, resources, callers, unreached } = rollout;
  const forgotten = forgottenTexts(stopped, rollout, state);
  const notApplied = [...rollout.notApplied, ...unreached];
  const isApplied = notApplied.length === 0;
  const urns = [...resources.map(({ saved }) => saved.urn), ...rollout.stopped.map(({ urn }) => urn)];
  const findings = isApplied && !hasFailed ? [] : findingsOf([await withConfigAndLastRun(state, io)]);
  const wanted = splitClause(splitOf(entry), ["sends", "has"]);
  // If every number has the split, the change may still be unconfirmed, for example because the platform rejected the
  // last request for a number that already had the split.
  const haveIt = callers.length > 0 && unreached.length === 0 && callers.every((one) => hasSplit(one, splitOf(entry)));
  const lacking = haveIt ? "It is not confirmed that every number" : "Not every number";
  return {
    isApplied,
    isForgotten: forgotten.length > 0,
    text: [
      isApplied
        ? `Every number of the rollout "${name}" in stack ${stack} ${wanted}.`
        : `${lacking} of the rollout "${name}" in stack ${stack} ${wanted}: ${notApplied.join("; ")}.`,
      ...unreachedNote(rollout, target),
      ...forgotten,
      ...othersNote(rollout, state),
      ...findings
        .filter(({ urn, sendsAgain }) => urn === undefined || sendsAgain !== undefined || urns.includes(urn))
        .map(({ code, problem, details = [], remedy }) =>
          [present([code, problem]).join(" "), ...details, `What to do: ${remedy.join("\n   ")}`].join("\n  "),
        ),
    ].join("\n"),
  };
}

/**
 * Describes the changes of a stopped run that the abort's run has removed from Pulumi's record, unless the abort has
 * overwritten them: changed numbers outside the rollout, and deletes. The next `pulumi up` may not send them anything.
 */
const forgottenTexts = (before: readonly Pending[], { resources }: StackRollout, state: StackState): string[] =>
  before
    .filter(({ urn, operation }) => operation === "deleting" || !resources.some(({ saved }) => saved.urn === urn))
    .filter(({ kind, operation }) => operation === "deleting" || (kind !== undefined && isOfNumbers(kind)))
    .filter(({ urn, operation }) => !state.pending.some((now) => now.urn === urn && now.operation === operation))
    .map((pending) => {
      const numbers = numbersIn(pending.inputs);
      const them = numbers.length === 0 ? "" : ` (${shortList(numbers)})`;
      const what = `⚠ Before this abort, ${pendingText(pending, resourceTitle(pending))}${them}. The abort has removed Pulumi's record of that run.`;
      const keep =
        pending.kind !== undefined && isOfNumbers(pending.kind)
          ? " To keep the resource, change its `triggers` before the next deployment, because its numbers may have no agents any more."
          : "";
      return pending.operation === "deleting"
        ? `${what} If that run was a \`pulumi destroy\`, run the destroy again, and do not run \`pulumi up\`, which would start the deleted chats again and send SMS. Otherwise, the next deployment finishes the delete.${keep}`
        : `${what} If the change of the stopped run is still in the program, the next deployment sends the change again. If the change was reverted, change \`triggers\` of ${resourceTitle(pending)} before the next deployment, because the numbers may still have the reverted change.`;
    });

/** Explains what to do about numbers that an abort can't reach. `pulumi up` would often help, but may send an SMS again. */
export const unreachedNote = ({ unreached }: StackRollout, target: Target): string[] =>
  unreached.length === 0 ? [] : [`An abort does not reach numbers that have left the rollout. ${lookFirst(target)}`];

/** Warns about other uses of the aborted agent in the stack, which the abort doesn't change. */
export function othersNote({ name, entry }: StackRollout, state: StackState): string[] {
  const others = isAborted(entry) ? usesElsewhere(entry.aborted.agent, name, state) : [];
  return others.length === 0
    ? []
    : [
        `⚠ ${entry.aborted?.agent} is also used outside this rollout, where the abort does not change anything: ${others.map(({ text }) => text).join("; ")}.`,
      ];
}

/**
 * Runs `pulumi up` with its usual prompts and output. Resolves to a description of the failure, or undefined on
 * success.
 */
function runUp(args: readonly string[], isJson: boolean, io: Io): Promise<string | undefined> {
  const isHere = io.stdout === process.stdout;
  const output = isHere ? "inherit" : "pipe";
  return untilSignalled(
    io.signal,
    (signal) =>
      new Promise((resolve) => {
        const child = spawn("pulumi", args, {
          cwd: io.cwd,
          env: io.env,
          stdio: [isHere ? "inherit" : "ignore", isJson && isHere ? 2 : output, output],
        });
        // In a terminal, Ctrl-C reaches Pulumi too. Forward any other signal as SIGINT, so that Pulumi finishes the
        // steps that it has started.
        const stop = () => (signal.reason === "SIGINT" && io.stdin.isTTY === true) || child.kill("SIGINT");
        signal.addEventListener("abort", stop, { once: true });
        child.stdout?.setEncoding("utf8").on("data", (text) => (isJson ? io.stderr : io.stdout).write(text));
        child.stderr?.setEncoding("utf8").on("data", (text) => io.stderr.write(text));
        child.on("error", ({ code, message }: NodeJS.ErrnoException) =>
          resolve(code === "ENOENT" ? `did not start. ${PULUMI_MISSING}` : `did not start: ${message}`),
        );
        child.on("close", (code, by) => resolve(code === 0 ? undefined : `ended with ${by ?? `exit code ${code}`}`));
      }),
  );
}
