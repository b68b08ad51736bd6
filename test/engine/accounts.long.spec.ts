import assert from "node:assert/strict";
import { startEmulator } from "../../emulator";
import { ref } from "../support/engineProject";
import { diffBlock, withPlatformStack } from "../support/platformStack";

const program = `
  import { NumberAssignment, SmsChat, split } from "pulumi-agent-platform";
  new NumberAssignment("line", { number: "4001", inboundAgents: split({ "agent_front@12": 1 }) });
  new SmsChat("reminder", {
    workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15550000001", toNumber: "+15550009999",
  });`;

const bound = { inboundAgents: { "agent_front@12": 1 } };
const names = (steps: readonly { op: string; name: string }[]) => steps.map(({ op, name }) => `${op} ${name}`).sort();

describe("resources that move to another platform", () => {
  it("to another base URL: shown and sent for numbers; what was made elsewhere is not ended here", async () => {
    const other = await startEmulator({ token: "other-token" });
    try {
      await withPlatformStack({ program }, async ({ stack, sent, sentNothing, platform }) => {
        await stack.up();
        sent();
        stack.setConfig({ "agent-platform:baseUrl": other.url });
        const env = { AGENT_PLATFORM_ACCESS_TOKEN: other.token };
        const { output, steps } = await stack.preview({ env, diff: true });
        assert.deepEqual(names(steps), ["update line"]);
        assert.deepEqual(diffBlock(output, "line"), [
          `      ~ endpoint     : "${platform.url}" => "${other.url}"`,
          "        inboundAgents: {",
          "            agent_front@12: 1",
          "        }",
          '        number       : "4001"',
        ]);
        assert.equal(other.requests.length, 0);
        await stack.up({ env });
        sentNothing();
        assert.equal(other.requests.length, 1);
        assert.deepEqual(other.routing("4001"), bound);

        const destroyed = await stack.destroy({ env, args: ["--continue-on-error"], expectFailure: true });
        assert.deepEqual(
          destroyed.diagnostics.filter(({ urn }) => urn?.endsWith("::reminder")).map(({ message }) => message),
          [
            `AGP-060 SmsChat "reminder": delete not sent: the state was created against ${platform.url}; the settings point to ${other.url}.\n` +
              `  Set agent-platform:baseUrl to ${platform.url} and run again, or remove the resource from the state with \`pulumi state delete\`.`,
          ],
        );
        sentNothing();
        assert.deepEqual(other.routing("4001"), { inboundAgents: {} });
      });
    } finally {
      await other.close();
    }
  });
});

const REFUSED =
  'AGP-001 the explicit provider "second" is refused, because a stack has one account, that of its config: put a second account in a second stack.';

describe("a program with an explicit provider", () => {
  const dynamic = `
    import { ComponentResource, ProviderResource } from "@pulumi/pulumi";
    import { NumberAssignment, split } from "pulumi-agent-platform";
    const second = new ProviderResource("pulumi-nodejs", "second", {});
    const parent = new ComponentResource("my:Team", "team", {}, { providers: [second] });
    new NumberAssignment("line", { number: "4001", inboundAgents: split({ agent_a: 1 }) }, { parent });`;
  const yaml = {
    resources: {
      second: { type: "pulumi:providers:agent-platform", properties: { baseUrl: "https://platform.example.com" } },
      line: {
        type: "agent-platform:NumberAssignment",
        properties: { number: "4001", inboundAgents: { agent_a: 1 } },
        options: { provider: ref("second") },
      },
    },
  };
  for (const [what, refused] of [
    ["of its parent", dynamic],
    ["in YAML", yaml],
  ] as const) {
    it(`is refused in the preview: ${what}`, async () => {
      await withPlatformStack({ program: refused }, async ({ stack, sentNothing }) => {
        const { output } = await stack.preview({ expectFailure: true });
        assert.ok(output.includes(REFUSED), output);
        sentNothing();
      });
    });
  }
});
