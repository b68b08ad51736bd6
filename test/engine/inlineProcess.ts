import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { environment } from "../support/engine";
import { leftOf } from "../support/engineProcesses";
import { type PlatformStack, TOKEN } from "../support/platformStack";

/**
 * A service that runs an inline program through the Automation API. It is a process of its own, because mocha would take an exception of it for its own,
 * and because its SDK may be another one.
 */

/** What the program does. `declare` declares all that is deployed. */
export const FAILING: Readonly<Record<string, string>> = {
  "throws before declaring any resources": "lookup(); declare();",
  "throws after an await": "one(); await new Promise(setImmediate); lookup(); declare();",
  "throws in a timer": "setTimeout(() => { lookup(); declare(); });",
  "has an unhandled rejection": "one(); void rejected(); ",
  "declares them in the `then` of a rejected promise": "void rejected().then(declare);",
  "passes a rejected promise as an argument": "declare({ inboundWebhookUrl: rejected() });",
  "passes an output whose `apply` throws": "declare({ inboundWebhookUrl: pulumi.output(1).apply(lookup) });",
  "passes an invalid weight": 'declare({ inboundAgents: [{ agentId: "agent_a", weight: pulumi.output(-1) }] });',
  "has a transform that throws": "declare({}, { transforms: [lookup] });",
};

const serviceOf = (body: string, root: string) => `
  const { LocalWorkspace, PulumiCommand } = require("@pulumi/pulumi/automation");
  const pulumi = require("@pulumi/pulumi");
  const { NumberAssignment, NumberGroup, SmsChat } = require("pulumi-agent-platform");
  const lookup = () => { throw new Error("the lookup failed"); };
  const rejected = async () => lookup();
  const inboundAgents = { agent_a: 100 };
  const one = (args, opts) => new NumberAssignment("one", { number: pulumi.output("4001"), inboundAgents, ...args }, opts);
  const declare = (args = {}, opts) => {
    one(args, opts);
    new NumberGroup("group", { numbers: pulumi.output(["4002", "4003"]), inboundAgents, ...args }, opts);
    new SmsChat("chat", { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15550000008", toNumber: "+15550000009",
      metadata: { a: args.inboundWebhookUrl ?? "b" } }, opts);
  };
  (async () => {
    const program = async () => { ${body} };
    const stack = await LocalWorkspace.selectStack({ stackName: "dev", projectName: "test", program },
      { workDir: process.cwd(), pulumiCommand: await PulumiCommand.get({ root: ${JSON.stringify(root)} }) });
    await stack.up();
  })().catch((error) => { console.error(String(error)); process.exitCode = 1; });`;

/** Runs the program in a service on this stack, and waits until each process of the run has ended. */
export async function runInline(
  { stack }: PlatformStack,
  body: string,
): Promise<{ code: number | null; output: string }> {
  const { directory } = await findOrInstallEngine();
  const { project } = stack;
  const file = join(project.directory, "service.cjs");
  writeFileSync(file, serviceOf(body, dirname(directory)));
  const env = environment(directory, project, { AGENT_PLATFORM_ACCESS_TOKEN: TOKEN, TMPDIR: project.root });
  const child = spawn(process.execPath, [file], { cwd: project.directory, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  }
  const [code] = await once(child, "close");
  assert.deepEqual(await leftOf(stack.processes), [], output);
  return { code, output };
}

/** A program that fails sends nothing, and callers have what they had. */
export async function clearsNothing(life: PlatformStack, body: string): Promise<void> {
  const { platform, sentNothing } = life;
  const { code, output } = await runInline(life, body);
  assert.notEqual(code, 0, "the program did not fail");
  sentNothing();
  for (const number of ["4001", "4002", "4003"]) {
    assert.deepEqual(platform.routing(number), { inboundAgents: { agent_a: 100 } }, output);
  }
}
