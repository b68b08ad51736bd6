import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { reportCommand } from "../../cli/commands/report";
import type { Emulator } from "../../emulator";
import { runWith } from "../cli/terminal";
import type { Result } from "../support/engine";
import { attemptsAre } from "../support/engineProject";
import { namedIn } from "../support/named";
import { byTarget, type PlatformStack, put, withPlatformStack } from "../support/platformStack";
import { n, program } from "./movingNumbers";

/**
 * Only at the end of a run is it known what the program declares. So create and update only assign, and the engine's deletes, which come
 * last, clear what no resource declares. The platform's own record is the judge.
 */
const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => n(from + index));
const list = (numbers: readonly string[]): string => JSON.stringify(numbers);
const forty = "for (let i = 0; i < 40; i++) one('still-' + i, '+1555001' + (1000 + i), 'agent_still');";
const chat = (name: string, more: string) =>
  `new SmsChat("${name}", { workspaceId: 42, agentId: "chat_agent_a", fromNumber: "+15559990000", toNumber: "+15558880000", ${more} });`;

const before = program(`
  const g = group("g", ${list(range(1, 8))}, "agent_g");
  ${forty}
  group("kept", ${list(range(21, 22))}, "agent_kept", { retainOnDelete: true });
  group("h", ${list(range(31, 34))}, "agent_h");
  ${chat("talk", "")}`);
const atOnce = program(`
  group("g", ${list(range(1, 8))}, "agent_g");
  ${forty}
  group("kept", ${list(range(21, 22))}, "agent_kept", { retainOnDelete: true });
  group("h", ${list(range(33, 34))}, "agent_h", { deleteBeforeReplace: true });
  ${chat("talk", "")}`);
const after = (chatId: string, more = "") =>
  program(`
  const g = group("g", ${list(range(5, 8))}, "agent_g");
  ${forty}
  one("output", pulumi.output("${n(1)}"), "agent_output", { dependsOn: [g] });
  one("sync", "${n(2)}", "agent_sync");
  one("waiting", "${n(3)}", "agent_waiting", { dependsOn: [g] });
  group("kept", ${list([n(22)])}, "agent_kept", { retainOnDelete: true });
  // Too late for those that leave in this run: the engine goes by what is saved.
  group("h", ${list(range(33, 34))}, "agent_h", { retainOnDelete: true });
  module.exports = (async () => {
    await wait();
    one("late", "${n(4)}", "agent_late");
    ${chat("talk-on", `adopt: "${chatId}"`)}
    ${more}
  })();`);

/** Any number may leave: what is tried is where it goes. */
const movingFreely = { "agent-platform:maxRemove": 100 };

const assigns = (number: string, agent: string): [string, unknown] => [
  put(number),
  { inboundAgents: [{ agent_id: agent, weight: 100 }] },
];
const clears = (number: string): [string, unknown] => [put(number), { inboundAgents: [] }];
const failedWith = ({ diagnostics }: Result): string[] =>
  diagnostics
    .filter(({ severity, message }) => severity === "error" && /AGP-\d{3}/.test(message))
    .map(({ message }) => message.replace(/^.*?(?=AGP-)/s, ""));

/** Each number has this agent, and no request of the log left one of them without any. */
function assertAlive(platform: Emulator, agents: Readonly<Record<string, string>>): void {
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
    await withPlatformStack({ program: before, config: movingFreely, env: attemptsAre(1) }, async (both) => {
      const { platform, stack, sent } = both;
      await stack.up();
      sent();
      await isNotClearedAtOnce(both);
      const chatId = platform.chats[0]?.chatId ?? "";
      await goesToItsHolder(both, chatId);
      await isClearedByTheNextRun(both, chatId);
    });
  });
});

async function isNotClearedAtOnce({ stack, sentNothing }: PlatformStack) {
  stack.write(atOnce);
  assert.deepEqual(failedWith(await stack.up({ expectFailure: true })).map(namedIn), [
    'AGP-075 NumberGroup "h" `deleteBeforeReplace` `deleteBeforeReplace` AGP-075',
  ]);
  sentNothing();
}

/** And what goes to no other resource is not cleared, because the platform fails. */
async function goesToItsHolder({ platform, stack, sent }: PlatformStack, chatId: string) {
  for (const number of range(31, 32)) {
    platform.inject({ kind: "status", status: 503, number, times: "always" });
  }
  stack.write(after(chatId));
  const failed = await stack.up({ expectFailure: true });
  assert.deepEqual(byTarget(sent()), [
    assigns(n(1), "agent_output"),
    assigns(n(2), "agent_sync"),
    assigns(n(3), "agent_waiting"),
    assigns(n(4), "agent_late"),
    clears(n(31)),
    clears(n(32)),
  ]);
  assert.deepEqual(
    failedWith(failed).map((text) => text.match(/AGP-\d{3}|NumberGroup "\w+"|\+\d{7,}/g)),
    [["AGP-070", 'NumberGroup "h"', "AGP-040", n(31), n(32)]],
  );
  assertAlive(platform, {
    [n(1)]: "agent_output",
    [n(2)]: "agent_sync",
    [n(3)]: "agent_waiting",
    [n(4)]: "agent_late",
    // Nobody declares it any more, and it was to be kept.
    [n(21)]: "agent_kept",
    ...Object.fromEntries(range(5, 8).map((number) => [number, "agent_g"])),
  });
  platform.clearFaults();
}

async function isClearedByTheNextRun({ platform, stack, sent, sentNothing }: PlatformStack, chatId: string) {
  const preview = await stack.preview();
  assert.match(preview.output, /delete original/);
  // The preview of the pipelines. Without the steps of replacements its JSON has nothing of the original.
  const { stdout } = await stack.preview({ json: true, args: ["--show-sames", "--show-replacement-steps"] });
  const report = await runWith(reportCommand.run, ["--fail-on", "delete"], { stdin: stdout });
  assert.match(report.stdout, /\b2 numbers \(`h`\)/);
  assert.equal(report.code, 1);
  sentNothing();
  stack.write(after(chatId, `one("later", "${n(31)}", "agent_later");`));
  const { changeSummary } = await stack.up();
  assert.equal(changeSummary.same, 49);
  assert.deepEqual(sent(), [assigns(n(31), "agent_later"), clears(n(32))]);
  assert.deepEqual(platform.routing(n(31)), { inboundAgents: { agent_later: 100 } });
  assert.deepEqual(platform.routing(n(32)), { inboundAgents: {} });
  assert.deepEqual(
    platform.chats.map((one) => [one.chatId, one.ended]),
    [[chatId, false]],
  );
}
