import assert from "node:assert/strict";
import { abortCommand } from "../../cli/commands/abort";
import { byTarget, platformStack, put } from "../support/platformStack";
import { commandRunner } from "./frontRollout";

/**
 * Runs `abort --up` in working trees whose program differs from the deployed one. The tests check which requests are
 * sent, and the routing that the emulator stores.
 */

const GROUP = ["+15550000001", "+15550000002", "+15550000003"];
const ROLLOUT = [...GROUP, "4001"];
const list = (numbers: readonly string[]) => JSON.stringify(numbers);

const head = `
  import * as pulumi from "@pulumi/pulumi";
  import { NumberAssignment, NumberGroup, SmsChat } from "pulumi-agent-platform";
  class Other extends pulumi.dynamic.Resource {
    constructor(name: string, value: string) {
      super({
        async create(inputs: any) { return { id: name, outs: inputs }; },
        async update(_: string, __: any, news: any) {
          if (news.value === "fails") throw new Error("an outage");
          return { outs: news };
        },
      }, name, { value });
    }
  }
  const chat = (name: string) => new SmsChat(name, { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15550000008", toNumber: "+15550000009" });
  const support = (numbers: string[], more: object = {}) => new NumberGroup("support", { numbers, rollout: "front", ...more });
  const desk = () => new NumberAssignment("desk", { number: "4001", rollout: "front" });
  const night = (numbers = ["4002"]) => new NumberGroup("night", { numbers, rollout: "night" });`;
const deployedProgram = `${head} new Other("other", "works"); chat("hello"); support(${list(GROUP)}); desk(); night();`;

interface WorkingTree {
  readonly name: string;
  readonly program: string;
  readonly code?: number;
  /** The numbers to which the abort assigns the stable split. @default all of the rollout's numbers */
  readonly reaches?: readonly string[];
}

const TREES: readonly WorkingTree[] = [
  {
    name: "changes only the aborted rollout if an unrelated resource would fail to update",
    program: `new Other("other", "fails"); chat("hello"); support(${list(GROUP)}); desk(); night();`,
  },
  {
    name: "changes only the aborted rollout if the program renames a chat",
    program: `new Other("other", "works"); chat("renamed"); support(${list(GROUP)}); desk(); night();`,
  },
  {
    name: "changes only the aborted rollout if the program removes a number",
    program: `new Other("other", "works"); chat("hello"); support(${list(GROUP.slice(1))}); desk(); night();`,
  },
  {
    name: "changes only the aborted rollout if the program moves a number to a different group",
    program: `new Other("other", "works"); chat("hello"); support(${list(GROUP.slice(1))}); desk(); night(["4002", "${GROUP[0]}"]);`,
  },
  {
    name: "changes only the aborted rollout if the program has many other undeployed changes",
    program: `support([...${list(GROUP)}, "+15550000004"], { inboundWebhookUrl: "https://new.example", rollout: "night" }); desk(); new NumberGroup("fresh", { numbers: ["4009"], rollout: "front" });`,
  },
  {
    name: "changes only the aborted rollout if an unrelated group depends on an undeployed resource",
    program: `class New extends pulumi.dynamic.Resource { declare readonly on: pulumi.Output<string>; constructor() { super({ async create() { throw new Error("an outage"); } }, "new", { on: undefined }); } }
      support(${list(GROUP)}); desk(); new New().on.apply(() => night());`,
  },
  {
    name: "changes only the aborted rollout if the program throws after declaring the numbers",
    program: `support(${list(GROUP)}); desk(); throw new Error("a mistake");`,
    code: 1,
  },
  {
    name: "sends nothing if the program throws before declaring the numbers",
    program: 'throw new Error("a mistake");',
    code: 1,
    reaches: [],
  },
  {
    name: "skips a renamed group and exits with 1",
    program: `new Other("other", "works"); chat("hello"); new NumberGroup("renamed", { numbers: ${list(GROUP)}, rollout: "front" }); desk(); night();`,
    code: 1,
    reaches: ["4001"],
  },
];

const at50 = { stable: "agent_front@12", candidate: "agent_front@13", percent: 50 };
const config = { "agent-platform:rollouts": { front: at50, night: { stable: "agent_night@4" } } };
const HALF = { "agent_front@12": 50, "agent_front@13": 50 };
const STABLE = { "agent_front@12": 100 };
const BODY = { inboundAgents: [{ agent_id: "agent_front", agent_version: 12, weight: 100 }] };

describe("`abort --up`", () => {
  const opened = platformStack({ program: deployedProgram, config });

  before(async () => void (await opened().stack.up()));

  for (const { name, program, code = 0, reaches = ROLLOUT } of TREES) {
    it(name, async () => {
      const { platform, stack, sent, sentNothing } = opened();
      sent();
      stack.write(head + program);
      const run = await commandRunner(opened());
      const aborted = await run(abortCommand, platform.token);
      assert.equal(aborted.code, code, aborted.stdout);
      assert.deepEqual(byTarget(sent()), byTarget(reaches.map((number) => [put(number), BODY])));
      for (const number of ROLLOUT) {
        const inboundAgents = reaches.includes(number) ? STABLE : HALF;
        assert.deepEqual(platform.routing(number), { inboundAgents }, number);
        assert.equal(/50% to agent_front@13/.test(aborted.stdout), reaches.length < ROLLOUT.length);
      }
      assert.deepEqual(platform.routing("4002"), { inboundAgents: { "agent_night@4": 100 } });
      assert.deepEqual(
        platform.chats.map(({ ended }) => ended),
        [false],
      );
      // Redeploying the original program should send requests only for the numbers that the abort did not reach.
      stack.write(deployedProgram);
      const { changeSummary } = await stack.up();
      assert.equal(sent().length, ROLLOUT.length - reaches.length);
      assert.equal(changeSummary.delete, undefined);
      stack.setConfig(config);
      await stack.up();
      assert.equal(sent().length, ROLLOUT.length);
      await stack.up();
      sentNothing();
    });
  }

  it("sends the stable split to a number whose creation was interrupted", async () => {
    const { platform, stack, sent } = opened();
    const { version, deployment } = stack.export();
    const saved = deployment?.resources?.find(({ urn }) => urn.endsWith("::desk"));
    assert.ok(deployment && saved, "desk is saved");
    const others = deployment.resources?.filter((resource) => resource !== saved) ?? [];
    const pendingOperations = [{ type: "creating", resource: saved }];
    stack.import({ version, deployment: { ...deployment, resources: others, pending_operations: pendingOperations } });
    stack.write(
      `${head} support(${list(GROUP)}); desk(); night(); new NumberGroup("fresh", { numbers: ["4009"], rollout: "front" });`,
    );
    const run = await commandRunner(opened());
    const { code, stdout } = await run(abortCommand, platform.token);
    assert.deepEqual(byTarget(sent()), byTarget(ROLLOUT.map((number) => [put(number), BODY])), stdout);
    // The interrupted create stays pending in the state until `pulumi refresh`, so the abort can't report success.
    assert.equal(code, 1, stdout);
  });
});

describe("`abort --up` with a rejected request", () => {
  const opened = platformStack({ program: deployedProgram, config });

  it("aborts the rest of a rollout if the platform rejects one number", async () => {
    const { platform, stack, sent } = opened();
    await stack.up();
    sent();
    platform.inject({ kind: "status", status: 422, number: "4001", times: 1 });
    const run = await commandRunner(opened());
    const { code, stdout } = await run(abortCommand, platform.token);
    assert.equal(code, 1, stdout);
    assert.deepEqual(byTarget(sent()), byTarget(ROLLOUT.map((number) => [put(number), BODY])));
    for (const number of GROUP) {
      assert.deepEqual(platform.routing(number), { inboundAgents: STABLE }, number);
    }
  });

  it("names a number that left the rollout but still sends calls to the aborted agent", async () => {
    const { platform, stack } = opened();
    stack.setConfig(config);
    await stack.up();
    const [left = "", ...others] = GROUP;
    stack.write(
      `${head} new Other("other", "works"); chat("hello"); support(${list(others)}); desk(); night();
       new NumberAssignment("left", { number: "${left}", inboundAgents: { "agent_front@12": 100 } });`,
    );
    platform.inject({ kind: "status", status: 503, number: left, times: 4 });
    await assert.rejects(stack.up(), /AGP-0/);
    const run = await commandRunner(opened());
    for (const attempt of ["first", "second"]) {
      const { code, stdout } = await run(abortCommand, platform.token);
      assert.deepEqual(platform.routing(left), { inboundAgents: HALF });
      assert.equal(code, 1, `the ${attempt} abort: ${stdout}`);
      assert.match(
        stdout,
        /^Not every number of .*: \+15550000001 may still send 50% .* NumberAssignment "left" has not been applied to it\./m,
      );
      assert.doesNotMatch(stdout, /Every number of the rollout/);
    }
    await stack.up();
    assert.deepEqual(platform.routing(left), { inboundAgents: STABLE });
  });
});
