import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { bindsTo, clears, failedWith, n, program } from "../support/movingNumbers";
import { withPlatformStack } from "../support/platformStack";

describe("a run that cannot know what its other providers declare", () => {
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
