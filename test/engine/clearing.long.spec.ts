import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { reportCommand } from "../../cli/commands/report";
import type { Emulator } from "../../emulator";
import { runWith } from "../cli/terminal";
import type { Result } from "../support/engine";
import { attemptsAre } from "../support/engineProject";
import { namedIn } from "../support/named";
import { byTarget, type PlatformStack, put, withPlatformStack } from "../support/platformStack";
import { numberAt, program } from "./movingNumbers";

/**
 * Until the whole program has run, a number that was removed from one resource may turn up in another. Therefore only
 * deletes, which the engine runs last, clear removed numbers.
 */
const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => numberAt(from + index));
const list = (numbers: readonly string[]): string => JSON.stringify(numbers);
const forty = "for (let i = 0; i < 40; i++) single('still-' + i, '+1555001' + (1000 + i), 'agent_still');";
const chat = (name: string, more: string) =>
  `new SmsChat("${name}", { workspaceId: 42, agentId: "chat_agent_a", fromNumber: "+15559990000", toNumber: "+15558880000", ${more} });`;

const originalProgram = program(`
  const g = group("g", ${list(range(1, 8))}, "agent_g");
  ${forty}
  group("kept", ${list(range(21, 22))}, "agent_kept", { retainOnDelete: true });
  group("h", ${list(range(31, 34))}, "agent_h");
  ${chat("talk", "")}`);
const deletingFirst = program(`
  group("g", ${list(range(1, 8))}, "agent_g");
  ${forty}
  group("kept", ${list(range(21, 22))}, "agent_kept", { retainOnDelete: true });
  group("h", ${list(range(33, 34))}, "agent_h", { deleteBeforeReplace: true });
  ${chat("talk", "")}`);
const changedProgram = (chatId: string, more = "") =>
  program(`
  const g = group("g", ${list(range(5, 8))}, "agent_g");
  ${forty}
  single("output", pulumi.output("${numberAt(1)}"), "agent_output", { dependsOn: [g] });
  single("sync", "${numberAt(2)}", "agent_sync");
  single("waiting", "${numberAt(3)}", "agent_waiting", { dependsOn: [g] });
  group("kept", ${list([numberAt(22)])}, "agent_kept", { retainOnDelete: true });
  // This option doesn't protect the numbers removed in this run, because the engine uses the previous run's value.
  group("h", ${list(range(33, 34))}, "agent_h", { retainOnDelete: true });
  module.exports = (async () => {
    await wait();
    single("late", "${numberAt(4)}", "agent_late");
    ${chat("talk-on", `adopt: "${chatId}"`)}
    ${more}
  })();`);

/** Raises the limit on removed numbers, because this test removes several. */
const withoutLimit = { "agent-platform:maxRemove": 100 };

const assigns = (number: string, agent: string): [string, unknown] => [
  put(number),
  { inboundAgents: [{ agent_id: agent, weight: 100 }] },
];
const clears = (number: string): [string, unknown] => [put(number), { inboundAgents: [] }];
const errorsIn = ({ diagnostics }: Result): string[] =>
  diagnostics
    .filter(({ severity, message }) => severity === "error" && /AGP-\d{3}/.test(message))
    .map(({ message }) => message.replace(/^.*?(?=AGP-)/s, ""));

/** Asserts that all calls to each number go to its agent in `agents`, and that no request has cleared the number. */
function assertNeverCleared(platform: Emulator, agents: Readonly<Record<string, string>>): void {
  const cleared = platform.requests
    .filter(({ body }) => isDeepStrictEqual((body as { inboundAgents?: unknown }).inboundAgents, []))
    .map(({ number }) => number);
  for (const [number, agent] of Object.entries(agents)) {
    assert.deepEqual(platform.routing(number), { inboundAgents: { [agent]: 100 } }, number);
    assert.ok(!cleared.includes(number), `${number} was cleared`);
  }
}

describe("numbers removed from a group", () => {
  it("unassigns a removed number unless another resource declares it", async () => {
    await withPlatformStack({ program: originalProgram, config: withoutLimit, env: attemptsAre(1) }, async (opened) => {
      const { platform, stack, sent } = opened;
      await stack.up();
      sent();
      await refusesToDeleteFirst(opened);
      const chatId = platform.chats[0]?.chatId ?? "";
      await movesNumbers(opened, chatId);
      await clearsInTheNextRun(opened, chatId);
    });
  });
});

async function refusesToDeleteFirst({ stack, sentNothing }: PlatformStack) {
  stack.write(deletingFirst);
  assert.deepEqual(errorsIn(await stack.up({ expectFailure: true })).map(namedIn), [
    'AGP-075 NumberGroup "h" `deleteBeforeReplace` `deleteBeforeReplace` AGP-075',
  ]);
  sentNothing();
}

/**
 * Moves numbers to other resources, and checks that each gets its new agent. Also removes two numbers for which the
 * platform returns 503, so this run can't clear them.
 */
async function movesNumbers({ platform, stack, sent }: PlatformStack, chatId: string) {
  for (const number of range(31, 32)) {
    platform.inject({ kind: "status", status: 503, number, times: "always" });
  }
  stack.write(changedProgram(chatId));
  const failed = await stack.up({ expectFailure: true });
  assert.deepEqual(byTarget(sent()), [
    assigns(numberAt(1), "agent_output"),
    assigns(numberAt(2), "agent_sync"),
    assigns(numberAt(3), "agent_waiting"),
    assigns(numberAt(4), "agent_late"),
    clears(numberAt(31)),
    clears(numberAt(32)),
  ]);
  assert.deepEqual(
    errorsIn(failed).map((message) => message.match(/AGP-\d{3}|NumberGroup "\w+"|\+\d{7,}/g)),
    [["AGP-070", 'NumberGroup "h"', "AGP-040", numberAt(31), numberAt(32)]],
  );
  assertNeverCleared(platform, {
    [numberAt(1)]: "agent_output",
    [numberAt(2)]: "agent_sync",
    [numberAt(3)]: "agent_waiting",
    [numberAt(4)]: "agent_late",
    // No resource declares this number any more, but `retainOnDelete` was set, so its agent stays.
    [numberAt(21)]: "agent_kept",
    ...Object.fromEntries(range(5, 8).map((number) => [number, "agent_g"])),
  });
  platform.clearFaults();
}

async function clearsInTheNextRun({ platform, stack, sent, sentNothing }: PlatformStack, chatId: string) {
  const preview = await stack.preview();
  assert.match(preview.output, /delete original/);
  // Pass the options that CI pipelines use. Without `--show-replacement-steps`, the JSON would leave out the replaced
  // group, which still has to be deleted.
  const { stdout } = await stack.preview({ json: true, args: ["--show-sames", "--show-replacement-steps"] });
  const report = await runWith(reportCommand.run, ["--fail-on", "delete"], { stdin: stdout });
  assert.match(report.stdout, /\b2 numbers \(`h`\)/);
  assert.equal(report.code, 1);
  sentNothing();
  stack.write(changedProgram(chatId, `single("later", "${numberAt(31)}", "agent_later");`));
  const { changeSummary } = await stack.up();
  assert.equal(changeSummary.same, 49);
  assert.deepEqual(sent(), [assigns(numberAt(31), "agent_later"), clears(numberAt(32))]);
  assert.deepEqual(platform.routing(numberAt(31)), { inboundAgents: { agent_later: 100 } });
  assert.deepEqual(platform.routing(numberAt(32)), { inboundAgents: {} });
  assert.deepEqual(
    platform.chats.map((talk) => [talk.chatId, talk.ended]),
    [[chatId, false]],
  );
}
