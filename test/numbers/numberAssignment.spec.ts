import assert from "node:assert/strict";
import { containsUnknown, UNKNOWN } from "../../provider/base/engine";
import { numberAssignment } from "../../provider/numbers/lifecycle";
import type { NumbersState } from "../../provider/numbers/state";
import type { NumbersInputs } from "../../provider/routing/group";
import { everyField } from "../support/everyField";
import { assertRefused, codesOf } from "../support/failures";
import { argsWithUnknowns, ENDPOINT, outcome, reasons, settings, settingsWith } from "../support/inputs";
import { namedIn } from "../support/named";

const number = "+15551234567";
const front = (agentVersion: unknown, weight: unknown) => ({ agentId: "agent_front", agentVersion, weight });
/** The arguments have an empty split, if they name none of their own. */
const check = (args: object, olds?: Record<string, unknown>, more = settings) =>
  numberAssignment.check(olds, { inboundAgents: [], ...args }, more);

describe("NumberAssignment.check", () => {
  describe("valid arguments", () => {
    const good: [string, object, object][] = [
      ["a number without other arguments", {}, {}],
      [
        "version 0 and the smallest and largest weights",
        { inboundAgents: [front(0, 5e-324), front(1, 1e9)] },
        { inboundAgents: { "agent_front@0": 5e-324, "agent_front@1": 1e9 } },
      ],
      ["null for an omitted argument", { accountSid: null, rollout: null, isTimeRoutingEnabled: null }, {}],
      ["false for time routing", { isTimeRoutingEnabled: false }, { isTimeRoutingEnabled: false }],
      [
        "an http webhook URL",
        { inboundWebhookUrl: "http://a.example/b?c=d" },
        { inboundWebhookUrl: "http://a.example/b?c=d" },
      ],
      ["triggers of any JSON type", { triggers: [1, { a: null }] }, { triggers: [1, { a: null }] }],
      [
        "extra fields in the request body",
        { extraFields: { outboundAgents: [1] } },
        { extraFields: { outboundAgents: [1] } },
      ],
    ];
    for (const [name, args, inputs] of good) {
      it(`accepts ${name}`, () => {
        const checked = check({ number, ...args });
        assert.deepEqual(reasons(checked), []);
        assert.deepEqual(checked.inputs, { number, endpoint: ENDPOINT, inboundAgents: {}, ...inputs });
        assert.deepEqual(checked.numbers, [number]);
      });
    }

    it("accepts an extension in any format", () => {
      for (const extension of ["4001", "front desk", "sales/emea", "100%", "#12", "a?b=c", `${number}#12`, "é", "१२"]) {
        assert.deepEqual(reasons(check({ number: extension })), [], extension);
      }
    });

    for (const { name, args } of [
      { name: "a version whose agent is not known yet", args: { outboundAgentId: UNKNOWN, outboundAgentVersion: 3 } },
      { name: "a version that is not known yet", args: { outboundAgentVersion: UNKNOWN } },
      { name: "an outbound agent without its version", args: { outboundAgentId: "agent_out" } },
    ]) {
      it(`accepts ${name}`, () => assert.deepEqual(reasons(check({ number, ...args })), []));
    }

    it("uses the workspace from the settings unless the number declares one", () => {
      const more = settingsWith({ workspaceId: 42 });
      for (const [own, workspaceId] of [[{}, 42] as const, [{ workspaceId: 43 }, 43] as const]) {
        assert.deepEqual(check({ number, ...own }, undefined, more).inputs, {
          number,
          inboundAgents: {},
          workspaceId,
          endpoint: ENDPOINT,
        });
      }
    });
  });

  describe("invalid arguments", () => {
    const bad: readonly { readonly name: string; readonly args: object; readonly names: readonly string[] }[] = [
      { name: "a missing number", args: { number: undefined }, names: ["number"] },
      {
        name: "a number that is not a string",
        args: { number: 15_551 },
        names: ["number (15551)"],
      },
      { name: "a list of numbers", args: { number: ["+15551234567"] }, names: ["number"] },
      {
        name: "a number that would vanish from the URL's path",
        args: { number: ".." },
        names: ['number ("..")'],
      },
      {
        name: "a number that ends with a newline",
        args: { number: "4001\n" },
        names: [`number ("4001\\n")`],
      },
      {
        name: "a string with a Unicode direction override",
        args: { number: "\u202e4001" },
        names: [`number ("\\u{202e}4001")`],
      },
      {
        name: "a number with a lone surrogate",
        args: { number: "a\ud800" },
        names: [`number ("a\\u{d800}")`],
      },
      {
        name: "a number of 10,000 digits",
        args: { number: "1".repeat(10_000) },
        names: [`number ("${"1".repeat(59)}…")`],
      },
      {
        name: "a number made of 300 full-width characters",
        args: { number: "🙂".repeat(300) },
        names: [`number ("${"🙂".repeat(29)}…")`],
      },
      ...["+", "+1 555 123"].map((text) => ({
        name: `a number that is not international: ${text}`,
        args: { number: text },
        names: [`number ("${text}")`],
      })),
      {
        name: "a workspace ID in quotes",
        args: { workspaceId: "42" },
        names: ['workspaceId ("42")'],
      },
      {
        name: "a workspace ID above 2^53",
        args: { workspaceId: 2 ** 53 },
        names: ["workspaceId (9007199254740992)"],
      },
      {
        name: "an agent ID without a name",
        args: { outboundAgentId: "agent_" },
        names: [`outboundAgentId ("agent_")`],
      },
      {
        name: "a version in the agent's ID",
        args: { outboundAgentId: "agent_front@12" },
        names: ['outboundAgentId ("agent_front@12")'],
      },
      {
        name: "a negative version",
        args: { outboundAgentVersion: -1 },
        names: ["outboundAgentVersion (-1)"],
      },
      {
        name: "both a version without its agent and another mistake",
        args: { outboundAgentVersion: 12, workspaceId: 4.5 },
        names: ["workspaceId (4.5)", "outboundAgentVersion (12)"],
      },
      {
        name: "an agent in place of a split",
        args: { inboundAgents: "agent_front" },
        names: [`inboundAgents ("agent_front")`],
      },
      {
        name: "a single split entry in place of a split",
        args: { inboundAgents: front(12, 1) },
        names: [`inboundAgents`],
      },
      {
        name: "a map with invalid keys and weights",
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
        name: "a list with invalid entries",
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
        name: "weights that are all zero",
        args: { inboundAgents: [front(12, 0), front(13, 0)] },
        names: ["inboundAgents"],
      },
      {
        name: "a duplicate agent",
        args: { inboundAgents: [front(12, 1), front(13, 1), front(12, 2)] },
        names: [`inboundAgents[2]`],
      },
      {
        name: "a duplicate agent without a version",
        args: { inboundAgents: [front(undefined, 1), front(null, 2)] },
        names: [`inboundAgents[1]`],
      },
      {
        name: "more than 100 agents",
        args: { inboundAgents: Array.from({ length: 101 }, (_, index) => front(index, 1)) },
        names: ["inboundAgents"],
      },
      ...["javascript:alert(1)", "hooks.example.com", "https://", "https://user:pw@a.example/", "https://a b"].map(
        (url) => ({
          name: `the webhook URL ${url}`,
          args: { inboundWebhookUrl: url },
          names: ["inboundWebhookUrl"],
        }),
      ),
      {
        name: "a boolean in quotes",
        args: { isTimeRoutingEnabled: "true" },
        names: ['isTimeRoutingEnabled ("true")'],
      },
      {
        name: "an extra field named like an argument",
        args: { extraFields: { inboundAgents: [] } },
        names: ["extraFields.inboundAgents"],
      },
      {
        name: "arguments with several mistakes at once",
        args: { number: "", outboundAgentId: "x", isTimeRoutingEnabled: 1 },
        names: ["number", `outboundAgentId ("x")`, "isTimeRoutingEnabled (1)"],
      },
    ];
    for (const { name, args, names } of bad) {
      it(`rejects ${name}`, () =>
        assertRefused(
          reasons(check({ number, ...args })),
          names.map((name) => `AGP-001 ${name}`),
        ));
    }

    it("rejects an unknown argument and names the one that was meant", () =>
      assert.deepEqual(reasons(check({ number, outboundAgents: [] })).map(namedIn), [
        "AGP-001 `outboundAgents` `outboundAgentId`",
      ]));

    for (const { name, olds } of [
      { name: "a new number", olds: undefined },
      { name: "a number that already has a split", olds: { number, inboundAgents: { "agent_front@12": 1 } } },
      { name: "a number that replaces another", olds: { number: "4001" } },
    ]) {
      it(`requires a rollout or agents for ${name}`, () => {
        for (const args of [{}, { rollout: null, inboundAgents: null }, { outboundAgentId: "agent_out" }]) {
          const checked = numberAssignment.check(olds, { number, ...args }, settings);
          assert.deepEqual(codesOf(reasons(checked)), ["AGP-002"]);
          // No delete of this run clears a number that is named.
          assert.deepEqual(checked.numbers, [number]);
        }
      });
    }

    it("reports a missing split along with other mistakes", () =>
      assert.deepEqual(codesOf(reasons(check({ number, workspaceId: "x", inboundAgents: null }))), [
        "AGP-001",
        "AGP-002",
      ]));

    it("rejects an invalid string without printing its value", () => {
      const hush = "hush-hush";
      const all = reasons(
        check({ number, inboundWebhookUrl: hush, extraFields: hush, accountSid: `${hush}\n`, [hush]: 1 }),
      );
      assert.equal(all.length, 4);
      assert.ok(!all.join().includes(hush), all.join("\n"));
    });
  });
});

const whole = {
  ...everyField(),
  number,
  inboundAgents: [front(12, 70), front(13, 30)],
  triggers: { a: { b: 1 } },
};

describe("unknown values of a NumberAssignment", () => {
  for (const { path, args } of argsWithUnknowns(whole)) {
    it(`updates the number instead of replacing it if ${path} is unknown`, () => {
      const checked = check(args);
      assert.deepEqual(reasons(checked), []);
      assert.equal(containsUnknown(checked.inputs), true, "the checked inputs hold no unknown value");
      assert.ok(
        !Object.keys(checked.inputs.inboundAgents ?? {}).some((key) => key.includes(String(UNKNOWN))),
        "a key never holds it",
      );
      assert.deepEqual(checked.numbers, path === "number" ? [] : [number]);
      const olds = check(whole).inputs as NumbersState;
      assert.equal(outcome(numberAssignment.diff(number, olds, checked.inputs, settings)), "update");
    });
  }
});

describe("NumberAssignment.diff", () => {
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
      name: "a split written as 7/3 instead of 70/30",
      before: split(70, 30),
      after: split(7, 3),
      expected: "update",
    },
    {
      name: "a removed agent version",
      before: { inboundAgents: [front(12, 1)] },
      after: { inboundAgents: [front(undefined, 1)] },
      expected: "update",
    },
    {
      name: "a removed agent with weight 0",
      before: { inboundAgents: [front(12, 1), front(13, 0)] },
      after: { inboundAgents: [front(12, 1)] },
      expected: "update",
    },
    {
      name: "a changed number with an unknown split",
      before: {},
      after: { number: "4001", inboundAgents: UNKNOWN },
      expected: "replace by number",
    },
    { name: "unchanged arguments", before: everyField(), after: everyField(), expected: "same" },
    {
      name: "time routing that is set to false",
      before: {},
      after: { isTimeRoutingEnabled: false },
      expected: "update",
    },
    {
      name: "a removed webhook URL",
      before: { inboundWebhookUrl: "https://a.example/" },
      after: {},
      expected: "update",
    },
    {
      name: "triggers with their keys in another order",
      before: { triggers: { a: 1, b: 2 } },
      after: { triggers: { b: 2, a: 1 } },
      expected: "same",
    },
    {
      name: "a changed extra field",
      before: { extraFields: { a: 1 } },
      after: { extraFields: { a: 2 } },
      expected: "update",
    },
  ];
  for (const { name, before, after, expected } of rows) {
    it(`plans "${expected}" for ${name}`, () => {
      const olds = inputsOf(before) as NumbersState;
      assert.equal(outcome(numberAssignment.diff("", olds, inputsOf(after), settings)), expected);
    });
  }
});
