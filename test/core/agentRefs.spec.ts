import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { describe, it } from "mocha";
import { canary, split } from "../../provider/pulumi/splits";

const known = <T>(output: pulumi.Output<T>): Promise<T> => new Promise((resolve) => output.apply(resolve));

describe("canary", () => {
  it("gives the candidate its percent and the stable agent the rest", () => {
    assert.deepEqual(canary("agent_front@12", { agentId: "agent_front", agentVersion: 13 }, 10), [
      { agentId: "agent_front", agentVersion: 12, weight: 90 },
      { agentId: "agent_front", agentVersion: 13, weight: 10 },
    ]);
  });
  it("leaves one agent at 0 and at 100", () => {
    assert.deepEqual(canary("agent_a@1", "agent_b", 0), [{ agentId: "agent_a", agentVersion: 1, weight: 100 }]);
    assert.deepEqual(canary("agent_a@1", "agent_b", 100), [{ agentId: "agent_b", weight: 100 }]);
  });
  it("takes inputs", async () => {
    assert.deepEqual(
      await known(canary(pulumi.output("agent_a@1"), "agent_b@2", Promise.resolve(25))),
      canary("agent_a@1", "agent_b@2", 25),
    );
  });
  for (const percent of [-1, 101, Number.NaN]) {
    it(`refuses ${percent} percent`, () => {
      assert.throws(() => canary("agent_a@1", "agent_b@2", percent), {
        message: "AGP-001 canary: percent must be a number from 0 to 100.",
      });
    });
  }
  for (const ref of [
    "front@12",
    "agent_front@latest",
    "agent_front@1@2",
    "agent_",
    "agent_front@-1",
    "agent_front@1.5",
    "agent_front@",
    "agent_front@ ",
    "agent_front@0x1F",
    "agent_front@1e3",
    "agent_front@+3",
    "agent_front@012",
    "agent_front@99999999999999999999",
  ]) {
    it(`refuses ${ref}`, () => {
      assert.throws(() => canary(ref, "agent_b@2", 10), {
        message: `AGP-001 "${ref}" is not an agent: write it as "agent_front@12", or { agentId, agentVersion }.`,
      });
    });
  }
});

describe("split", () => {
  it("reads agents from keys and keeps an explicit 0", () => {
    assert.deepEqual(split({ "agent_front@12": 90, agent_front: 0 }), [
      { agentId: "agent_front", agentVersion: 12, weight: 90 },
      { agentId: "agent_front", weight: 0 },
    ]);
  });
  it("refuses a key whose version is left open", () => {
    assert.throws(() => split({ "agent_front@": 100 }), {
      message: 'AGP-001 "agent_front@" is not an agent: write it as "agent_front@12", or { agentId, agentVersion }.',
    });
  });
  it("takes inputs", async () => {
    assert.deepEqual(await known(split({ "agent_a@1": pulumi.output(1) })), split({ "agent_a@1": 1 }));
  });
});
