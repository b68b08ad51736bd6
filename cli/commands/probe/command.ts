import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
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
import { onFirstStop } from "../../signals";
import { entries, leftText, rowsOf, STAYS_UNKNOWN, settingsFrom, withSettings } from "./conclusions";
import { experiment, type Findings, type Subject } from "./experiments";
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
  exitCodes: "0 done and cleared, 1 incomplete, or not cleared, 2 not confirmed or wrong arguments: nothing was sent",
  page: "docs/guides/probe.md",
  async run({ values, positionals: [number = ""] }, io) {
    const plan = planFrom(values, number);
    const client = clientFrom(io);
    const write = writer(values.write, io);
    await confirm(plan.number, values.confirm, io);
    const outcome = await untilStopped(plan, client, io);
    return values.json ? reportJson(outcome, plan, write, io) : report(outcome, plan, write, io);
  },
});

/** Listens for signals only from here on: before the first request there is nothing to clear, and Ctrl-C just ends it. */
async function untilStopped(plan: Subject, client: Client, io: Io): Promise<Findings> {
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

type Write = ((settings: Readonly<Record<string, string>>) => string) | undefined;

/** Reads the file before anything is sent, so that a mistake in its name is found before the probe. */
function writer(file: string | undefined, io: Io): Write {
  if (file === undefined) {
    return undefined;
  }
  const path = resolve(io.cwd, file);
  const before = readConfigFile(path, file);
  withSettings(before, {});
  return (settings) => {
    writeFileSync(path, withSettings(before, settings));
    return `Written to ${file}:\n\n${entries(settings, "  ").join("\n")}`;
  };
}

function readConfigFile(path: string, file: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new UsageError(`${file} cannot be read. --write takes the config file of a stack that exists.`);
  }
}

const exitCodeOf = ({ ended, left }: Findings): number =>
  ended === undefined && (left === "cleared" || left === "cleared, but not verified") ? 0 : 1;

function reportJson(outcome: Findings, plan: Subject, write: Write, io: Io): number {
  const { left, ended, answers } = outcome;
  const facts = readFacts(answers, plan);
  const settings = ended === undefined ? settingsFrom(facts) : {};
  const isWritten = write !== undefined && Object.keys(settings).length > 0;
  if (isWritten) {
    write(settings);
  }
  const seen = Object.fromEntries(rowsOf(facts, plan));
  const json = { number: plan.number, left, ended, seen, unknown: STAYS_UNKNOWN, settings, isWritten };
  io.stdout.write(jsonText(json));
  return exitCodeOf(outcome);
}

function report(outcome: Findings, plan: Subject, write: Write, io: Io): number {
  const facts = readFacts(outcome.answers, plan);
  const ended = outcome.ended === undefined ? [] : [`Ended early: ${printable(outcome.ended)}`];
  const sections = [
    printable(leftText(outcome, plan)),
    ...ended,
    ...(Object.keys(outcome.answers).length === 0 ? [] : [table(facts, plan)]),
    ...(outcome.ended === undefined ? [settingsText(facts, write)] : ["An incomplete probe suggests no settings."]),
  ];
  io.stdout.write(`${sections.join("\n\n")}\n`);
  return exitCodeOf(outcome);
}

function table(facts: Facts, plan: Subject): string {
  const rows = rowsOf(facts, plan).map(([question, seen]) => [question, printable(seen)] as const);
  return `${columns(rows)}\n\nStill unknown:\n${STAYS_UNKNOWN.map((line) => `  - ${line}`).join("\n")}`;
}

function settingsText(facts: Facts, write: Write): string {
  const settings = settingsFrom(facts);
  const all = Object.entries(settings);
  if (all.length === 0) {
    return "No settings to change: the defaults fit, or the responses do not say.";
  }
  if (write !== undefined) {
    return write(settings);
  }
  return `Suggested settings:\n\n${all.map(([key, value]) => `  pulumi config set ${key} ${value}`).join("\n")}`;
}
