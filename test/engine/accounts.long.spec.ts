import assert from "node:assert/strict";
import { reportCommand } from "../../cli/commands/report";
import { startEmulator } from "../../emulator";
import { postedNouns } from "../../provider/core/platform/posted";
import { runWith } from "../cli/terminal";
import { diffBlock, put, withPlatformStack } from "../support/platformStack";

const program = (provider = "", opts = "{}", more = "") => `
  import { AgentPlatform, CommunityVoice, NumberAssignment, NumberGroup, SmsChat, split } from "pulumi-agent-platform";
  ${provider}
  const inboundAgents = split({ "agent_front@12": 1 });
  new NumberAssignment("line", { number: "+15550000001", inboundAgents }, ${opts});
  new NumberGroup("group", { numbers: ["4001"], inboundAgents }, ${opts});
  new CommunityVoice("nova", {
    workspaceId: 42, voiceProvider: "provider_a", providerVoiceId: "voice-1", voiceName: "Nova", publicUserId: "user-1",
  }, ${opts});
  new SmsChat("reminder", {
    workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15550000001", toNumber: "+15550009999",
  }, ${opts});
  ${more}`;

/** Numbers whose resources get another name. */
const called = (name: string, opts = "{}", more = "") => `
  new NumberAssignment("${name}", { number: "+15550000021", inboundAgents, ${more} }, ${opts});
  new NumberGroup("${name}s", { numbers: ["+15550000022", "+15550000023"], inboundAgents, ${more} }, ${opts});`;

/** The same base URL, and nothing but the token to tell the accounts apart. */
const second = `const second = new AgentPlatform("second", { baseUrl: process.env.SECOND_URL!, accessTokenEnv: "SECOND_TOKEN" });`;

const bound = { inboundAgents: { "agent_front@12": 1 } };
const names = (steps: readonly { op: string; name: string }[]) => steps.map(({ op, name }) => `${op} ${name}`).sort();

describe("resources that move to another platform", () => {
  it("to another account at the same base URL: shown and sent for numbers, told and never sent for voices and chats; report and `up` tell a new name in the same words", async () => {
    const tokens = { "second-token": { accountSid: "second-account" } };
    const webhook = 'inboundWebhookUrl: "https://hooks.example.com/x"';
    await withPlatformStack(
      { program: program("", "{}", called("desk", "{}", webhook)), platform: { tokens } },
      async ({ stack, sent, sentNothing, platform }) => {
        const env = { SECOND_URL: platform.url, SECOND_TOKEN: "second-token" };
        await stack.up({ env });
        sent();
        stack.write(program(second, "{ provider: second }", called("other", "{ provider: second }")));

        const { output, steps, diagnostics } = await stack.preview({ env, diff: true });
        sentNothing();
        assert.deepEqual(names(steps), [
          "create other",
          "create others",
          "delete desk",
          "delete desks",
          "update group",
          "update line",
        ]);
        assert.ok(diffBlock(output, "line").includes('      + providerName : "second"'), output);
        const there = `${platform.url} (provider "second")`;
        const away = `nless both providers open the same account, the routing at ${platform.url} is unchanged; remove it there if unwanted.`;
        const moved = [
          `warning: AGP-060 CommunityVoice "nova": belongs to ${platform.url}, but the settings now name ${there}. ` +
            `Nothing is sent, because a POST would create a second ${postedNouns("or", "")}. To create one at ${there}, declare it under a new name.`,
          `warning: AGP-060 SmsChat "reminder": belongs to ${platform.url}, but the settings now name ${there}. ` +
            `Nothing is sent, because a POST would create a second ${postedNouns("or", "")}. To create one at ${there}, declare it under a new name.`,
          `warning: AGP-077 NumberAssignment "line" (+15550000001): moves from ${platform.url} to ${there}. ` +
            `U${away}`,
          `warning: AGP-077 NumberGroup "group": moves from ${platform.url} to ${there}. U${away}`,
        ];
        assert.deepEqual(diagnostics.map(({ message }) => message).sort(), moved);

        const { stdout } = await stack.preview({ env, json: true });
        const report = await runWith(reportCommand.run, ["-"], { stdin: stdout });
        const stays = "If they do, what only the old resource had set stays: inboundWebhookUrl.";
        for (const words of [away, stays]) {
          assert.ok(report.stdout.replaceAll("`", "").includes(words), report.stdout);
        }
        const left = [
          `  U${away}`,
          `  ${stays} To remove it, set it on the resource that declares the number now, run \`pulumi up\`, then remove it there.`,
        ];
        const up = await stack.up({ env });
        assert.deepEqual(
          up.diagnostics.map(({ message }) => message).sort(),
          [
            ...moved,
            'warning: AGP-061 NumberAssignment "desk" (+15550000021): not cleared: the program now declares this number with another provider.',
            'warning: AGP-061 NumberGroup "desks": 2 numbers not cleared, because the program now declares them with another provider (+15550000022, +15550000023).',
            ...left,
            ...left,
          ].sort(),
        );
        const numbers = ["+15550000001", "+15550000021", "+15550000022", "+15550000023", "4001"];
        assert.deepEqual(
          sent()
            .map(([target]) => target)
            .sort(),
          numbers.map(put),
        );
        for (const number of numbers) {
          assert.deepEqual(platform.routing(number, { token: "second-token" }), bound);
        }
        for (const number of ["+15550000001", "4001"]) {
          assert.deepEqual(platform.routing(number), bound);
        }
        assert.equal(platform.routing("+15550000021")?.inboundWebhookUrl, "https://hooks.example.com/x");

        // The second account never knew the chat: its 404 must not pass for "had ended".
        const destroyed = await stack.destroy({ env, args: ["--continue-on-error"], expectFailure: true });
        const [chat] = platform.chats;
        assert.equal(chat?.ended, false);
        assert.deepEqual(
          stack.resources().map(({ name }) => name),
          ["reminder"],
        );
        assert.match(destroyed.output, /AGP-033 SmsChat "reminder": delete rejected: the platform returned 404/);
        assert.deepEqual(platform.routing("+15550000001", { token: "second-token" }), { inboundAgents: {} });
      },
    );
  });

  it("to another base URL: shown and sent for numbers; what was made elsewhere is not ended here", async () => {
    const other = await startEmulator({ token: "other-token" });
    try {
      await withPlatformStack({ program: program() }, async ({ stack, sent, sentNothing, platform }) => {
        await stack.up();
        sent();
        stack.setConfig({ "agent-platform:baseUrl": other.url });
        const env = { AGENT_PLATFORM_ACCESS_TOKEN: other.token };
        const { output, steps } = await stack.preview({ env, diff: true });
        assert.deepEqual(names(steps), ["update group", "update line"]);
        assert.deepEqual(diffBlock(output, "line"), [
          `      ~ endpoint     : "${platform.url}" => "${other.url}"`,
          "        inboundAgents: {",
          "            agent_front@12: 1",
          "        }",
          '        number       : "+15550000001"',
        ]);
        assert.equal(other.requests.length, 0);
        await stack.up({ env });
        sentNothing();
        assert.deepEqual(other.requests.map(({ path }) => path).sort(), [
          "/api/numbers/%2B15550000001/agent",
          "/api/numbers/4001/agent",
        ]);
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
