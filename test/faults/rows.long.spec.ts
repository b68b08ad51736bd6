import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator, Fault, FaultAction, Operation } from "../../emulator";
import type { NumbersState } from "../../provider/core/change/state";
import type { Routing } from "../../provider/core/routing/routing";
import { inLanes } from "../support/lanes";
import type { Declaration, Run } from "../support/miniEngine";
import type { Providers } from "../support/miniEngineProviders";
import { declare, type MiniStack, messagesOf, token, withMiniStack } from "../support/miniStack";

/**
 * Every fault meets every call, for as long as one run takes; the next run is calm. Of each meeting the whole is compared: how often
 * the platform was asked, what the run says, what platform and state hold, and what the next run makes of it. The records are in
 * rows.txt, faults that end alike together; `npm run goldens test/faults/rows.long.spec.ts` writes them again. What must hold of all is asserted here as well.
 */
const GOLDEN = join(__dirname, "rows.txt");

const faults: Readonly<Record<string, FaultAction & Pick<Fault, "applied">>> = {
  refuse: { kind: "refuse" },
  "resetAfterRequest, not applied": { kind: "resetAfterRequest" },
  "resetAfterRequest, applied": { kind: "resetAfterRequest", applied: true },
  resetInHeaders: { kind: "resetInHeaders" },
  resetInBody: { kind: "resetInBody" },
  "silence, applied": { kind: "silence", applied: true },
  slowHeaders: { kind: "slowHeaders", ms: 20 },
  drip: { kind: "drip", ms: 100 },
  invalidJson: { kind: "invalidJson" },
  "html 200": { kind: "html" },
  "html 502": { kind: "html", status: 502 },
  huge: { kind: "huge" },
  redirect: { kind: "redirect" },
  "303, applied": { kind: "redirect", status: 303, applied: true },
  "400": { kind: "status", status: 400, body: { error: "no" } },
  "401": { kind: "status", status: 401, body: { error: "no" } },
  "403": { kind: "status", status: 403, body: { error: "no" } },
  "404": { kind: "status", status: 404, body: { error: "no" } },
  "408": { kind: "status", status: 408 },
  "409": { kind: "status", status: 409, body: { error: "no" } },
  "429": { kind: "status", status: 429, headers: { "retry-after": "9999" } },
  "500": { kind: "status", status: 500 },
  "501": { kind: "status", status: 501 },
  "503": { kind: "status", status: 503, headers: { "retry-after": "0" } },
  "200, and nothing is done": { kind: "status", status: 200, body: { success: true }, applied: false },
  appliedBut500: { kind: "appliedBut500" },
  noContent: { kind: "noContent" },
  "another split": { kind: "contradict", record: { inbound_agents: [{ agent_id: "agent_z", weight: 100 }] } },
};

const number = "+15550000001";
const split = (agentId: string) => ({ inboundAgents: [{ agentId, weight: 100 }] });
const one = (agentId: string) => [declare("numberAssignment", { number, ...split(agentId) })];
const group = (agentId: string) => [declare("numberGroup", { numbers: [number, "+15550000002"], ...split(agentId) })];
const voice = [
  declare("communityVoice", {
    workspaceId: 42,
    voiceProvider: "p",
    providerVoiceId: "v",
    voiceName: "Nova",
    publicUserId: "u",
  }),
];
const chat = [
  declare("smsChat", { workspaceId: 42, agentId: "chat_agent_a", fromNumber: number, toNumber: "+15550009999" }),
];

interface Meeting {
  readonly before?: readonly Declaration[];
  readonly program: readonly Declaration[];
  readonly operation: Operation;
  readonly isPost?: true;
}

const calls: Readonly<Record<string, Meeting>> = {
  "create a number": { program: one("agent_a"), operation: "assignNumber" },
  "change a number": { before: one("agent_a"), program: one("agent_b"), operation: "assignNumber" },
  "remove a number": { before: one("agent_a"), program: [], operation: "assignNumber" },
  "create a group": { program: group("agent_a"), operation: "assignNumber" },
  "change a group": { before: group("agent_a"), program: group("agent_b"), operation: "assignNumber" },
  "remove a group": { before: group("agent_a"), program: [], operation: "assignNumber" },
  "a number leaves a group": {
    before: [declare("numberGroup", { numbers: [number, "+15550000002"], ...split("agent_a") })],
    program: [declare("numberGroup", { numbers: ["+15550000002"], ...split("agent_a") })],
    operation: "assignNumber",
  },
  "another number": {
    before: one("agent_a"),
    program: [declare("numberAssignment", { number: "+15550000002", ...split("agent_a") })],
    operation: "assignNumber",
  },
  "create a voice": { program: voice, operation: "addCommunityVoice", isPost: true },
  "start a chat": { program: chat, operation: "createSmsChat", isPost: true },
  "end a chat": { before: chat, program: [], operation: "endChat" },
};

/** What the platform holds, in a line. */
function held(emulator: Emulator): string {
  const numbers = [...emulator.numbers.keys()].map((key) => {
    const agents = Object.keys(emulator.routing(key)?.inboundAgents ?? {});
    return `${key.slice(-1)}:${agents.length === 0 ? "-" : agents.join("+")}`;
  });
  const voices = emulator.voices.map(() => "voice");
  const chats = emulator.chats.map(({ ended }) => (ended ? "ended chat" : "open chat"));
  return [...numbers.sort(), ...voices, ...chats].join(" ") || "nothing";
}

const agentsIn = ({ inboundAgents = {} }: Routing): string => Object.keys(inboundAgents).join("+") || "-";

/** What was not applied, and beside it what the number got last and what it may have. */
function unappliedIn(unapplied: NumbersState["unapplied"] = []): string[] {
  return unapplied.map(({ numbers, reason, applied, maybe }) => {
    const who = numbers
      .split("\n")
      .filter((one) => one !== "")
      .map((one) => `${one.slice(-1)} `)
      .join("");
    const has = applied === undefined ? "" : ` has ${agentsIn(applied)}`;
    return `${who}unapplied (${reason})${has}${maybe === undefined ? "" : ` or ${maybe.map(agentsIn).join(" or ")}`}`;
  });
}

function saved({ engine }: MiniStack): string {
  const all = engine.state.map(({ id, outputs, initErrors, delete: isReplaced }) => {
    const { unresolved, unapplied, inboundAgents } = outputs;
    const marks = [
      ...(inboundAgents === undefined ? [] : [Object.keys(inboundAgents as object).join("+") || "-"]),
      ...(unresolved === undefined ? [] : ["unresolved"]),
      ...unappliedIn(unapplied as NumbersState["unapplied"]),
      ...(initErrors.length > 0 ? ["with errors"] : []),
      ...(isReplaced ? ["to be deleted"] : []),
    ];
    return (marks.join(", ") || "whole") + (id === "" ? " WITHOUT ID" : "");
  });
  return all.join("; ") || "nothing";
}

const codes = (run: Run): string => {
  const said = [...run.said.matchAll(/^warning: (AGP-\d+)/gm)].map(([, code]) => `warns ${code}`);
  const failed = messagesOf(run).map((message) => `fails ${message.slice(0, 7)}`);
  return [...new Set([...failed, ...said])].join(", ") || "passes";
};

const stepsOf = (run: Run): string => run.steps.map(({ op }) => op).join("+") || "no step";

/** Time is short only if it is time alone that ends an attempt. */
const settingsUnder = (fault: FaultAction): Readonly<Record<string, number>> => ({
  ...(["silence", "drip"].includes(fault.kind) && { "agent-platform:requestTimeout": 2 }),
});

const unhurried = { "agent-platform:requestTimeout": 30 };

async function meet(
  fault: FaultAction & Pick<Fault, "applied">,
  meeting: Meeting,
  providers: Providers,
): Promise<string> {
  const { before = [], program, operation, isPost } = meeting;
  let record = "";
  await withMiniStack({ config: settingsUnder(fault), providers }, async (stack) => {
    const { emulator, up, engine } = stack;
    assert.deepEqual((await up(before)).failures, []);
    let seen = emulator.requests.length;
    const tell = (run: Run, sent: number = emulator.requests.length - seen) =>
      `${sent} sent, ${codes(run)}; platform: ${held(emulator)}; state: ${saved(stack)}`;
    const handle = emulator.inject({ ...fault, operation, times: Number.POSITIVE_INFINITY });
    const run = await up(program, { continueOnError: true });
    handle.remove();
    record = tell(run);
    assert.ok(!JSON.stringify([run, engine.state]).includes(token), "the token is shown");
    seen = emulator.requests.length;
    const next = await up(program, { continueOnError: true, config: unhurried });
    record += `\n  next: ${stepsOf(next)}, ${tell(next)}`;
    assert.deepEqual(next.failures, [], record);
    if (isPost) {
      const posts = emulator.requests.filter((request) => request.operation === operation && request.applied);
      assert.ok(posts.length <= 1, `posted ${posts.length} times`);
    }
    const sent = emulator.requests.length;
    assert.deepEqual((await up(program, { config: unhurried })).failures, []);
    assert.equal(emulator.requests.length, sent, `the third run sends something: ${record}`);
  });
  return record;
}

const LANES = 8;
/** What became of each fault at each call, or the error that its life ended with. */
type Records = Map<Meeting, Record<string, string | Error>>;

/** The first request of a process loads got; how often a request is repeated is a question of the time that it takes. */
const warm = (providers: Providers): Promise<void> =>
  withMiniStack({ providers }, async ({ up }) => {
    assert.deepEqual((await up(one("agent_a"))).failures, []);
  });

async function meetAll(): Promise<Records> {
  const meetings = Object.values(calls);
  const records: Records = new Map(meetings.map((meeting) => [meeting, {}]));
  const all = meetings.flatMap((meeting) => Object.entries(faults).map(([name, fault]) => ({ meeting, name, fault })));
  const record = async ({ meeting, name, fault }: (typeof all)[number], providers: Providers) => {
    const met = await meet(fault, meeting, providers).catch(
      (cause: Error) => new Error(`${name}: ${cause.message}`, { cause }),
    );
    Object.assign(records.get(meeting) ?? {}, { [name]: met });
  };
  await inLanes(all, LANES, record, { warm, attempts: 2 });
  return records;
}

/** Faults that end alike are one entry. */
function sectionOf(records: Record<string, string | Error>): string {
  const endingOf = (name: string): string => {
    const record = records[name];
    if (record instanceof Error) {
      throw record;
    }
    return record ?? "";
  };
  const names = Object.keys(faults);
  const endings = new Set(names.map(endingOf));
  return [...endings]
    .map((ending) => `${names.filter((name) => endingOf(name) === ending).join(" | ")}\n  ${ending}`)
    .join("\n");
}

describe("every fault at every call", function () {
  this.timeout(30 * 60_000);
  let records: Records;
  before(async () => {
    records = await meetAll();
  });
  after(() => {
    if (isUpdate) {
      writeFileSync(GOLDEN, `${met.join("\n\n")}\n`);
    }
  });

  const isUpdate = process.env.UPDATE_GOLDENS !== undefined;
  const golden = isUpdate ? "" : readFileSync(GOLDEN, "utf8");
  const met: string[] = [];

  for (const [call, meeting] of Object.entries(calls)) {
    it(`is told, kept and recovered from: ${call}`, () => {
      const section = `# ${call}\n${sectionOf(records.get(meeting) ?? {})}`;
      met.push(section);
      if (isUpdate) {
        return;
      }
      const known = golden.split("\n\n").find((text) => text.startsWith(`# ${call}\n`));
      assert.deepEqual(section.split("\n"), known?.trimEnd().split("\n"));
    });
  }
});
