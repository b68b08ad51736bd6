import { spawn } from "node:child_process";
import { BYPASS_ENV, NAMESPACE } from "../../provider/core/config/settings";
import type { ValuesOf } from "../command";
import { UsageError } from "../errors";
import { type Io, shellText } from "../io";
import { groupBy } from "../lists";
import { INSTALL_PULUMI } from "../pulumi/cli";
import { readState } from "../pulumi/stackExport";
import { untilSignalled } from "../signals";
import { standingOf } from "../stack/standing";
import { argsOf, print, type Result, readTarget, type StackFile, type Target } from "./target";

/** From the file to the callers: `--up` runs `pulumi up`, and then says from the saved state who does not have it. */

export const UP_OPTIONS = {
  up: { type: "boolean", help: "then run `pulumi up`, and end with 0 only if every number has it" },
  yes: { type: "boolean", help: "with --up: do not ask, as `pulumi up --yes`" },
} as const;

type Values = ValuesOf<typeof UP_OPTIONS> & { readonly json?: boolean | undefined };

const FREEZE = `${NAMESPACE}:freeze`;

/** Why the stack is frozen; undefined if it is not. */
const freezeIn = ({ config: { [FREEZE]: entry } }: StackFile): string | undefined =>
  entry?.secret ? "the reason is encrypted" : entry?.value || undefined;

/** How the file is applied. A freeze refuses it without a reason. */
export function applyText(read: StackFile): string {
  const up = ["pulumi", ...upArgs(read)].map(shellText).join(" ");
  const freeze = freezeIn(read);
  return freeze === undefined
    ? `Apply it: ${up}`
    : `The stack is frozen (${freeze}). Apply it with your reason: ${BYPASS_ENV}="<reason>" ${up}
To end the freeze: pulumi config rm ${FREEZE} --stack ${read.stack}`;
}

const upArgs = ({ stack, place: { configFile } }: StackFile): string[] => [
  ...["up", "--stack", stack],
  ...argsOf(configFile),
];

/**
 * Prints the result. With `--up` these rollouts are applied, too. Resolves with the exit code.
 * @param targets what the files ask for, and not every number may have
 * @param more what `pulumi up` gets beside the stack
 */
export async function finish(
  result: Result,
  targets: readonly Target[],
  values: Values,
  more: readonly string[],
  io: Io,
): Promise<number> {
  if (!values.up || targets.length === 0) {
    return print(result, values, io);
  }
  const ends: End[] = [];
  if (!values.json) {
    io.stdout.write(`${result.text}\n`);
  }
  for (const ofStack of groupBy(targets, ({ stack }) => stack)) {
    ends.push(await applied(ofStack, [...(values.yes ? ["--yes"] : []), ...more], values.json === true, io));
  }
  const isApplied = ends.every((one) => one.isApplied);
  const code = isApplied ? 0 : 1;
  const text = ends.map((one) => one.text).join("\n");
  if (values.json) {
    return print({ ...result, code, text: `${result.text}\n\n${text}`, isApplied }, values, io);
  }
  io.stdout.write(`\n${text}\n`);
  return code;
}

interface End {
  readonly isApplied: boolean;
  readonly text: string;
}

/** Runs `pulumi up` of a stack, whatever becomes of it, and looks who has these rollouts then. */
async function applied(
  targets: readonly [Target, ...Target[]],
  more: readonly string[],
  isJson: boolean,
  io: Io,
): Promise<End> {
  const [first] = targets;
  const { stack } = first;
  if (freezeIn(first) !== undefined && !io.env[BYPASS_ENV]) {
    return { isApplied: false, text: `Not applied. ${applyText(first)}` };
  }
  const failed = await runUp([...upArgs(first), ...more], isJson, io);
  const all = await Promise.all(targets.map(({ found }) => lagsOf(first, found.name)));
  const ends = all.map(({ name, lags }) =>
    lags.length === 0
      ? `Every number of ${name} in ${stack} has it.`
      : `Not every number of ${name} in ${stack} has it: ${lags.join("; ")}. Run this command again until it ends with 0.`,
  );
  return {
    isApplied: failed === undefined && all.every(({ lags }) => lags.length === 0),
    text: [...(failed === undefined ? [] : [`\`pulumi up\` of ${stack} ${failed}.`]), ...ends].join("\n"),
  };
}

/** Why not every number of a rollout has what its file says by now. */
async function lagsOf({ place, stack }: StackFile, name: string) {
  try {
    const { found } = await readTarget({ ...place, isUrgent: true }, stack, name);
    const standing = standingOf(name, found.value, await readState(stack, place.io));
    return { name, lags: standing?.lags ?? [`no resource of stack ${stack} has the rollout ${name}`] };
  } catch (error) {
    if (error instanceof UsageError) {
      return { name, lags: [error.message.replace(/\.$/, "")] };
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
