import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { assertAlive, bindsTo, clears, failedWith, n, program } from "../support/movingNumbers";
import { withPlatformStack } from "../support/platformStack";

describe("a run that cannot know what its other providers declare", () => {
  it("clears nothing and says so; what the other one declares is bound again by a change of triggers, as the message says", async () => {
    const temporary = mkdtempSync(join(tmpdir(), "agent-platform-shared-"));
    const second =
      "const second = new AgentPlatform('second', { baseUrl: process.env.AGENT_PLATFORM_BASE_URL, accessTokenEnv: 'AGENT_PLATFORM_ACCESS_TOKEN' });";
    const before = program(`${second} one("old", "${n(1)}", "agent_old");`);
    const moved = (trigger: string) =>
      program(`${second} new NumberAssignment("new", {
        number: "${n(1)}", inboundAgents: all("agent_new"), triggers: ["${trigger}"],
      }, { provider: second });`);
    const notSentByHolder = [
      [
        `AGP-074 NumberAssignment "old" (${n(1)}): delete not sent: a resource of another provider declares this number, and sent nothing for it in this run, so the number may still have the routing of this resource: change \`triggers\` of the one that declares it, and run \`pulumi up\`.`,
        "  This resource stays in the state. Fix any other resource that failed, then rerun.",
      ].join("\n"),
    ];
    try {
      await withPlatformStack({ program: before }, async ({ platform, stack, sent }) => {
        const address = { AGENT_PLATFORM_BASE_URL: platform.url };
        await stack.up({ env: address });
        sent();
        const folder = join(temporary, `agent-platform-${process.getuid?.() ?? userInfo().username}`);
        mkdirSync(folder, { recursive: true });
        chmodSync(folder, 0o755);
        stack.write(moved("1"));
        const failed = await stack.up({ env: { ...address, TMPDIR: temporary }, expectFailure: true });
        assert.deepEqual(failedWith(failed), [
          [
            `AGP-076 No number is cleared, because it is not known which numbers the program still declares: ${folder} has mode 755.`,
            "  Make it a folder that you own, with mode 0700 and free disk space, or set TMPDIR to another folder. Then rerun.",
          ].join("\n"),
        ]);
        assert.deepEqual(sent(), [bindsTo(n(1), "agent_new")]);
        // No process knows which of the two resources sent last.
        assert.deepEqual(failedWith(await stack.up({ env: address, expectFailure: true })), notSentByHolder);
        assert.deepEqual(sent(), []);
        stack.write(moved("2"));
        await stack.up({ env: address });
        assertAlive(platform, { [n(1)]: "agent_new" });
        assert.deepEqual(
          stack.resources().map(({ name }) => name),
          ["new"],
        );
        assert.deepEqual(sent(), [bindsTo(n(1), "agent_new")]);

        // The number goes back to the first provider in a run that fails, and the program stays as it was.
        const failing = program(`${second}
          const old = one("old", "${n(1)}", "agent_old");
          one("broken", "${n(9)}", "agent_broken", { dependsOn: [old] });`);
        platform.inject({ kind: "status", status: 422, number: n(9) });
        stack.write(failing);
        await stack.up({ env: address, expectFailure: true });
        assert.deepEqual(platform.routing(n(1)), { inboundAgents: { agent_old: 100 } });
        sent();
        stack.write(moved("2"));
        assert.deepEqual(failedWith(await stack.up({ env: address, expectFailure: true })), notSentByHolder);
        assert.deepEqual(sent(), []);
        stack.write(moved("3"));
        await stack.up({ env: address });
        assert.deepEqual(sent(), [bindsTo(n(1), "agent_new")]);
        assertAlive(platform, { [n(1)]: "agent_new" });
        assert.deepEqual((await stack.up({ env: address })).changeSummary.same, 3);
        assert.deepEqual(sent(), []);

        // A provider process dies when its resources are done, and the one that lets the number go begins only then.
        platform.inject({ kind: "status", status: 422, number: n(9) });
        stack.write(failing);
        await stack.up({ env: address, expectFailure: true });
        sent();
        chmodSync(folder, 0o700);
        stack.write(
          program(`${second}
            import { readdirSync, readFileSync } from "node:fs";
            const made = new NumberAssignment("new", {
              number: "${n(1)}", inboundAgents: all("agent_new"), triggers: ["3"],
            }, { provider: second });
            module.exports = (async () => {
              await made.urn.promise();
              const [file] = readdirSync("${folder}");
              process.kill(Number(/^\\{"pid":(\\d+),"by"/m.exec(readFileSync("${folder}/" + file, "utf8"))[1]), "SIGKILL");
            })();`),
        );
        const died = await stack.up({ env: { ...address, TMPDIR: temporary }, expectFailure: true });
        assert.deepEqual(failedWith(died), [
          [
            `AGP-074 NumberAssignment "old" (${n(1)}): delete not sent: the process of the provider that declares this number has ended.`,
            "  This resource stays in the state. Fix any other resource that failed, then rerun.",
          ].join("\n"),
        ]);
        assert.deepEqual(sent(), []);
        stack.write(moved("4"));
        await stack.up({ env: address });
        assert.deepEqual(sent(), [bindsTo(n(1), "agent_new")]);
        assertAlive(platform, { [n(1)]: "agent_new" });
      });
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  });

  it("says so in the program as well, where that cannot tell them what it declares", async () => {
    const temporary = mkdtempSync(join(tmpdir(), "agent-platform-shared-"));
    const folder = join(temporary, `agent-platform-${process.getuid?.() ?? userInfo().username}`);
    const text = program(`
      const { rmSync, writeFileSync } = require("node:fs");
      one("a", "${n(1)}", "agent_a");
      rmSync(${JSON.stringify(folder)}, { recursive: true });
      writeFileSync(${JSON.stringify(folder)}, "");
      one("b", "${n(2)}", "agent_b");`);
    try {
      await withPlatformStack({ program: text }, async ({ stack, sent }) => {
        const failed = await stack.up({ env: { TMPDIR: temporary }, expectFailure: true });
        assert.deepEqual(failedWith(failed), [
          [
            `AGP-076 No number is cleared, because it is not known which numbers the program still declares: ${folder} cannot be used (ENOTDIR).`,
            "  Make it a folder that you own, with mode 0700 and free disk space, or set TMPDIR to another folder. Then rerun.",
          ].join("\n"),
        ]);
        assert.deepEqual(sent().sort(), [bindsTo(n(1), "agent_a"), bindsTo(n(2), "agent_b")]);
      });
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  });

  it("saves the message that was under way while the folder was removed, sends no second one, and clears in the next run", async () => {
    const temporary = mkdtempSync(join(tmpdir(), "agent-platform-shared-"));
    const chat =
      'new SmsChat("hello", { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15550000001", toNumber: "+15550000002" });';
    const old = `one("old", "${n(1)}", "agent_old");`;
    try {
      await withPlatformStack({ program: program(old) }, async ({ platform, stack, sent }) => {
        const env = { TMPDIR: temporary };
        await stack.up({ env });
        sent();
        stack.write(program(chat));
        platform.pause({ operation: "createSmsChat" });
        const run = stack.up({ env, expectFailure: true });
        await platform.waitForRequests(2);
        const folder = join(temporary, `agent-platform-${process.getuid?.() ?? userInfo().username}`);
        rmSync(folder, { recursive: true });
        platform.release();
        const { diagnostics } = await run;
        const said = diagnostics.map(({ message }) => /AGP-\d{3}/.exec(message)?.[0]);
        assert.deepEqual([said.includes("AGP-078"), said.includes("AGP-076")], [true, true]);
        assert.deepEqual(
          sent().map(([request]) => request),
          ["POST /api/chats/outbound-sms"],
        );
        await stack.up({ env });
        assert.deepEqual(sent(), [clears(n(1))]);
        assert.equal(platform.chats.length, 1);
      });
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  });
});
