import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { describe, it } from "mocha";
import * as z from "zod";
import { validate } from "../../provider/core/common/schemas";
import { inboundAgents } from "../../provider/core/routing/inboundAgents";
import { split } from "../../provider/pulumi/splits";

const known = <T>(output: pulumi.Output<T>): Promise<T> => new Promise((resolve) => output.apply(resolve));

describe("split", () => {
  it("reads agents from keys and keeps an explicit 0", () => {
    assert.deepEqual(split({ "agent_front@12": 90, agent_front: 0 }), [
      { agentId: "agent_front", agentVersion: 12, weight: 90 },
      { agentId: "agent_front", weight: 0 },
    ]);
  });
  it("leaves a key whose version is left open as it is", () => {
    assert.deepEqual(split({ "agent_front@": 100 }), [{ agentId: "agent_front@", weight: 100 }]);
  });
  for (const ref of [
    "front@12",
    "agent_",
    "agent_a@latest",
    "agent_a@1@2",
    "agent_a@",
    "agent_a@99999999999999999999",
  ]) {
    it(`leaves ${ref} to check, which tells all mistakes of a program`, () => {
      const { problems } = validate(z.object({ inboundAgents }), { inboundAgents: split({ [ref]: 1 }) });
      assert.deepEqual(
        problems.map(({ path }) => /^inboundAgents\[0\]\.agent(Id|Version) \(/.test(path)),
        [true],
      );
    });
  }
  for (const [what, given] of [
    ["nothing", undefined],
    ["null", null],
    ["a list", [{ agentId: "agent_front", weight: 1 }]],
    ["a text", "agent_front"],
  ] as const) {
    it(`refuses ${what} in one sentence, without a stack`, () => {
      const message = 'AGP-001 split takes a map from each agent to its weight: split({ "agent_front@12": 90 }).';
      assert.throws(() => split(given as unknown as Record<string, number>), { message, stack: message });
    });
  }
  it("takes inputs", async () => {
    assert.deepEqual(await known(split({ "agent_a@1": pulumi.output(1) })), split({ "agent_a@1": 1 }));
  });
});
