import { spawn } from "node:child_process";
import { BYPASS_ENV } from "../../provider/core/config/settings";
import type { NamedRollout } from "../../provider/core/routing/rollouts";
import { CALLED, JSON_OPTION, type ValuesOf } from "../command";
import { UsageError } from "../errors";
import { coloured, fitted, type Io, jsonText } from "../io";
import { groupBy } from "../lists";
import { INSTALL_PULUMI } from "../pulumi/cli";
import { FREEZE, freezeIn } from "../pulumi/guards";
import { readState, type StackState } from "../pulumi/stackExport";
import { untilSignalled } from "../signals";
import { stackRollout } from "../stack/rollout";
import { pulumiCommand, readRollout, type StackFile, type StackRollout, stackArgs } from "./stackFile";

/** What `promote` or `abort` has done is printed. `--up` runs `pulumi up`, and then says from the saved state who does not have it. */

export const ACTION_OPTIONS = {
  "dry-run": { type: "boolean", help: "write nothing" },
  up: { type: "boolean", help: "then run `pulumi up`, and end with 0 only if every number has it" },
  yes: { type: "boolean", help: "with --up: do not ask, as `pulumi up --yes`" },
  json: JSON_OPTION,
} as const;

type ActionValues = ValuesOf<typeof ACTION_OPTIONS>;

/** What a command has done. `--json` prints all of it but the exit code, with the fields of each outcome. */
export interface Result {
  readonly code: number;
  readonly text: string;
  readonly outcome: "written" | "not written" | "held" | "nothing to promote" | "nothing to abort";
  readonly [field: string]: unknown;
}

/** The fields of a rollout in the JSON. */
export const rolloutJson = ({ stack, file, name, value }: StackRollout, next?: NamedRollout) => ({
  name,
  stack,
  file: file.shown,
  from: value,
  ...(next && { to: next }),
});

export const NOT_WRITTEN = "Not written (--dry-run).";

function print({ code, ...result }: Result, { json }: ActionValues, io: Io): number {
  const text = fitted(result.text, io.stdout).replaceAll(/^ *Held:/gm, (word) => coloured("red", word, io.stdout, io));
  io.stdout.write(json ? jsonText(result) : `${text}\n`);
  return code;
}

/** How the file is applied. A freeze refuses it without a reason. */
export function applyText(read: StackFile): string {
  const up = pulumiCommand(read, "up");
  const freeze = freezeIn(read.config);
  return freeze === undefined
    ? `Apply it: ${up}`
    : `The stack is frozen (${freeze}), so apply it with your reason: ${BYPASS_ENV}="<reason>" ${up}
To end the freeze: ${pulumiCommand(read, "config", "rm", FREEZE)}`;
}

/**
 * Prints the result. With `--up` these rollouts are applied, too. Resolves with the exit code.
 * @param rollouts what the files ask for, and not every number may have
 * @param more what `pulumi up` gets beside the stack
 */
export async function finish(
  result: Result,
  rollouts: readonly StackRollout[],
  values: ActionValues,
  more: readonly string[],
  io: Io,
): Promise<number> {
  const { up, yes, json = false } = values;
  if (!up || values["dry-run"] || rollouts.length === 0) {
    return print(result, values, io);
  }
  if (!json) {
    print(result, values, io);
  }
  const ends: EndOfUp[] = [];
  for (const ofStack of groupBy(rollouts, ({ stack }) => stack)) {
    ends.push(await applyStack(ofStack, [...(yes ? ["--yes"] : []), ...more], json, io));
  }
  const isApplied = ends.every((one) => one.isApplied);
  const text = `${json ? `${result.text}\n` : ""}\n${ends.map((one) => one.text).join("\n")}`;
  return print({ ...result, code: isApplied ? 0 : 1, text, isApplied }, values, io);
}

interface EndOfUp {
  readonly isApplied: boolean;
  readonly text: string;
}

/** Runs `pulumi up` of a stack, whatever becomes of it, and looks who has these rollouts then. */
async function applyStack(
  rollouts: readonly [StackRollout, ...StackRollout[]],
  more: readonly string[],
  isJson: boolean,
  io: Io,
): Promise<EndOfUp> {
  const [first] = rollouts;
  const { stack } = first;
  if (freezeIn(first.config) !== undefined && !io.env[BYPASS_ENV]) {
    return { isApplied: false, text: `Not applied. ${applyText(first)}` };
  }
  const failed = await runUp([...stackArgs(first, "up"), ...more], isJson, io);
  const notApplied = await Promise.all(rollouts.map((rollout) => notAppliedNow(rollout, io)));
  const ends = rollouts.map(({ name }, index) =>
    notApplied[index]?.length === 0
      ? `Every number of ${name} in ${stack} has it.`
      : `Not every number of ${name} in ${stack} has it: ${notApplied[index]?.join("; ")}. Correct what the run says and run this command again, or see what is known: ${CALLED} doctor --stack ${stack}`,
  );
  return {
    isApplied: failed === undefined && notApplied.flat().length === 0,
    text: [...(failed === undefined ? [] : [`\`pulumi up\` of ${stack} ${failed}.`]), ...ends].join("\n"),
  };
}

/** Why not every number of a rollout certainly has what its file says; empty if each has. */
export const notAppliedIn = (
  { stack, name, value }: StackRollout,
  state: Pick<StackState, "resources" | "pending">,
): readonly string[] => stackRollout(name, value, { ...state, stack }).notApplied;

/** The same by now, of what the file says by now. */
async function notAppliedNow({ workspace, stack, name }: StackRollout, io: Io): Promise<readonly string[]> {
  try {
    const rollout = await readRollout({ ...workspace, io, isUrgent: true }, stack, name);
    return notAppliedIn(rollout, await readState(stack, io));
  } catch (error) {
    if (error instanceof UsageError) {
      return [error.message.replace(/\.$/, "")];
    }
    throw error;
  }
}

/**
 * The terminal is that of `pulumi up`, so it asks and shows what it always does. Ctrl-C there reaches both processes: this one waits for the
 * other, which ends what it has begun. Any other signal is passed on. Resolves with how it failed; undefined if it did not.
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
        const stop = () => (signal.reason === "SIGINT" && io.stdin.isTTY === true) || child.kill("SIGINT");
        signal.addEventListener("abort", stop, { once: true });
        child.stdout?.setEncoding("utf8").on("data", (text) => (isJson ? io.stderr : io.stdout).write(text));
        child.stderr?.setEncoding("utf8").on("data", (text) => io.stderr.write(text));
        child.on("error", () => resolve(`did not start. The Pulumi CLI is not on PATH: ${INSTALL_PULUMI}`));
        child.on("close", (code, by) => resolve(code === 0 ? undefined : `ended with ${by ?? `exit code ${code}`}`));
      }),
  );
}
