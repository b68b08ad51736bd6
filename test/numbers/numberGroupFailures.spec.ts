import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "mocha";
import type { Run } from "../support/miniEngine";
import { type MiniStack, startMiniStack } from "../support/miniStack";
import { group, many, split, splits } from "./groupSupport";

const message = ({ failures }: Run): string => failures[0]?.message ?? "";
const forever = { operation: "assignNumber", times: "always" } as const;

const NEW_TOKEN =
  "Create a new token, set it and rerun: `npx pulumi-agent-platform help troubleshooting`. The token is from agent-platform:accessToken (stack config).";

describe("NumberGroup when numbers fail", () => {
  let stack: MiniStack;
  beforeEach(async () => {
    stack = await startMiniStack();
  });
  afterEach(() => stack.close());

  const numbers = many(40);
  const n = (index: number) => numbers[index] ?? "";
  const outputs = () => stack.engine.state[0]?.outputs ?? {};
  const refuse = (index: number, status: number, error: string) =>
    stack.emulator.inject({ ...forever, kind: "status", status, number: n(index), body: { error } });

  it("saves what was applied, names the rest by cause, and sends only that in the next run", async () => {
    // A number that the platform does not know says nothing of the change, were it the first three.
    for (const index of [0, 1, 2, 31]) {
      refuse(index, 404, `number ${n(index)} is not in this workspace`);
    }
    for (const index of [10, 11]) {
      refuse(index, 503, "try later");
    }
    const run = await stack.up([group(numbers)]);
    assert.equal(
      message(run),
      [
        'AGP-070 NumberGroup "emea": 34 of 40 applied, 6 failed.',
        '  4 × AGP-033 the platform returned 404 to PUT /api/numbers/{number}/agent: "number … is not in this workspace": +15551230000, +15551230001, +15551230002, +15551230031 (routing unchanged)',
        '  2 × AGP-040 the platform returned 503 to PUT /api/numbers/{number}/agent: "try later": +15551230010, +15551230011 (outcome unknown: old or new routing)',
        "  Saved; the next `pulumi up` sends these 6 only.",
        "  Check the number or id, and the workspace.",
        "  More: npx pulumi-agent-platform help AGP-070",
      ].join("\n"),
    );
    // Of the refused ones nothing is the group's, so no delete clears them.
    assert.deepEqual(outputs().unapplied, [
      { numbers: [0, 1, 2, 31].map((index) => `${n(index)}\n`).join(""), reason: "rejected" },
      {
        numbers: `${n(10)}\n${n(11)}\n`,
        reason: "unknown",
        maybe: [{ inboundAgents: { "agent_a@1": 90, "agent_b@2": 10 } }],
      },
    ]);
    stack.emulator.clearFaults();
    stack.sent();
    const next = await stack.up([group(numbers)]);
    assert.equal(
      next.said,
      'warning: AGP-044 NumberGroup "emea": 6 numbers not applied in an earlier run (the API rejected it; the outcome of the request was not known). Run `pulumi up`: it sends them again.\n',
    );
    assert.deepEqual([next.failures, stack.sent().sort()], [[], [0, 1, 2, 10, 11, 31].map(n)]);
    assert.deepEqual(splits(stack.emulator, numbers), { "90/10": 40 });
    assert.ok(!("unapplied" in outputs()));
    assert.deepEqual((await stack.up([group(numbers)])).steps, [{ op: "same", name: "emea" }]);
  });

  const differing = { kind: "contradict", record: { inbound_agents: [] }, patch: { assignment: null } } as const;
  for (const { what, begin, cause, reason, remedy } of [
    {
      what: "get a 401",
      begin: () => stack.emulator.setToken("another-token"),
      cause:
        'AGP-031 the platform returned 401 to PUT /api/numbers/{number}/agent: "the access token is not valid": +15551230000, +15551230001, +15551230002 (routing unchanged)',
      reason: "rejected",
      remedy: NEW_TOKEN,
    },
    {
      what: "show another split",
      begin: () => stack.emulator.inject({ ...forever, ...differing }),
      cause:
        "AGP-050 inboundAgents: sent agent_a@1 90, agent_b@2 10, the platform returned no agent: +15551230000, +15551230001, +15551230002 (the response differs)",
      reason: "different",
      remedy:
        "Fix a failed import in the platform, then rerun. If another difference is expected, set `agent-platform:onMismatch` to warn.",
    },
  ] as const) {
    it(`stops a change if the first three numbers ${what}: the next run begins with others`, async () => {
      begin();
      assert.equal(
        message(await stack.up([group(numbers)])),
        [
          'AGP-070 NumberGroup "emea": 0 of 40 applied, 3 failed, 37 not sent.',
          `  3 × ${cause}`,
          "  37 × stopped: 3 numbers failed, and none was applied: +15551230003, +15551230004, +15551230005, +15551230006 and 33 more (routing unchanged)",
          "  Saved; the next `pulumi up` sends these 40 only.",
          `  ${remedy}`,
          ...(remedy === NEW_TOKEN ? [] : ["  More: npx pulumi-agent-platform help AGP-070"]),
        ].join("\n"),
      );
      assert.deepEqual([...new Set(stack.sent())], numbers.slice(0, 3));
      // What the platform never saw was not rejected by it.
      assert.deepEqual(
        (outputs().unapplied as { reason: string; numbers: string }[]).map((part) => [
          part.reason,
          part.numbers.split("\n").length - 1,
        ]),
        [
          [reason, 3],
          ["not sent", 37],
        ],
      );
      await stack.up([group(numbers)]);
      assert.deepEqual([...new Set(stack.sent())], numbers.slice(3, 6));
    });
  }

  it("keeps the state that it has where all numbers of an update are refused", async () => {
    const few = numbers.slice(0, 3);
    await stack.up([group(few)]);
    const before = structuredClone(stack.engine.state);
    stack.emulator.setToken("another-token");
    const run = await stack.up([group(few, { inboundAgents: split(50, 50) })]);
    assert.equal(message(run).split("\n")[2], "  The saved state is unchanged.");
    assert.deepEqual(stack.engine.state, before);
  });

  it("stops in the middle where the token expires, and goes on from there", async () => {
    stack.emulator.inject({ ...forever, kind: "status", status: 401, after: 25 });
    const run = await stack.up([group(numbers)]);
    assert.match(message(run), /^AGP-070 .*: 25 of 40 applied, /);
    assert.ok(stack.sent().length <= 25 + 16);
    stack.emulator.clearFaults();
    assert.deepEqual((await stack.up([group(numbers)])).failures, []);
    assert.equal(stack.sent().length, 15);
    assert.deepEqual(splits(stack.emulator, numbers), { "90/10": 40 });
  });

  it("stops where every number gets a server error, and not where single numbers fail", async () => {
    const half = many(160).filter((_, index) => index % 2 === 1);
    for (const number of half) {
      stack.emulator.inject({ ...forever, kind: "status", status: 500, number });
    }
    assert.match(message(await stack.up([group(many(160))])), /80 of 160 applied, 80 failed\./);
    stack.emulator.clearFaults();
    stack.emulator.inject({ ...forever, kind: "status", status: 500, after: 10 });
    stack.sent();
    const run = await stack.up([group(many(160), { inboundAgents: split(50, 50) })]);
    assert.match(message(run), /10 of 160 applied, \d\d failed, \d+ not sent\./);
    assert.match(message(run), /× stopped: 32 numbers in a row failed: /);
    // 15 may fail before the last of the ten has its response, and 15 are under way when the 32nd in a row fails.
    assert.ok(stack.sent().length <= 10 + 15 + 32 + 15);
  });

  for (const { name, status } of [
    { name: "are refused", status: 422 },
    { name: "are not known", status: 404 },
  ]) {
    it(`stops after 32 numbers in a row that ${name}, and begins the next run with the others`, async () => {
      const sixty = many(60);
      for (const number of sixty.slice(1, 49)) {
        stack.emulator.inject({ ...forever, kind: "status", status, number, body: { error: "no" } });
      }
      assert.match(message(await stack.up([group(sixty)])), /× stopped: 32 numbers in a row failed: /);
      await stack.up([group(sixty)]);
      assert.deepEqual(splits(stack.emulator, sixty), { "": 48, "90/10": 12 });
    });
  }

  it("stops a platform that cannot be reached after three numbers", async () => {
    await stack.emulator.stopListening();
    const run = await stack.up([group(numbers)]);
    assert.match(
      message(run),
      /^AGP-070 .*: 0 of 40 applied, 3 failed, 37 not sent\.\n {2}3 × AGP-035 no connection to /,
    );
    assert.deepEqual(stack.engine.state, []);
  });

  it("takes a number that the platform no longer knows for cleared, and says so", async () => {
    await stack.up([group(numbers)]);
    refuse(7, 404, "no such number");
    const run = await stack.destroy();
    assert.deepEqual(
      [run.failures, run.said],
      [
        [],
        'warning: AGP-062 NumberGroup "emea": the platform does not know 1 number (404), so there is nothing to clear (+15551230007). No action is needed. If this is unexpected, check the base URL.\n',
      ],
    );
  });

  it("prints a few lines if the platform's words differ from number to number", async () => {
    for (let index = 1; index < 30; index += 1) {
      refuse(index, 404, `ticket ${index}`);
    }
    const lines = message(await stack.up([group(numbers)])).split("\n");
    assert.deepEqual([lines.length, lines[9]], [13, "  21 × for other reasons"]);
  });

  it("keeps the digits of a cause that are not the number", async () => {
    const body = { error: "no number 4 in workspace 42" };
    stack.emulator.inject({ ...forever, kind: "status", status: 404, number: "4", body });
    assert.match(message(await stack.up([group(["4", ...numbers])])), /: "no number … in workspace 42": 4 \(/);
  });
});
