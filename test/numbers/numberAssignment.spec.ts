import assert from "node:assert/strict";
import { containsUnknown, UNKNOWN } from "../../provider/base/engine";
import { numberAssignment } from "../../provider/numbers/lifecycle";
import type { NumbersState } from "../../provider/numbers/state";
import type { NumbersInputs } from "../../provider/routing/group";
import { everyField } from "../support/everyField";
import { assertRefused, codesOf } from "../support/failures";
import { argsWithUnknowns, ENDPOINT, outcome, reasons, settings, settingsWith } from "../support/inputs";
import { namedIn } from "../support/named";
import { checkRows } from "../support/rows";

const number = "+15551234567";
const front = (agentVersion: unknown, weight: unknown) => ({ agentId: "agent_front", agentVersion, weight });
/** Checks the arguments of a NumberAssignment. If they don't set `inboundAgents`, an empty split is used. */
const check = (args: object, olds?: Record<string, unknown>, checkSettings = settings) =>
  numberAssignment.check(olds, { inboundAgents: [], ...args }, checkSettings);

describe("NumberAssignment.check", () => {
  const accepted: [string, object, object][] = [
    ["a number with an empty list of agents", {}, {}],
    [
      "agent version 0 and extreme weights",
      { inboundAgents: [front(0, 5e-324), front(1, 1e9)] },
      { inboundAgents: { "agent_front@0": 5e-324, "agent_front@1": 1e9 } },
    ],
    ["null for optional arguments", { accountSid: null, rollout: null, isTimeRoutingEnabled: null }, {}],
    ["false for isTimeRoutingEnabled", { isTimeRoutingEnabled: false }, { isTimeRoutingEnabled: false }],
    [
      "an http webhook URL",
      { inboundWebhookUrl: "http://a.example/b?c=d" },
      { inboundWebhookUrl: "http://a.example/b?c=d" },
    ],
    ["nested JSON in triggers", { triggers: [1, { a: null }] }, { triggers: [1, { a: null }] }],
    [
      "an unknown field in extraFields",
      { extraFields: { outboundAgents: [1] } },
      { extraFields: { outboundAgents: [1] } },
    ],
  ];
  for (const [name, args, inputs] of accepted) {
    it(`accepts ${name}`, () => {
      const checked = check({ number, ...args });
      assert.deepEqual(reasons(checked), []);
      assert.deepEqual(checked.inputs, { number, endpoint: ENDPOINT, inboundAgents: {}, ...inputs });
      assert.deepEqual(checked.numbers, [number]);
    });
  }

  it("accepts a phone extension in many formats", () => {
    for (const extension of ["4001", "front desk", "sales/emea", "100%", "#12", "a?b=c", `${number}#12`, "é", "१२"]) {
      assert.deepEqual(reasons(check({ number: extension })), [], extension);
    }
  });

  for (const { name, args } of [
    {
      name: "an agent version while the agent ID is unknown",
      args: { outboundAgentId: UNKNOWN, outboundAgentVersion: 3 },
    },
    { name: "an agent version that is not known yet", args: { outboundAgentVersion: UNKNOWN } },
    { name: "an outbound agent without a version", args: { outboundAgentId: "agent_out" } },
  ]) {
    it(`accepts ${name}`, () => assert.deepEqual(reasons(check({ number, ...args })), []));
  }

  it("defaults to the workspace ID from the settings", () => {
    const withWorkspace = settingsWith({ workspaceId: 42 });
    for (const [declared, workspaceId] of [[{}, 42] as const, [{ workspaceId: 43 }, 43] as const]) {
      assert.deepEqual(check({ number, ...declared }, undefined, withWorkspace).inputs, {
        number,
        inboundAgents: {},
        workspaceId,
        endpoint: ENDPOINT,
      });
    }
  });

  const rejected: readonly { readonly name: string; readonly args: object; readonly names: readonly string[] }[] = [
    { name: "a missing number", args: { number: undefined }, names: ["number"] },
    {
      name: "a number that is not a string",
      args: { number: 15_551 },
      names: ["number (15551)"],
    },
    { name: "a list of numbers", args: { number: ["+15551234567"] }, names: ["number"] },
    {
      name: "a number that would change the URL's path",
      args: { number: ".." },
      names: ['number ("..")'],
    },
    {
      name: "a number that ends with a newline",
      args: { number: "4001\n" },
      names: [`number ("4001\\n")`],
    },
    {
      name: "a number with a Unicode direction override",
      args: { number: "\u202e4001" },
      names: [`number ("\\u{202e}4001")`],
    },
    {
      name: "a number with a lone surrogate",
      args: { number: "a\ud800" },
      names: [`number ("a\\u{d800}")`],
    },
    {
      name: "a number with 10,000 characters",
      args: { number: "x".repeat(10_000) },
      names: [`number ("${"x".repeat(59)}…")`],
    },
    {
      name: "a number made of 300 emoji",
      args: { number: "🙂".repeat(300) },
      names: [`number ("${"🙂".repeat(29)}…")`],
    },
    { name: "a number that is only a plus sign", args: { number: "+" }, names: ['number ("+")'] },
    {
      name: "an international number with spaces",
      args: { number: "+1 555 123 4567" },
      names: ['number ("+1 555 123 4567")'],
    },
    {
      name: "a workspace ID given as a string",
      args: { workspaceId: "42" },
      names: ['workspaceId ("42")'],
    },
    {
      name: "a workspace ID that is too large",
      args: { workspaceId: 2 ** 53 },
      names: ["workspaceId (9007199254740992)"],
    },
    {
      name: "an agent ID with nothing after its prefix",
      args: { outboundAgentId: "agent_" },
      names: [`outboundAgentId ("agent_")`],
    },
    {
      name: "an agent ID that includes a version",
      args: { outboundAgentId: "agent_front@12" },
      names: ['outboundAgentId ("agent_front@12")'],
    },
    {
      name: "a negative agent version",
      args: { outboundAgentId: "agent_out", outboundAgentVersion: -1 },
      names: ["outboundAgentVersion (-1)"],
    },
    {
      name: "a fractional workspace ID and a version without an agent ID",
      args: { outboundAgentVersion: 12, workspaceId: 4.5 },
      names: ["workspaceId (4.5)", "outboundAgentVersion (12)"],
    },
    {
      name: "an agent ID in place of a split",
      args: { inboundAgents: "agent_front" },
      names: [`inboundAgents ("agent_front")`],
    },
    {
      name: "a single split entry in place of a list",
      args: { inboundAgents: front(12, 1) },
      names: [`inboundAgents`],
    },
    {
      name: "every invalid key and weight in a split map",
      args: {
        inboundAgents: { "agent_front@12": 90, "front@13": 10, Agent_n: 1, "agent_c@1": -1, "agent_d@1": "a few" },
      },
      names: [
        `inboundAgents["front@13"] (10)`,
        `inboundAgents.Agent_n (1)`,
        'inboundAgents["agent_c@1"] (-1)',
        'inboundAgents["agent_d@1"] ("a few")',
      ],
    },
    {
      name: "every invalid entry in a split list",
      args: {
        inboundAgents: [
          "agent_front",
          front(12, -1),
          front(1.5, 1),
          { agentId: "front", weight: Number.NaN },
          { agentId: "agent_b" },
          { ...front(1, 1), agent_id: "agent_x" },
        ],
      },
      names: [
        'inboundAgents[0] ("agent_front")',
        "inboundAgents[1].weight (-1)",
        "inboundAgents[2].agentVersion (1.5)",
        `inboundAgents[3].agentId ("front")`,
        "inboundAgents[3].weight (NaN)",
        "inboundAgents[4].weight",
        "inboundAgents[5]",
      ],
    },
    {
      name: "a weight that is too large",
      args: { inboundAgents: { "agent_a@1": 1e9, "agent_b@1": 1e9 + 1 } },
      names: ['inboundAgents["agent_b@1"] (1000000001)'],
    },
    {
      name: "a split with only zero weights",
      args: { inboundAgents: [front(12, 0), front(13, 0)] },
      names: ["inboundAgents"],
    },
    {
      name: "a duplicate agent in a split",
      args: { inboundAgents: [front(12, 1), front(13, 1), front(12, 2)] },
      names: [`inboundAgents[2]`],
    },
    {
      name: "a duplicate agent without a version",
      args: { inboundAgents: [front(undefined, 1), front(null, 2)] },
      names: [`inboundAgents[1]`],
    },
    {
      name: "a split with more than 100 agents",
      args: { inboundAgents: Array.from({ length: 101 }, (_, index) => front(index, 1)) },
      names: ["inboundAgents"],
    },
    ...[
      { name: "a webhook URL with a javascript scheme", url: "javascript:alert(1)" },
      { name: "a webhook URL without a scheme", url: "hooks.example.com" },
      { name: "a webhook URL without a host", url: "https://" },
      { name: "a webhook URL with a user name and password", url: "https://user:pw@a.example/" },
      { name: "a webhook URL with a space", url: "https://a.example/b c" },
    ].map(({ name, url }) => ({ name, args: { inboundWebhookUrl: url }, names: ["inboundWebhookUrl"] })),
    {
      name: "a boolean given as a string",
      args: { isTimeRoutingEnabled: "true" },
      names: ['isTimeRoutingEnabled ("true")'],
    },
    {
      name: "an extra field with the name of an argument",
      args: { extraFields: { inboundAgents: [] } },
      names: ["extraFields.inboundAgents"],
    },
    {
      name: "several invalid arguments at once",
      args: { number: "", outboundAgentId: "x", isTimeRoutingEnabled: 1 },
      names: ["number", `outboundAgentId ("x")`, "isTimeRoutingEnabled (1)"],
    },
  ];
  for (const { name, args, names } of rejected) {
    it(`rejects ${name}`, () =>
      assertRefused(
        reasons(check({ number, ...args })),
        names.map((name) => `AGP-001 ${name}`),
      ));
  }

  it("suggests a similar name for an unknown argument", () =>
    assert.deepEqual(reasons(check({ number, outboundAgents: [] })).map(namedIn), [
      "AGP-001 `outboundAgents` `outboundAgentId`",
    ]));

  for (const { name, olds } of [
    { name: "a new number", olds: undefined },
    { name: "an existing number", olds: { number, inboundAgents: { "agent_front@12": 1 } } },
    { name: "a changed number", olds: { number: "4001" } },
  ]) {
    it(`rejects ${name} without a rollout or inbound agents`, () => {
      for (const args of [{}, { rollout: null, inboundAgents: null }, { outboundAgentId: "agent_out" }]) {
        const checked = numberAssignment.check(olds, { number, ...args }, settings);
        assert.deepEqual(codesOf(reasons(checked)), ["AGP-002"]);
        // The failed check still returns the number. The run then counts it as declared, so no delete clears it.
        assert.deepEqual(checked.numbers, [number]);
      }
    });
  }

  it("reports a missing split along with other invalid arguments", () =>
    assert.deepEqual(codesOf(reasons(check({ number, workspaceId: "x", inboundAgents: null }))), [
      "AGP-001",
      "AGP-002",
    ]));

  it("hides invalid values that may be secrets", () => {
    const secret = "hush-hush";
    const messages = reasons(
      check({ number, inboundWebhookUrl: secret, extraFields: secret, accountSid: `${secret}\n`, [secret]: 1 }),
    );
    assert.equal(messages.length, 4);
    assert.ok(!messages.join().includes(secret), messages.join("\n"));
  });
});

const everyArgument = {
  ...everyField(),
  number,
  inboundAgents: [front(12, 70), front(13, 30)],
  triggers: { a: { b: 1 } },
};

describe("NumberAssignment.diff", () => {
  it("plans an update if any value is unknown", () => {
    const olds = check(everyArgument).inputs as NumbersState;
    return checkRows(
      argsWithUnknowns(everyArgument),
      ({ path }) => path,
      ({ path, args }) => {
        const checked = check(args);
        assert.deepEqual(reasons(checked), []);
        assert.equal(containsUnknown(checked.inputs), true, "the checked inputs contain no unknown value");
        assert.ok(
          !Object.keys(checked.inputs.inboundAgents ?? {}).some((key) => key.includes(String(UNKNOWN))),
          "a key in inboundAgents contains the unknown value",
        );
        assert.deepEqual(checked.numbers, path === "number" ? [] : [number]);
        assert.equal(outcome(numberAssignment.diff(number, olds, checked.inputs, settings)), "update");
      },
    );
  });

  const inputsOf = (args: object): NumbersInputs => {
    const checked = check({ number, ...args });
    assert.deepEqual(checked.failures, []);
    return checked.inputs as NumbersInputs;
  };
  const split = (stable: number, candidate: number) => ({ inboundAgents: [front(12, stable), front(13, candidate)] });
  const rows: readonly {
    readonly name: string;
    readonly before: object;
    readonly after: object;
    readonly expected: string;
  }[] = [
    {
      name: "plans an update if a 70/30 split is rewritten as 7/3",
      before: split(70, 30),
      after: split(7, 3),
      expected: "update",
    },
    {
      name: "plans an update if an agent version is removed",
      before: { inboundAgents: [front(12, 1)] },
      after: { inboundAgents: [front(undefined, 1)] },
      expected: "update",
    },
    {
      name: "plans an update if an agent with weight 0 is removed",
      before: { inboundAgents: [front(12, 1), front(13, 0)] },
      after: { inboundAgents: [front(12, 1)] },
      expected: "update",
    },
    {
      name: "plans a replacement if the number changes and the split is unknown",
      before: {},
      after: { number: "4001", inboundAgents: UNKNOWN },
      expected: "replace by number",
    },
    { name: "shows no diff for unchanged arguments", before: everyField(), after: everyField(), expected: "same" },
    {
      name: "plans an update if isTimeRoutingEnabled changes from unset to false",
      before: {},
      after: { isTimeRoutingEnabled: false },
      expected: "update",
    },
    {
      name: "plans an update if the webhook URL is removed",
      before: { inboundWebhookUrl: "https://a.example/" },
      after: {},
      expected: "update",
    },
    {
      name: "shows no diff for reordered trigger keys",
      before: { triggers: { a: 1, b: 2 } },
      after: { triggers: { b: 2, a: 1 } },
      expected: "same",
    },
    {
      name: "plans an update if an extra field changes",
      before: { extraFields: { a: 1 } },
      after: { extraFields: { a: 2 } },
      expected: "update",
    },
  ];
  for (const { name, before, after, expected } of rows) {
    it(name, () => {
      const olds = inputsOf(before) as NumbersState;
      assert.equal(outcome(numberAssignment.diff("", olds, inputsOf(after), settings)), expected);
    });
  }
});
