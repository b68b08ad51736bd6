import assert from "node:assert/strict";
import { errors, withPlatformStack } from "../support/platformStack";

const lines = (count: number) => `
  import { NumberAssignment } from "pulumi-agent-platform";
  for (let line = 1; line <= ${count}; line += 1) new NumberAssignment("line-" + line, {
    number: "+1555000000" + line, inboundAgents: [{ agentId: "agent_front", weight: 1 }],
  });`;

const noToken =
  "AGP-013 the access token is not set: it was looked for in AGENT_PLATFORM_ACCESS_TOKEN (environment). Nothing was sent. Set AGENT_PLATFORM_ACCESS_TOKEN, or run " +
  "`pulumi config set --secret agent-platform:accessToken`.";

describe("settings through the real engine", () => {
  it("are missed by name, all at once, and a preview needs no token", async () => {
    const options = { program: lines(2), hasSettings: false };
    await withPlatformStack(options, async ({ stack, sentNothing, platform }) => {
      stack.setConfig({
        "agent-platform:requestTimeout": "long",
        "agent-platform:clearWith": { secret: "nil" },
        "agent-platform:rollouts": JSON.stringify({ front: { stable: "front@13", percent: "10%" } }),
      });
      const wrong = await stack.preview({ expectFailure: true });
      const said = wrong.diagnostics.filter(({ message }) => message.includes("AGP-01"));
      assert.deepEqual(
        said.map(({ message }) => message.replace(/^.* has a problem: /, "").split("\n")),
        [
          [
            `AGP-015 agent-platform:rollouts.front.stable is "front@13". Did you mean agent_front@13?`,
            `  agent-platform:rollouts.front.percent is "10%". Write a number from 0 to 100.`,
            `  agent-platform:clearWith must be one of null, empty, omit.`,
            `  agent-platform:requestTimeout must be a number of seconds above 0 and at most 86400.`,
            "AGP-010 the base URL of the platform is not set. Run `pulumi config set agent-platform:baseUrl https://…`, or set AGENT_PLATFORM_BASE_URL.",
          ],
        ],
      );
      stack.setConfig({ "agent-platform:rollouts": undefined });

      stack.setConfig({ "agent-platform:requestTimeout": undefined, "agent-platform:clearWith": undefined });
      const [missed = "", ...others] = errors(await stack.preview({ expectFailure: true }));
      assert.match(missed, / has a problem: AGP-010 the base URL .* is not set\./);
      assert.deepEqual(others, []);

      stack.setConfig({ "agent-platform:baseUrl": platform.url });
      assert.deepEqual((await stack.preview()).changeSummary, { create: 3 });
      const untold = await stack.up({ expectFailure: true });
      assert.deepEqual([...new Set(errors(untold))], [noToken]);
      sentNothing();
    });
  });

  it("saved in the state hold the old token, encrypted; the environment's wins, and a 401 of a destroy names its variable", async () => {
    const config = { "agent-platform:accessToken": { secret: "old-token" } };
    const env = { AGENT_PLATFORM_ACCESS_TOKEN: "" };
    await withPlatformStack(
      { program: lines(2), config, env, platform: { token: "old-token" } },
      async ({ stack, sent, platform }) => {
        await stack.up();
        assert.equal(sent().length, 2);
        assert.ok(!stack.stateText().includes("old-token"));

        platform.setToken("new-token");

        const refused = await stack.destroy({ args: ["--continue-on-error"], expectFailure: true });
        assert.equal(sent().length, 2);
        assert.ok(!refused.output.includes("old-token"));
        assert.deepEqual(
          errors(refused).map((message) =>
            /^AGP-031 .*\n {2}A destroy uses the token of the saved state\. Set AGENT_PLATFORM_ACCESS_TOKEN to a new one and rerun\.\n {2}To keep /s.test(
              message,
            ),
          ),
          [true, true],
        );
        await stack.destroy({ env: { AGENT_PLATFORM_ACCESS_TOKEN: "new-token" } });
        assert.deepEqual(platform.routing("+15550000001"), { inboundAgents: {} });
      },
    );
  });
});
