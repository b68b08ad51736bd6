// These tests show what the program declares, without the engine or the platform. They take about a second.
const assert = require("node:assert/strict");
const { before, test } = require("node:test");
const pulumi = require("@pulumi/pulumi");

/** The inputs of each declared resource, by its name. */
const declared = new Map();

before(async () => {
  pulumi.runtime.setMocks({
    newResource({ name, inputs }) {
      declared.set(name, inputs);
      return { id: `${name}-id`, state: inputs };
    },
    call: ({ inputs }) => inputs,
  });
  // The outputs resolve once all resources are registered.
  const outputs = require("..");
  await new Promise((resolve) => pulumi.all(Object.values(outputs)).apply(resolve));
});

test("names the rollout of the stack's config", () => {
  assert.equal(declared.get("support").rollout, "front");
});

test("holds every number once", () => {
  const numbers = [...declared.values()].flatMap(({ number, numbers: text }) => number ?? text.trim().split("\n"));
  assert.equal(new Set(numbers).size, numbers.length);
  assert.equal(numbers.length, 3);
});

test("names a version of every agent that it declares", () => {
  for (const { inboundAgents = [] } of declared.values()) {
    for (const { agentVersion } of inboundAgents) {
      assert.equal(typeof agentVersion, "number");
    }
  }
});
