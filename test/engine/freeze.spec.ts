import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "../support/engine";
import { type PlatformStack, type PlatformStackOptions, put, withPlatformStack } from "../support/platformStack";

const number = "+15550000001";
const extension = "4001";
const inboundAgents = { "agent_front@12": 100 };

const node = `
  import { NumberAssignment, NumberGroup, split } from "pulumi-agent-platform";
  const inboundAgents = split(${JSON.stringify(inboundAgents)});
  new NumberAssignment("line", { number: "${number}", inboundAgents });
  new NumberGroup("desk", { numbers: ["${extension}"], inboundAgents });`;

/** A user's stack: its config is beside the program, and no command names the file. */
const asUser = (options: PlatformStackOptions, test: (both: PlatformStack & { pulumi: Pulumi }) => Promise<void>) =>
  withPlatformStack(options, async (both) => {
    const { project, run } = both.stack;
    symlinkSync(project.configFile, join(project.directory, "Pulumi.dev.yaml"));
    const pulumi: Pulumi = (line, fails = false, env = {}) =>
      run([...line.split(" "), "--stack", "dev"], { expectFailure: fails, env });
    await pulumi("up --yes --skip-preview");
    both.sent();
    await test({ ...both, pulumi });
  });

type Pulumi = (line: string, fails?: boolean, env?: Readonly<Record<string, string>>) => Promise<Result>;

const refused = (who: string) => `AGP-025 ${who}: changes are frozen: audit. `;
const line = refused(`NumberAssignment "line" (${number})`);
const desk = refused('NumberGroup "desk"');

describe("a freeze that was set after the last run", () => {
  it("refuses a destroy, and an up that declares nothing of ours; a bypass lets it pass", () =>
    asUser({ program: node }, async ({ stack, pulumi, sent, sentNothing, platform }) => {
      stack.setConfig({ "agent-platform:freeze": "audit" });
      const destroyed = await pulumi("destroy --yes --skip-preview --continue-on-error", true);
      for (const message of [line, desk]) {
        assert.ok(destroyed.output.includes(message), destroyed.output);
      }
      stack.write('import "pulumi-agent-platform";');
      const removed = await pulumi("up --yes --skip-preview --continue-on-error", true);
      for (const message of [line, desk]) {
        assert.ok(removed.output.includes(message), removed.output);
      }
      sentNothing();
      assert.deepEqual(platform.routing(number), { inboundAgents });

      await pulumi("destroy --yes --skip-preview", false, { AGENT_PLATFORM_BYPASS: "closing the account" });
      assert.deepEqual(
        sent()
          .map(([request]) => request)
          .sort(),
        [put(number), put(extension)].sort(),
      );
    }));
});
