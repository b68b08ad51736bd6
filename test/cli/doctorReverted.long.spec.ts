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
  /** Applies `before`, is killed in `change`, and takes the change back: then doctor says what to do, and `follow` does it. */
  const takenBack = (
    { before, change, requests }: { before: string; change: string; requests?: number },
    said: string,
    follow: (both: PlatformStack, apply: (next: string) => Promise<unknown>) => Promise<void>,
  ) =>
    withPlatformStack({ program: before }, async (both) => {
      await both.stack.up();
      await killed(both, change, requests);
      both.stack.write(before);
      assert.equal(await doctor(both), said);
      await follow(both, (next) => {
        both.stack.write(next);
        return both.stack.up();
      });
      if (said.includes(CLEAR)) {
        await both.stack.refresh({ args: ["--clear-pending-creates"] });
      }
      assert.equal(await doctor(both), "No problems found.");
    });

  const twoNumbers = program(number("x", ONE), number("y", TWO));
  const oneNumber = program(number("x", ONE));
  const withTriggers = program(number("x", ONE), number("y", TWO, triggers));

  it("names the resource whose number was taken: its own agents come back", () =>
    takenBack(
      { before: twoNumbers, change: program(number("x", TWO)) },
      shown("creating", 'NumberAssignment "x"', [
        AGAIN,
        REVERTED,
        `- ${TWO}: change \`triggers\` of dev: NumberAssignment "y", and run \`pulumi up\`.`,
        CLEAR,
      ]),
      async ({ platform }, apply) => {
        await apply(twoNumbers);
        assert.deepEqual(platform.routing(TWO)?.inboundAgents, { agent_x: 1 }, "an ordinary run sends nothing");
        await apply(withTriggers);
        assert.deepEqual(platform.routing(ONE)?.inboundAgents, { agent_x: 1 });
        assert.deepEqual(platform.routing(TWO)?.inboundAgents, { agent_y: 1 });
      },
    ));

  it("names sixty numbers that no resource has, and how their agents go", () => {
    const change = program(number("x", ONE), group(sixty));
    return takenBack(
      { before: oneNumber, change, requests: sixty.length },
      shown("creating", 'NumberGroup "emea"', [
        AGAIN,
        REVERTED,
        `- No resource has ${sixty.join(", ")}: make the change again, so that NumberGroup "emea" declares these 60 numbers, and run \`pulumi up\`. To unassign the agents, revert it then, and run \`pulumi up\` again.`,
        CLEAR,
      ]),
      async ({ platform }, apply) => {
        await apply(change);
        await apply(oneNumber);
        const left = sixty.filter((one) => Object.keys(platform.routing(one)?.inboundAgents ?? {}).length > 0);
        assert.deepEqual(left, []);
      },
    );
  });

  it("names each resource that has one of a group's numbers, and the number that none has", () => {
    const before = program(group(sixty.slice(0, 2)), number("y", TWO));
    const change = program(group([...sixty.slice(0, 3), TWO], ' inboundWebhookUrl: "https://hooks.invalid/in"'));
    return takenBack(
      { before, change, requests: 4 },
      shown("updating", 'NumberGroup "emea"', [
        AGAIN,
        REVERTED,
        `- ${TWO}: change \`triggers\` of dev: NumberAssignment "y", and run \`pulumi up\`.${FIELD}`,
        `- ${sixty[0]}, ${sixty[1]}: change \`triggers\` of dev: NumberGroup "emea", and run \`pulumi up\`.${FIELD}`,
        `- No resource has ${sixty[2]}: make the change again, so that NumberGroup "emea" declares this number, and run \`pulumi up\`. To unassign the agents, revert it then, and run \`pulumi up\` again.`,
        FORGETS,
      ]),
      async ({ platform }, apply) => {
        await apply(change);
        await apply(before);
        assert.deepEqual(
          [...sixty.slice(0, 3), TWO].map((one) => platform.routing(one)),
          [{ agent_emea: 1 }, { agent_emea: 1 }, {}, { agent_y: 1 }].map((inboundAgents) => ({ inboundAgents })),
        );
      },
    );
  });

  it("names the field that a PUT does not clear", () =>
    takenBack(
      { before: oneNumber, change: program(number("x", ONE, ' inboundWebhookUrl: "https://hooks.invalid/in"')) },
      shown("updating", 'NumberAssignment "x"', [
        AGAIN,
        REVERTED,
        `- ${ONE}: change \`triggers\` of dev: NumberAssignment "x", and run \`pulumi up\`.${FIELD}`,
        FORGETS,
      ]),
      async ({ platform }, apply) => {
        await apply(program(number("x", ONE, ' inboundWebhookUrl: "https://any.invalid"')));
        await apply(oneNumber);
        assert.deepEqual(platform.routing(ONE), { inboundAgents: { agent_x: 1 } });
      },
    ));

  it("names a resource whose delete was killed: its number has no agents, and a preview shows no change", () =>
    takenBack(
      { before: twoNumbers, change: oneNumber },
      shown("deleting", 'NumberAssignment "y"', [
        "run the same `pulumi up` or `pulumi destroy` again. Sending it twice does no harm.",
        `If the program was reverted, a preview shows no change, but callers may reach no agent: change \`triggers\` of this resource, and run \`pulumi up\`. ${FORGETS}`,
      ]),
      async ({ platform }, apply) => {
        await apply(withTriggers);
        assert.deepEqual(platform.routing(TWO)?.inboundAgents, { agent_y: 1 });
      },
    ));

  it("says of a create that a later run has done that its entry is all that is left", () =>
    withPlatformStack({ program: oneNumber }, async (both) => {
      await both.stack.up();
      await killed(both, twoNumbers);
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
      await both.stack.refresh({ args: ["--clear-pending-creates"] });
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
