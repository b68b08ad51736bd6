import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "../../../provider/client/client";
import { InvalidOptionsError } from "../../../provider/client/errors";
import { printable } from "../../../provider/core/common/redact";
import { numberId } from "../../../provider/core/common/schemas";
import { BASE_URL_ENV, TOKEN_ENV } from "../../../provider/core/config/settings";
import type { Client } from "../../../provider/core/platform/operations";
import { type Agent, isAgentKey, parseAgentKey } from "../../../provider/core/routing/split";
import { CALLED, defineCommand, JSON_OPTION, type ValuesOf } from "../../command";
import { UsageError } from "../../errors";
import { columns, type Io, jsonText, readLine } from "../../io";
import { present } from "../../lists";
import { onFirstStop } from "../../signals";
import { readForEdit, replaceFile, type TextFile } from "../rollout/stackFile";
import { entries, leftText, rowsOf, SETTING_KEYS, STAYS_UNKNOWN, settingsFrom, withSettings } from "./conclusions";
import { experiment, type Probed, type Subject } from "./experiments";
import { type Facts, readFacts } from "./facts";

const options = {
  "takes-no-calls": { type: "boolean", help: "you have made sure that nobody calls the number" },
  agent: {
    type: "string",
    multiple: true,
    value: "<id@version>",
    help: "an existing agent; two with different ids are needed, a third finds out more",
  },
  confirm: { type: "string", value: "<number>", help: "the number a second time; without it you are asked to type it" },
  "workspace-id": { type: "string", value: "<n>", help: "sent with each PUT" },
  "account-sid": { type: "string", value: "<id>", help: "sent with each PUT" },
  write: {
    type: "string",
    value: "<file>",
    help: "write the settings into this Pulumi.<stack>.yaml; without it commands are printed",
  },
  json: JSON_OPTION,
} as const;

type Values = ValuesOf<typeof options>;

export const probeCommand = defineCommand({
  name: "probe",
  group: "Know the platform",
  summary: "Find out on a spare number how the platform behaves where its interface does not specify it",
  usage: ["<number> --takes-no-calls --agent <id@version> --agent <id@version> [options]"],
  examples: [
    `${CALLED} probe +15550000000 --takes-no-calls --agent agent_a@1 --agent agent_b@2`,
    `${CALLED} probe +15550000000 --takes-no-calls --agent agent_a@1 --agent agent_b@2 --write Pulumi.prod.yaml`,
  ],
  about: `Use a spare number that nobody calls: about 15 PUTs overwrite its routing and leave it without agents.
The base URL and the token are read from ${BASE_URL_ENV} and ${TOKEN_ENV}.
Ctrl-C stops the probe and still clears the number; a second one leaves it as it is.`,
  options,
  takes: { least: 1, most: 1, rule: "Name one number, a spare one that nobody calls." },
  exitCodes:
    "0 done and cleared, 1 incomplete, not cleared or not written, 2 not confirmed or wrong arguments: nothing was sent",
  page: "docs/guides/probe.md",
  async run({ values, positionals: [number = ""] }, io) {
    const plan = planFrom(values, number);
    const client = clientFrom(io);
    const write = writer(values.write, io);
    await confirm(plan.number, values.confirm, io);
    const outcome = await untilStopped(plan, client, io);
    return report(outcome, plan, write, values, io);
  },
});

/** Listens for signals only from here on: before the first request there is nothing to clear, and Ctrl-C just ends it. */
async function untilStopped(plan: Subject, client: Client, io: Io): Promise<Probed> {
  const say = (line: string) => void io.stderr.write(`  ${line}\n`);
  let isStopped = false;
  const stopListening = onFirstStop(io.signal, () => {
    isStopped = true;
    say("stopping: the number is still cleared; a second Ctrl-C leaves it as it is");
  });
  try {
    return await experiment(plan, { client, say, wait: (ms) => delay(ms), isStopped: () => isStopped });
  } finally {
    stopListening();
  }
}

// --- what was asked for

function planFrom(values: Values, number: string): Subject {
  const parsed = numberId.safeParse(number);
  if (!parsed.success) {
    throw new UsageError(`The number ${parsed.error.issues[0]?.message ?? "is not valid"}.`);
  }
  if (!values["takes-no-calls"]) {
    throw new UsageError(
      "The probe overwrites the number's routing and leaves it without agents. Make sure that nobody calls it, then add --takes-no-calls.",
    );
  }
  return { number, agents: agentsFrom(values.agent ?? []), scope: scopeFrom(values) };
}

function agentsFrom(texts: readonly string[]): Subject["agents"] {
  const [a, b, ...more] = texts.map(agentFrom);
  if (a === undefined || b === undefined || a.agentId === b.agentId) {
    throw new UsageError("Give two agents that exist and have different ids: --agent agent_a@1 --agent agent_b@2.");
  }
  return [a, b, ...more];
}

function agentFrom(text: string): Agent {
  if (!isAgentKey(text)) {
    throw new UsageError(`--agent takes an agent as in agent_front@12, not "${text}".`);
  }
  return parseAgentKey(text);
}

function scopeFrom(values: Values): Subject["scope"] {
  const workspace = values["workspace-id"];
  const accountSid = values["account-sid"];
  if (workspace !== undefined && !/^\d{1,15}$/.test(workspace)) {
    throw new UsageError(`--workspace-id takes a whole number, not "${workspace}".`);
  }
  return {
    ...(workspace === undefined ? {} : { workspaceId: Number(workspace) }),
    ...(accountSid === undefined ? {} : { accountSid }),
  };
}

function clientFrom({ env }: Io): Client {
  const [baseUrl, accessToken] = [env[BASE_URL_ENV], env[TOKEN_ENV]];
  if (!baseUrl) {
    throw new UsageError(`Set ${BASE_URL_ENV} to the platform's base URL.`);
  }
  if (!accessToken) {
    throw new UsageError(`Set ${TOKEN_ENV} to an access token.`);
  }
  try {
    return createClient({ baseUrl, accessToken, env, concurrency: 1 });
  } catch (error) {
    if (error instanceof InvalidOptionsError) {
      throw new UsageError(error.message);
    }
    throw error;
  }
}

async function confirm(number: string, given: string | undefined, io: Io): Promise<void> {
  if (given === undefined) {
    io.stderr.write(`Everything that ${printable(number)} has is overwritten. Type the number again: `);
  }
  const typed = given ?? (await readLine(io.stdin)).trim();
  if (typed !== number) {
    throw new UsageError("The number was not confirmed: the second one differs. Nothing was sent.");
  }
}

// --- what came of it

type SettingTexts = Readonly<Record<string, string>>;

/** Writes the settings; resolves with the reason if it could not. */
type Write = ((settings: SettingTexts) => string | undefined) | undefined;

/** Reads the file before anything is sent, so that a mistake in its name or in its form is found before the probe. */
function writer(name: string | undefined, io: Io): Write {
  if (name === undefined) {
    return undefined;
  }
  const file = configFile(name, io);
  withSettings(file.text, Object.fromEntries(SETTING_KEYS.map((key) => [key, ""])));
  return (settings) => {
    try {
      return replaceFile(file, withSettings(file.text, settings)) ? undefined : `${name} was changed meanwhile.`;
    } catch (error) {
      if (error instanceof UsageError) {
        return error.message;
      }
      throw error;
    }
  };
}

function configFile(name: string, io: Io): TextFile {
  try {
    return readForEdit(name, io);
  } catch {
    throw new UsageError(`${name} cannot be read. --write takes the config file of a stack that exists.`);
  }
}

function report(outcome: Probed, plan: Subject, write: Write, { json, write: file }: Values, io: Io): number {
  const { answers, ended, left } = outcome;
  const facts = readFacts(answers, plan);
  const settings = ended === undefined ? settingsFrom(facts) : {};
  const isToWrite = write !== undefined && Object.keys(settings).length > 0;
  const problem = isToWrite ? write(settings) : undefined;
  const isWritten = isToWrite && problem === undefined;
  if (json) {
    const seen = Object.fromEntries(rowsOf(facts, plan));
    const all = { number: plan.number, left, ended, seen, unknown: STAYS_UNKNOWN, settings, isWritten, problem };
    io.stdout.write(jsonText(all));
  } else {
    const sections = present([
      printable(leftText(outcome, plan)),
      ended !== undefined && `Ended early: ${printable(ended)}`,
      Object.keys(answers).length > 0 && table(facts, plan),
      problem !== undefined && `Not written: ${problem}`,
      ended === undefined ? settingsText(settings, isWritten && file) : "An incomplete probe suggests no settings.",
    ]);
    io.stdout.write(`${sections.join("\n\n")}\n`);
  }
  return CLEARED.has(left) && ended === undefined && problem === undefined ? 0 : 1;
}

const CLEARED: ReadonlySet<Probed["left"]> = new Set(["cleared", "cleared, but not verified"]);

function table(facts: Facts, plan: Subject): string {
  const rows = rowsOf(facts, plan).map(([question, seen]) => [question, printable(seen)] as const);
  return `${columns(rows)}\n\nStill unknown:\n${STAYS_UNKNOWN.map((line) => `  - ${line}`).join("\n")}`;
}

/** @param file the file that has them now */
function settingsText(settings: SettingTexts, file: string | false | undefined): string {
  if (file) {
    return `Written to ${file}:\n\n${entries(settings, "  ").join("\n")}`;
  }
  const commands = Object.entries(settings).map(([key, value]) => `  pulumi config set ${key} ${value}`);
  return commands.length === 0
    ? "No settings to change: the defaults fit, or the responses do not say."
    : `Suggested settings:\n\n${commands.join("\n")}`;
}
