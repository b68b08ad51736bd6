import { numberId } from "../../provider/base/schemas";
import { NAMESPACE } from "../../provider/config/keys";
import { isOfNumbers } from "../../provider/config/kinds";
import { readSettings, type Settings, TOKEN_ENV } from "../../provider/config/settings";
import { isAgentKey } from "../../provider/routing/inboundAgents";
import { parseAgentKey } from "../../provider/routing/split";
import type { Agent } from "../../provider/routing/types";
import { ResourceError } from "../../provider/words/message";
import { CLI, defineCommand, JSON_OPTION, type ValuesOf } from "../command";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { jsonText } from "../print";
import { dryRun, probe } from "../probe/probe";
import type { Subject } from "../probe/questions";
import { recordOf } from "../probe/record";
import { dryRunText, endText, introText, stepText } from "../probe/text";
import { runPulumi, stackNames } from "../pulumi/cli";
import { freezeReason, readConfig, valuesOf } from "../pulumi/config";
import { stackOf } from "../pulumi/stacks";
import { readState, stateIn } from "../pulumi/state";
import { stackArgs, type Target } from "../pulumi/target";
import { numbersIn, type Properties } from "../pulumi/values";
import { untilSignalled } from "../signals";
import { resourceTitle } from "../state/resources";

const OPTIONS = {
  agent: { type: "string", multiple: true, value: "<agent>", help: "give it twice: two agents, each with a version" },
  outbound: { type: "string", value: "<agent>", help: "an outbound agent; default the first --agent" },
  stack: { type: "string", value: "<name>", help: "the stack whose platform is probed; default the selected one" },
  yes: { type: "boolean", help: "skip the confirmation" },
  "dry-run": { type: "boolean", help: "print the requests without sending them" },
  json: { ...JSON_OPTION, help: "print the record as JSON, and everything else to standard error" },
} as const;

export const probeCommand = defineCommand({
  name: "probe",
  group: "Know the platform",
  summary: "Find out how your platform behaves, using a spare number, and which settings it needs",
  usage: ["<number> --agent <agent>… [options]"],
  examples: [
    `${CLI} probe +15550009999 --dry-run \\\n    --agent agent_front@12 --agent agent_front@13 --outbound agent_out@9`,
    `${CLI} probe +15550009999 --stack dev \\\n    --agent agent_front@12 --agent agent_front@13 --json > record.json`,
  ],
  about: `It sends about ten requests for the number, one at a time, and judges the responses as \`pulumi up\` does. Use a spare
number that nobody calls: its routing is overwritten, and at the end it has no agents. The number is also cleared after
a failure or Ctrl-C. No SMS is sent and no voice is added.

Each answer names the assumption it is about; \`${CLI} help assumptions\` lists them all. The settings that your
platform needs are printed last.

The record that --json prints contains the number, the agents and the workspace. It does not contain the token, the
platform's address, or any text that only responses contain, such as an account or a webhook. An emulator started with
--platform record.json behaves like your platform.`,
  options: OPTIONS,
  positionals: { min: 1, max: 1, error: "Pass one spare number." },
  exitCodes: `0 the provider works correctly on this platform with the settings that it prints; 1 no setting makes it work correctly;
2 wrong arguments, nothing was sent; 3 not finished, or the number was not cleared`,
  page: "existing-numbers",
  async run({ values, positionals: [number = ""] }, io) {
    const target = { stack: await stackOf(values.stack, io) };
    const settings = await settingsOf(target, values["dry-run"] === true, io);
    const subject = subjectOf(number, values, settings);
    if (values["dry-run"]) {
      io.stdout.write(dryRunText(await dryRun({ subject, settings }), subject));
      return 0;
    }
    await refuseManagedNumber(subject, settings, target, io);
    return run(subject, settings, target, values, io);
  },
});

type Values = ValuesOf<typeof OPTIONS>;

async function run(subject: Subject, settings: Settings, target: Target, values: Values, io: Io): Promise<number> {
  const output = values.json ? io.stderr : io.stdout;
  output.write(introText(subject, settings));
  if (!values.yes && !(await isConfirmed(output, io))) {
    output.write("Nothing was sent.\n");
    return 3;
  }
  const probed = await untilSignalled(io.signal, (signal) => {
    signal.addEventListener("abort", () => output.write("\nStopping. Please wait until the number is cleared.\n"), {
      once: true,
    });
    let count = 0;
    return probe({
      subject,
      settings,
      signal,
      onStep(step) {
        count += 1;
        output.write(`\n${stepText(step, count)}`);
      },
    }).catch(throwUsageError);
  });
  output.write(`\n${endText(probed, subject, settings, target)}`);
  if (values.json) {
    io.stdout.write(jsonText(recordOf(probed, subject)));
  }
  const { stopped, end, contradictions } = probed;
  // Return 3 even if no setting makes the provider work. A number that may still have agents is more urgent, because
  // somebody has to remove them.
  if (stopped !== undefined || end.number === "not cleared") {
    return 3;
  }
  return contradictions.length > 0 ? 1 : 0;
}

/**
 * Turns the provider's errors into UsageErrors. In a probe, they mean that the token is missing or the proxy can't be
 * used, so nothing was sent.
 */
function throwUsageError(error: unknown): never {
  throw error instanceof ResourceError ? new UsageError(error.message) : error;
}

async function isConfirmed(output: Io["stdout"], io: Io): Promise<boolean> {
  if (!io.stdin.isTTY) {
    throw new UsageError(
      "The probe overwrites the number, so it asks for confirmation, but there is no terminal to ask on. Add --yes.",
    );
  }
  output.write("\nTo continue, type yes: ");
  for await (const line of io.stdin) {
    return String(line).trim().toLowerCase() === "yes";
  }
  return false;
}

// --- arguments and settings

function subjectOf(number: string, { agent: named = [], outbound }: Values, settings: Settings): Subject {
  const problem = numberId.safeParse(number).error?.issues[0]?.message;
  if (problem !== undefined) {
    throw new UsageError(`The number ${problem}.`);
  }
  const [first, second, ...others] = named.map((text) => agentOf("--agent", text));
  if (first === undefined || second === undefined || others.length > 0 || named[0] === named[1]) {
    throw new UsageError("Pass two different agents: --agent agent_front@12 --agent agent_front@13");
  }
  if (first.agentVersion === undefined || second.agentVersion === undefined) {
    throw new UsageError("Each --agent needs a version, as in agent_front@12.");
  }
  return {
    number,
    workspaceId: settings.workspaceId,
    agents: [first, second],
    outbound: outbound === undefined ? first : agentOf("--outbound", outbound),
  };
}

function agentOf(option: string, text: string): Agent {
  if (!isAgentKey(text)) {
    throw new UsageError(`${option} takes an agent such as agent_front@12; found ${JSON.stringify(text)}.`);
  }
  return parseAgentKey(text);
}

async function settingsOf(target: Target, isDryRun: boolean, io: Io): Promise<Settings> {
  const config = await readConfig(target, io);
  const freeze = freezeReason(config);
  if (freeze !== undefined && !isDryRun) {
    throw new UsageError(`The stack is frozen: ${freeze}`);
  }
  const values = valuesOf(config);
  const key = `${NAMESPACE}:accessToken`;
  const isSecretNeeded = config[key]?.secret === true && !io.env[TOKEN_ENV] && !isDryRun;
  const token = isSecretNeeded ? (await runPulumi(stackArgs(target, "config", "get", key), io)).trim() : values[key];
  // Ignore the stack's `clearWith`, because the probe finds out which value of this setting clears fields on the
  // platform.
  const settings: Properties = { ...values, [key]: token, [`${NAMESPACE}:clearWith`]: undefined };
  const result = readSettings({ get: (name) => settings[`${NAMESPACE}:${name}`], env: io.env });
  if ("problems" in result) {
    throw new UsageError(result.problems.map(({ text }) => text).join("\n"));
  }
  return result.settings;
}

/** Refuses a number that one of the project's stacks manages on this platform, because customers may be calling it. */
async function refuseManagedNumber({ number }: Subject, { endpoint }: Settings, target: Target, io: Io): Promise<void> {
  const others = (await stackNames(io)).filter((stack) => stack !== target.stack);
  // Read one stack after the other, because a project may have many.
  for (const other of [target, ...others.map((stack) => ({ stack }))]) {
    const state = await readState(other, io).catch((error: unknown) => {
      if (other === target || !(error instanceof UsageError)) {
        throw error;
      }
      io.stderr.write(`The stack ${other.stack} could not be read, so make sure that it does not manage ${number}.\n`);
    });
    const saved = state?.resources.find(
      ({ kind, outputs }) =>
        isOfNumbers(kind) &&
        numbersIn(outputs).includes(number) &&
        (other === target || stateIn(outputs).endpoint === endpoint),
    );
    if (saved !== undefined) {
      throw new UsageError(
        `${resourceTitle(saved)} in stack ${other.stack} has the number ${number}, so it may have callers. Use a spare number.`,
      );
    }
  }
}
