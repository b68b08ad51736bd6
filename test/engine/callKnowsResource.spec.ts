import assert from "node:assert/strict";
import { withPlatformStack } from "../support/platformStack";

const program = (body: string) => `
  import * as pulumi from "@pulumi/pulumi";
  import { NumberAssignment, NumberGroup, SmsChat, split } from "pulumi-agent-platform";
  const inboundAgents = split({ "agent_front@12": 90, "agent_front@13": 10 });
  class Office extends pulumi.ComponentResource {
    constructor(name: string) { super("phones:index:Office", name); }
  }
  const chat = { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15551230009", toNumber: "+15551239999" };
  ${body}`;

const first = program(`
  new NumberAssignment("desk", { number: "+15551230001", inboundAgents });
  new NumberGroup("emea", { numbers: ["+15551230002", "+15551230003"], inboundAgents });
  new NumberAssignment("kept", { number: "+15551230004", inboundAgents }, { ignoreChanges: ["*"] });
  new NumberAssignment("also kept", { number: "+15551230007", inboundAgents }, { ignoreChanges: ["*"] });
  new SmsChat("reminder", chat);`);

/** Renamed, moved into a component, and both; those that ignore every change keep the URN that they had. */
const moved = program(`
  const office = new Office("office");
  const root = { parent: pulumi.rootStackResource };
  new NumberAssignment("front desk", { number: "+15551230001", inboundAgents }, { aliases: [{ name: "desk" }] });
  new NumberGroup("emea", { numbers: ["+15551230002", "+15551230003"], inboundAgents }, { parent: office, aliases: [root] });
  new NumberAssignment("still kept", { number: "+15551230004", inboundAgents }, {
    ignoreChanges: ["*"], parent: office, aliases: [{ name: "kept", ...root }],
  });
  new NumberAssignment("renamed", { number: "+15551230007", inboundAgents }, {
    ignoreChanges: ["*"], aliases: [{ name: "also kept" }],
  });
  new SmsChat("reminder", chat, { parent: office, aliases: [root] });
  new NumberAssignment("transformed", { number: "+15551230005", inboundAgents }, {
    transforms: [async ({ props, opts }: any) => ({ props: { ...props, number: "+15551230006" }, opts })],
  });`);

describe("the URN that each call has among its inputs", () => {
  it("is shown in no diff, and changes nothing if a resource is renamed or moved, or its stack is renamed", async () => {
    await withPlatformStack({ program: first }, async ({ stack, sent, sentNothing, platform }) => {
      // Programs that read `--json` meet it there, beside the provider's text.
      const created = await stack.up({ args: ["--diff"] });
      assert.ok(created.output.includes("+15551230001"));
      sent();
      stack.write(moved);
      const { output: diff, steps } = await stack.up({ args: ["--diff"] });
      assert.deepEqual(
        [created.output, diff].map((output) => output.match(/.*__urn.*/g)),
        [null, null],
      );
      // The number of the transform is the one that is sent.
      assert.deepEqual(
        steps.map(({ op, name }) => `${op} ${name}`).filter((step) => !step.startsWith("same")),
        ["create office", "create transformed"],
      );
      assert.deepEqual(
        sent().map(([request]) => request),
        ["PUT /api/numbers/%2B15551230006/agent"],
      );
      await stack.run(["stack", "rename", "renamed", "--stack", "dev"]);
      // The config file keeps the old stack's name.
      const renamed = ["--stack", "renamed", "--config", `agent-platform:baseUrl=${platform.url}`];
      const { output } = await stack.run(["up", "--yes", "--skip-preview", ...renamed]);
      assert.match(output, /unchanged/);
      sentNothing();
      // A message names a resource as the program does.
      platform.inject({ kind: "status", status: 403, times: Number.POSITIVE_INFINITY });
      const failed = await stack.run(
        ["destroy", "--yes", "--skip-preview", "--continue-on-error", ...renamed.slice(0, 2)],
        {
          mayFail: true,
        },
      );
      assert.match(
        failed.output,
        /AGP-0\d\d (NumberAssignment "(front desk|still kept|transformed)" \(\+1555123000\d\)|NumberGroup "emea"|SmsChat "reminder"): /,
      );
    });
  });
});
