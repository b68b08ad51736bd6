import assert from "node:assert/strict";
import { copyFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { byTarget, platformStack, put } from "../support/platformStack";

/** Programs with components, transforms, outputs of other stacks, and renamed resources. */

const offices = `
  import * as pulumi from "@pulumi/pulumi";
  import { readFileSync } from "node:fs";
  import { NumberAssignment, NumberGroup, split } from "pulumi-agent-platform";

  const atNight = (props: object) => ({ ...props, outboundAgentId: "agent_night" });

  class Office extends pulumi.ComponentResource {
    constructor(name: string, numbers: string[], version: pulumi.Input<number>) {
      super("phones:index:Office", name, {}, {
        transforms: [({ type, props, opts }) => type.includes("NumberGroup") ? { props: atNight(props), opts } : undefined],
      });
      const inboundAgents = [{ agentId: "agent_front", agentVersion: version, weight: 1 }];
      new NumberGroup(name + "-lines", { numbers, inboundAgents }, { parent: this });
      this.registerOutputs({});
    }
  }
  // The file has Windows line endings.
  const lines = readFileSync("numbers.txt", "utf8").split(/\\r?\\n/).filter((line) => line !== "");
  const london = new Office("london", lines, 12);
  export const version = 12;`;

const support = (name: string) => `
  new NumberAssignment("${name}", { number: "+15551230001", inboundAgents: split({ "agent_front@12": 1 }) }, {
    transformations: [({ props, opts }) => ({ props: atNight(props), opts })],
  });`;

const paris = `
  const live = new pulumi.StackReference("organization/test/live");
  new Office("paris", ["+15551230005"], live.requireOutput("version"));`;

const putAtNight = (number: string) => [
  put(number),
  { outboundAgentId: "agent_night", inboundAgents: [{ agent_id: "agent_front", agent_version: 12, weight: 1 }] },
];

describe("transforms and renames", () => {
  const config = {
    "agent-platform:approvedAgents": '["agent_front@12", "agent_night"]',
    "agent-platform:maxUnapproved": 0,
  };
  const opened = platformStack({ program: offices + support("support"), config });

  it("sends the outbound agent that a transform sets", async () => {
    const { stack, sent } = opened();
    writeFileSync(join(stack.project.directory, "numbers.txt"), "+15551230002\r\n+15551230003\r\n");
    await stack.up({ args: ["--parallel", "1"] });
    assert.deepEqual(byTarget(sent()), ["+15551230001", "+15551230002", "+15551230003"].map(putAtNight));
  });

  it("sends no requests for a resource that was renamed in the state", async () => {
    const { stack, sent } = opened();
    const [urn] = stack.resources().flatMap((resource) => (resource.name === "support" ? [resource.urn] : []));
    await stack.run(["state", "rename", String(urn), "hotline", "--yes", "--stack", stack.project.stackName]);
    // The program can't read its own stack's outputs: the engine writes that file during the run, so it can be half empty.
    copyFileSync(stack.project.stateFile, join(dirname(stack.project.stateFile), "live.json"));
    stack.write(offices + support("hotline") + paris);
    const { changeSummary, diagnostics } = await stack.up();
    assert.deepEqual([changeSummary, diagnostics], [{ create: 2, same: 4 }, []]);
    assert.deepEqual(sent(), [putAtNight("+15551230005")]);
  });

  it("sends no requests for unchanged resources after a stack is renamed", async () => {
    const { stack, sent, platform } = opened();
    stack.write(offices + support("hotline"));
    await stack.run(["stack", "rename", "renamed", "--stack", "dev"]);
    // Pass the base URL as an option, because the config file is still named after the old stack.
    const renamed = ["--stack", "renamed", "--config", `agent-platform:baseUrl=${platform.url}`];
    const { output } = await stack.run(["up", "--yes", "--skip-preview", ...renamed]);
    assert.match(output, /unchanged/);
    assert.deepEqual(
      sent().map(([target]) => target),
      [put("+15551230005")],
    );
  });
});
