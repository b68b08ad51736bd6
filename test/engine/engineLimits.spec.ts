import assert from "node:assert/strict";
import { killAll } from "../support/engineProcesses";
import { withPlatformStack } from "../support/platformStack";

const number = "+15551234567";
const program = (options = "{}") => `
  import { NumberAssignment, split } from "pulumi-agent-platform";
  new NumberAssignment("support", {
    number: "${number}", inboundAgents: split({ "agent_front@12": 1 }),
  }, ${options});`;

const dates = `
  import * as pulumi from "@pulumi/pulumi";
  import { SmsChat } from "pulumi-agent-platform";
  const metadata: any = { at: pulumi.output(new Date(0)), tags: pulumi.output(new Set(["a"])), by: pulumi.output(new Map([["a", 1]])) };
  new SmsChat("chat", { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15550000001", toNumber: "+15550009999", metadata });`;

const type = "pulumi-nodejs:dynamic/agent-platform:NumberAssignment";

/** What the engine cannot do for a dynamic provider. */
describe("the limits of the engine", () => {
  it("pulumi import fails, as for every dynamic resource: nothing is sent, nothing is saved, and create goes on working; a Date, a Set or a Map in an output is an empty map; PULUMI_SKIP_CHECKPOINTS leaves no trace of a POST", async () => {
    await withPlatformStack({ program: program() }, async ({ stack, sent, sentNothing, platform }) => {
      const onStack = ["--stack", stack.project.stackName, "--config-file", stack.project.configFile];
      const args = ["import", type, "support", number, "--yes", "--protect=false", "--generate-code=false", ...onStack];
      const imported = await stack.run(args, { expectFailure: true });
      assert.match(imported.output, NO_PROVIDER_TEXT);
      assert.deepEqual(stack.resources(), []);

      stack.write(program(`{ import: "${number}" }`));
      const optioned = await stack.up({ expectFailure: true });
      assert.match(optioned.output, NO_PROVIDER_TEXT);
      assert.deepEqual(stack.resources(), []);
      sentNothing();

      stack.write(program() + dates);
      await stack.up();
      const created = sent();
      assert.equal(created.length, 2);
      const [[, body]] = created.filter(([request]) => request.startsWith("POST")) as [[string, { metadata: object }]];
      // The SDK has written a Date, a Set and a Map in an output as an empty map.
      assert.deepEqual(body.metadata, { at: {}, tags: {}, by: {} });

      // A run that is killed behind a POST leaves no pending operation, so the next run would send a second SMS.
      stack.write(program() + dates.replace('"chat"', '"another"'));
      platform.inject({ kind: "hold" });
      const env = { PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "true" };
      const run = stack.spawn(["up", "--yes", "--skip-preview"], { env });
      await platform.waitForRequests(3);
      killAll(run.processes());
      await run.result;
      assert.deepEqual(stack.export().deployment?.pending_operations ?? [], []);
    });
  });
});

/** The SDK's provider process is asked to read without properties, so without the line that says whose code it is to run. */
const NO_PROVIDER_TEXT = /error: .*Cannot read properties of undefined/;
