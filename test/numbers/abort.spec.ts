import assert from "node:assert/strict";
import { URN } from "../../provider/base/engine";
import { dynamicProvider } from "../../provider/engine/provider";
import { systemWorld } from "../../provider/engine/world";
import { numberAssignment, numberGroup } from "../../provider/numbers/lifecycle";
import type { Props } from "../../provider/run/resource";
import { Run } from "../../provider/run/run";
import { urnOf } from "../support/providerCalls";
import { settingsOf } from "../support/session";

/** A run that aborts the rollout front: what the provider makes of a program that differs from what is deployed. */

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
const checked = (olds: Props, news: Props) => {
  const { inputs, failures } = numberGroup.check(olds, { [URN]: saved[URN], ...news }, settings);
  assert.deepEqual(failures, []);
  return inputs;
};
const aborted = {
  ...saved,
  rollout: { name: "front", ...rollouts.front },
  inboundAgents: { "agent_front@12": 100 },
};

describe("check during an abort", () => {
  const programs: Readonly<Record<string, Props>> = {
    "moves a number away": { numbers: "4001\n", rollout: "front" },
    "adds a number": { numbers: "4001\n4002\n4003\n", rollout: "front" },
    "has a different webhook and workspace": {
      numbers: "4001\n4002\n",
      rollout: "front",
      inboundWebhookUrl: "https://new.example",
      workspaceId: 7,
    },
    "names another rollout": { numbers: "4001\n4002\n", rollout: "night" },
    "has a split of its own": { numbers: "4001\n4002\n", inboundAgents: { agent_x: 1 } },
    "is not valid": { numbers: 7, rollout: "nobody" },
  };
  for (const [program, news] of Object.entries(programs)) {
    it(`changes only the split of the aborted group if the program ${program}`, () =>
      assert.deepEqual(checked(saved, news), aborted));
  }

  it("leaves a group with another rollout unchanged even if that rollout's config changes", () => {
    const night = {
      ...saved,
      rollout: { name: "night", stable: "agent_night@4" },
      inboundAgents: { "agent_night@4": 100 },
    };
    assert.deepEqual(checked(night, { numbers: "4001\n", rollout: "night" }), night);
  });

  it("leaves a group without a rollout unchanged during an abort", () => {
    const { rollout: _, ...manual } = saved;
    assert.deepEqual(checked(manual, { numbers: "4001\n", inboundAgents: { agent_x: 1 } }), manual);
  });

  it("reads secret arguments from the program's values, which keeps them marked as secret", () => {
    const secret = { secretArguments: ["inboundWebhookUrl"], inboundWebhookUrl: "https://hooks.example/secret" };
    const news = { numbers: "4001\n", rollout: "front", ...secret };
    assert.deepEqual(checked({ ...saved, ...secret }, news), { ...aborted, ...secret });
  });
});

describe("an abort", () => {
  const group = dynamicProvider(numberGroup, run);

  it("refuses to delete a group during an abort", async () => {
    await assert.rejects(group.delete("group-1", { ...saved }), { code: "AGP-077" });
  });

  it("refuses to create a group without the aborted rollout during an abort", async () => {
    const inputs = { ...saved, rollout: undefined };
    await assert.rejects(group.create(inputs), { code: "AGP-077" });
  });

  it("accepts, during an abort, a number that two saved resources declare", async () => {
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
