import assert from "node:assert/strict";
import { URN } from "../../provider/base/engine";
import { dynamicProvider } from "../../provider/engine/provider";
import { systemWorld } from "../../provider/engine/world";
import { numberAssignment, numberGroup } from "../../provider/numbers/lifecycle";
import type { Props } from "../../provider/run/resource";
import { Run } from "../../provider/run/run";
import { urnOf } from "../support/providerCalls";
import { checkRows } from "../support/rows";
import { settingsOf } from "../support/session";

/**
 * A run of `abort --up` must change only the aborted rollout's split, even if the program contains other unapplied
 * changes.
 */

const at = "2026-11-25T10:00:00Z";
const rollouts = {
  front: {
    stable: "agent_front@12",
    candidate: "agent_front@13",
    percent: 0,
    aborted: { agent: "agent_front@13", percent: 50, at },
  },
  night: { stable: "agent_night@5" },
};
const baseUrl = "https://platform.example";
const settings = { ...settingsOf({ baseUrl, rollouts, accessToken: "an-access-token" }), aborts: "front" };
const run = () => new Run(settings, { ...systemWorld, openTransport: () => assert.fail("a request was sent") });

const saved = {
  numbers: "4001\n4002\n",
  rollout: { name: "front", stable: "agent_front@12", candidate: "agent_front@13", percent: 50 },
  inboundAgents: { "agent_front@12": 50, "agent_front@13": 50 },
  inboundWebhookUrl: "https://hooks.example/deployed",
  workspaceId: 42,
  endpoint: baseUrl,
  [URN]: urnOf("numberGroup", "support"),
};
const inputsAfterCheck = (olds: Props, news: Props) => {
  const { inputs, failures } = numberGroup.check(olds, { [URN]: saved[URN], ...news }, settings);
  assert.deepEqual(failures, []);
  return inputs;
};
const aborted = {
  ...saved,
  rollout: { name: "front", ...rollouts.front },
  inboundAgents: { "agent_front@12": 100 },
};

describe("NumberGroup.check", () => {
  const programs: Readonly<Record<string, Props>> = {
    "removes a number": { numbers: "4001\n", rollout: "front" },
    "adds a number": { numbers: "4001\n4002\n4003\n", rollout: "front" },
    "has a different webhook and workspace": {
      numbers: "4001\n4002\n",
      rollout: "front",
      inboundWebhookUrl: "https://new.example",
      workspaceId: 7,
    },
    "names another rollout": { numbers: "4001\n4002\n", rollout: "night" },
    "declares its own split": { numbers: "4001\n4002\n", inboundAgents: { agent_x: 1 } },
    "is not valid": { numbers: 7, rollout: "nobody" },
  };
  it("ignores other changes to a group during an abort", () =>
    checkRows(
      Object.entries(programs),
      ([program]) => program,
      ([, news]) => assert.deepEqual(inputsAfterCheck(saved, news), aborted),
    ));

  it("leaves a group with a different rollout unchanged during an abort", () => {
    const night = {
      ...saved,
      rollout: { name: "night", stable: "agent_night@4" },
      inboundAgents: { "agent_night@4": 100 },
    };
    assert.deepEqual(inputsAfterCheck(night, { numbers: "4001\n", rollout: "night" }), night);
  });

  it("leaves a group without a rollout unchanged during an abort", () => {
    const { rollout: _, ...manual } = saved;
    assert.deepEqual(inputsAfterCheck(manual, { numbers: "4001\n", inboundAgents: { agent_x: 1 } }), manual);
  });

  it("uses the program's values of secret arguments during an abort", () => {
    const secret = { secretArguments: ["inboundWebhookUrl"], inboundWebhookUrl: "https://hooks.example/secret" };
    const news = { numbers: "4001\n", rollout: "front", ...secret };
    assert.deepEqual(inputsAfterCheck(saved, news), { ...aborted, ...secret });
  });
});

describe("the provider", () => {
  const group = dynamicProvider(numberGroup, run);

  it("refuses to delete a group during an abort", async () => {
    await assert.rejects(group.delete("group-1", { ...saved }), { code: "AGP-077" });
  });

  it("refuses to create a group outside the aborted rollout", async () => {
    const inputs = { ...saved, rollout: undefined };
    await assert.rejects(group.create(inputs), { code: "AGP-077" });
  });

  it("accepts a number declared by two resources during an abort", async () => {
    const session = run();
    const support = dynamicProvider(numberGroup, () => session);
    const desk = dynamicProvider(numberAssignment, () => session);
    const { numbers: _, ...others } = saved;
    const single = { ...others, number: "4001", [URN]: urnOf("numberAssignment", "desk") };
    const results = [await support.check({ ...saved }, { ...saved }), await desk.check({ ...single }, { ...single })];
    assert.deepEqual(
      results.map(({ failures = [] }) => failures),
      [[], []],
    );
  });
});
