// These tests use the real engine (`pulumi` on PATH) and the emulator, and show which agents callers reach. Each one
// takes a few seconds.
const assert = require("node:assert/strict");
const { test } = require("node:test");
const { rolloutAt, startStack } = require("./startStack");

test("shifts traffic with one changed value, and not before `up`", async (t) => {
  const { stack, emulator } = await startStack(t);
  await stack.up();
  assert.deepEqual(emulator.calls("+15551230001", 10_000), { "agent_front@12": 9044, "agent_front@13": 956 });
  assert.deepEqual(emulator.calls("+15551230003", 10_000), { "agent_night@4": 10_000 });

  emulator.clearRequests();
  await stack.setConfig("agent-platform:rollouts", rolloutAt(30));
  await stack.preview();
  assert.equal(emulator.requests.length, 0);

  await stack.up();
  assert.deepEqual(emulator.calls("+15551230001", 10_000), { "agent_front@12": 7081, "agent_front@13": 2919 });
  // There is one request for each of the group's two numbers, and none for the third number, which did not change.
  assert.equal(emulator.requests.length, 2);
});

test("survives a platform that is down for a moment", async (t) => {
  const { stack, emulator } = await startStack(t);
  const fault = emulator.inject({ kind: "status", status: 503, operation: "assignNumber", times: 2 });
  await stack.up();
  assert.equal(fault.hits, 2);
  assert.equal(emulator.requests.length, 5);
  assert.deepEqual(emulator.routing("+15551230002").inboundAgents, { "agent_front@12": 90, "agent_front@13": 10 });
});

test("fails where the platform does not know the candidate, and says so", async (t) => {
  const { stack, emulator } = await startStack(t, {
    profile: { unknownAgents: "404", knownAgents: ["agent_front@12", "agent_night@4"] },
  });
  await assert.rejects(stack.up(), /AGP-070 NumberGroup .*"agent agent_front not found"/s);
  assert.deepEqual(emulator.calls("+15551230001", 100), { "(no agents)": 100 });
});
