import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, it } from "mocha";
import { doctorCommand } from "../../cli/commands/doctor/command";
import type { FaultHandle } from "../../emulator";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { killAll } from "../support/engineProcesses";
import { type PlatformStack, withPlatformStack } from "../support/platformStack";
import { runWith } from "./terminal";

/**
 * The CLI is killed with SIGKILL after the platform has applied a request and before the state is saved; then the program is reverted.
 * What doctor says is followed word for word, and the platform's own store is the judge.
 */
const [ONE, TWO] = ["+15550000001", "+15550000002"] as const;

const program = (...resources: readonly string[]) =>
  `import { NumberAssignment, NumberGroup } from "pulumi-agent-platform";\n${resources.join("\n")}\n`;
const number = (name: string, of: string, more = "") =>
  `new NumberAssignment("${name}", { number: "${of}", inboundAgents: [{ agentId: "agent_${name}", weight: 1 }],${more} });`;
const triggers = 'triggers: { again: "1" }';

const sixty = Array.from({ length: 60 }, (_, index) => `+1555001${String(index).padStart(4, "0")}`);
const group = (numbers: readonly string[], more = "") =>
  `new NumberGroup("emea", { numbers: ${JSON.stringify(numbers)}, inboundAgents: [{ agentId: "agent_emea", weight: 1 }],${more} });`;

const CLEAR = "Afterwards, clear this entry: `pulumi refresh --clear-pending-creates`. It sends nothing.";
const FORGETS = "Make the change first: the next `pulumi up` forgets this entry.";
const AGAIN = "if the program still has this change, run `pulumi up`: it sends each PUT again, which does no harm.";
const FIELD =
  " That does not clear `inboundWebhookUrl`, which this operation set: to clear it, declare it there with any value, run `pulumi up`, remove it, and run `pulumi up`.";
const REVERTED =
  "If the program was reverted, a preview shows no change, but callers may reach the agents of this operation:";

describe("doctor, after a run was killed and its program reverted", () => {
  it("names the resource whose number was taken: its own agents come back", () =>
    withPlatformStack({ program: program(number("x", ONE), number("y", TWO)) }, async (both) => {
      const { stack, platform } = both;
      await stack.up();
      await killed(both, program(number("x", TWO)));
      stack.write(program(number("x", ONE), number("y", TWO)));
      assert.equal(
        await doctor(both),
        shown("creating", 'NumberAssignment "x"', [
          AGAIN,
          REVERTED,
          `- ${TWO}: change \`triggers\` of dev: NumberAssignment "y", and run \`pulumi up\`.`,
          CLEAR,
        ]),
      );
      await stack.up();
      assert.deepEqual(platform.routing(TWO)?.inboundAgents, { agent_x: 1 }, "an ordinary run sends nothing");
      stack.write(program(number("x", ONE), number("y", TWO, triggers)));
      await stack.up();
      assert.deepEqual(platform.routing(ONE)?.inboundAgents, { agent_x: 1 });
      assert.deepEqual(platform.routing(TWO)?.inboundAgents, { agent_y: 1 });
      await clearEntry(both);
      assert.equal(await doctor(both), "No problems found.");
    }));

  it("names sixty numbers that no resource has, and how their agents go", () =>
    withPlatformStack({ program: program(number("x", ONE)) }, async (both) => {
      const { stack, platform } = both;
      await stack.up();
      await killed(both, program(number("x", ONE), group(sixty)), sixty.length);
      stack.write(program(number("x", ONE)));
      assert.equal(
        await doctor(both),
        shown("creating", 'NumberGroup "emea"', [
          AGAIN,
          REVERTED,
          `- No resource has ${sixty.join(", ")}: make the change again, so that NumberGroup "emea" declares these 60 numbers, and run \`pulumi up\`. To unassign the agents, revert it then, and run \`pulumi up\` again.`,
          CLEAR,
        ]),
      );
      stack.write(program(number("x", ONE), group(sixty)));
      await stack.up();
      stack.write(program(number("x", ONE)));
      await stack.up();
      const left = sixty.filter((one) => Object.keys(platform.routing(one)?.inboundAgents ?? {}).length > 0);
      assert.deepEqual(left, []);
      await clearEntry(both);
      assert.equal(await doctor(both), "No problems found.");
    }));

  it("names each resource that has one of a group's numbers, and the number that none has", () =>
    withPlatformStack({ program: program(group(sixty.slice(0, 2)), number("y", TWO)) }, async (both) => {
      const { stack, platform } = both;
      await stack.up();
      const change = program(group([...sixty.slice(0, 3), TWO], ' inboundWebhookUrl: "https://hooks.invalid/in"'));
      await killed(both, change, 4);
      stack.write(program(group(sixty.slice(0, 2)), number("y", TWO)));
      assert.equal(
        await doctor(both),
        shown("updating", 'NumberGroup "emea"', [
          AGAIN,
          REVERTED,
          `- ${TWO}: change \`triggers\` of dev: NumberAssignment "y", and run \`pulumi up\`.${FIELD}`,
          `- ${sixty[0]}, ${sixty[1]}: change \`triggers\` of dev: NumberGroup "emea", and run \`pulumi up\`.${FIELD}`,
          `- No resource has ${sixty[2]}: make the change again, so that NumberGroup "emea" declares this number, and run \`pulumi up\`. To unassign the agents, revert it then, and run \`pulumi up\` again.`,
          FORGETS,
        ]),
      );
      stack.write(change);
      await stack.up();
      stack.write(program(group(sixty.slice(0, 2)), number("y", TWO)));
      await stack.up();
      assert.deepEqual(
        [...sixty.slice(0, 3), TWO].map((one) => platform.routing(one)),
        [
          { inboundAgents: { agent_emea: 1 } },
          { inboundAgents: { agent_emea: 1 } },
          { inboundAgents: {} },
          { inboundAgents: { agent_y: 1 } },
        ],
      );
      assert.equal(await doctor(both), "No problems found.");
    }));

  it("names the field that a PUT does not clear", () =>
    withPlatformStack({ program: program(number("x", ONE)) }, async (both) => {
      const { stack, platform } = both;
      await stack.up();
      await killed(both, program(number("x", ONE, ' inboundWebhookUrl: "https://hooks.invalid/in"')));
      stack.write(program(number("x", ONE)));
      assert.equal(
        await doctor(both),
        shown("updating", 'NumberAssignment "x"', [
          AGAIN,
          REVERTED,
          `- ${ONE}: change \`triggers\` of dev: NumberAssignment "x", and run \`pulumi up\`.${FIELD}`,
          FORGETS,
        ]),
      );
      stack.write(program(number("x", ONE, ' inboundWebhookUrl: "https://any.invalid"')));
      await stack.up();
      stack.write(program(number("x", ONE)));
      await stack.up();
      assert.deepEqual(platform.routing(ONE), { inboundAgents: { agent_x: 1 } });
      assert.equal(await doctor(both), "No problems found.");
    }));

  it("names a resource whose delete was killed: its number has no agents, and a preview shows no change", () =>
    withPlatformStack({ program: program(number("x", ONE), number("y", TWO)) }, async (both) => {
      const { stack, platform } = both;
      await stack.up();
      await killed(both, program(number("x", ONE)));
      stack.write(program(number("x", ONE), number("y", TWO)));
      assert.equal(
        await doctor(both),
        shown("deleting", 'NumberAssignment "y"', [
          "run the same `pulumi up` or `pulumi destroy` again. Sending it twice does no harm.",
          `If the program was reverted, a preview shows no change, but callers may reach no agent: change \`triggers\` of this resource, and run \`pulumi up\`. ${FORGETS}`,
        ]),
      );
      stack.write(program(number("x", ONE), number("y", TWO, triggers)));
      await stack.up();
      assert.deepEqual(platform.routing(TWO)?.inboundAgents, { agent_y: 1 });
      assert.equal(await doctor(both), "No problems found.");
    }));

  it("says of a create that a later run has done that its entry is all that is left", () =>
    withPlatformStack({ program: program(number("x", ONE)) }, async (both) => {
      await both.stack.up();
      await killed(both, program(number("x", ONE), number("y", TWO)));
      await both.stack.up();
      assert.equal(
        await doctor(both),
        [
          "1 problem found",
          "",
          '1. dev: NumberAssignment "y": the engine was stopped while it was creating this. The state has it now, so a later run created it.',
          "   Do: clear this entry: `pulumi refresh --clear-pending-creates`. It sends nothing.",
        ].join("\n"),
      );
      await clearEntry(both);
      assert.equal(await doctor(both), "No problems found.");
    }));
});

const shown = (operation: string, who: string, todo: readonly string[]): string =>
  [
    "1 problem found",
    "",
    `1. dev: ${who}: the engine was stopped while it was ${operation} this; it is not known whether the platform has it.`,
    `   Do: ${todo.join("\n     ")}`,
  ].join("\n");

/** The last of so many requests is applied and never answered; the state has the lock of a run that is gone. */
async function killed({ stack, platform }: PlatformStack, next: string, requests = 1): Promise<void> {
  const before = platform.requests.length;
  const held: FaultHandle = platform.inject({ kind: "hold", after: requests - 1, applied: true });
  stack.write(next);
  const run = stack.spawn(["up", "--yes", "--skip-preview"]);
  await platform.waitForRequests(before + requests);
  killAll(run.processes().filter(({ role }) => role === "cli"));
  await run.result;
  killAll(run.processes());
  held.release();
  platform.clearFaults();
  await stack.run(["cancel", "--yes", "--stack", stack.project.stackName]);
}

const clearEntry = ({ stack }: PlatformStack) => stack.refresh({ args: ["--clear-pending-creates"] });

/** The verdict alone: what follows the settings and the state. */
async function doctor({ stack: { project }, platform, sentNothing, sent }: PlatformStack): Promise<string> {
  sent();
  const { directory } = await findOrInstallEngine();
  copyFileSync(project.configFile, join(project.directory, "Pulumi.dev.yaml"));
  const env = {
    ...project.env,
    HOME: process.env.HOME,
    PATH: [directory, process.env.PATH].join(delimiter),
    AGENT_PLATFORM_ACCESS_TOKEN: platform.token,
  };
  const { code, stdout } = await runWith(doctorCommand.run, ["--stack", "dev"], { cwd: project.directory, env });
  const verdict =
    stdout
      .trimEnd()
      .split(/\n {2}pending .*\n\n/)
      .at(-1) ?? "";
  assert.equal(code, verdict === "No problems found." ? 0 : 1);
  sentNothing();
  return verdict;
}
