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
 * Runs inline programs (Automation API) in a separate process. In mocha's own process, an uncaught exception would fail
 * the test, and another version of the SDK couldn't be used.
 */

/**
 * The bodies of failing programs. Each key says how its program fails. `declare()` declares every deployed resource,
 * and `declareFirst()` only the first one.
 */
export const FAILING_PROGRAMS: Readonly<Record<string, string>> = {
  "throws before declaring any resources": "lookup(); declare();",
  "throws after an await": "declareFirst(); await new Promise(setImmediate); lookup(); declare();",
  "throws in a timer": "setTimeout(() => { lookup(); declare(); });",
  "has an unhandled rejection": "declareFirst(); void rejected(); ",
  "declares them in the `then` of a rejected promise": "void rejected().then(declare);",
  "passes a rejected promise as an argument": "declare({ inboundWebhookUrl: rejected() });",
  "passes an output whose `apply` throws": "declare({ inboundWebhookUrl: pulumi.output(1).apply(lookup) });",
  "passes an invalid weight": 'declare({ inboundAgents: [{ agentId: "agent_a", weight: pulumi.output(-1) }] });',
  "has a transform that throws": "declare({}, { transforms: [lookup] });",
};

const serviceSource = (body: string, root: string) => `
  const { LocalWorkspace, PulumiCommand } = require("@pulumi/pulumi/automation");
  const pulumi = require("@pulumi/pulumi");
  const { NumberAssignment, NumberGroup, SmsChat } = require("pulumi-agent-platform");
  const lookup = () => { throw new Error("the lookup failed"); };
  const rejected = async () => lookup();
  const inboundAgents = { agent_a: 100 };
  const declareFirst = (args, opts) => new NumberAssignment("one", { number: pulumi.output("4001"), inboundAgents, ...args }, opts);
  const declare = (args = {}, opts) => {
    declareFirst(args, opts);
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

/** Runs an inline program on this stack, and waits until all processes of the run have ended. */
export async function runInline(
  { stack }: PlatformStack,
  body: string,
): Promise<{ code: number | null; output: string }> {
  const { directory } = await findOrInstallEngine();
  const { project } = stack;
  const serviceFile = join(project.directory, "service.cjs");
  writeFileSync(serviceFile, serviceSource(body, dirname(directory)));
  const env = environment(directory, project, { AGENT_PLATFORM_ACCESS_TOKEN: TOKEN, TMPDIR: project.root });
  const child = spawn(process.execPath, [serviceFile], {
    cwd: project.directory,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk) => {
      output += chunk;
    });
  }
  const [code] = await once(child, "close");
  assert.deepEqual(await leftOf(stack.processes), [], output);
  return { code, output };
}

/** Asserts that the program fails without sending anything, and that every number keeps its routing. */
export async function assertClearsNothing(opened: PlatformStack, body: string): Promise<void> {
  const { platform, sentNothing } = opened;
  const { code, output } = await runInline(opened, body);
  assert.notEqual(code, 0, "the program did not fail");
  sentNothing();
  for (const number of ["4001", "4002", "4003"]) {
    assert.deepEqual(platform.routing(number), { inboundAgents: { agent_a: 100 } }, output);
  }
}
