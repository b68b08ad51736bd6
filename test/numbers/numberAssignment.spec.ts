import assert from "node:assert/strict";
import { holdsUnknown, UNKNOWN } from "../../provider/base/engine";
import { numberAssignment } from "../../provider/numbers/lifecycle";
import type { NumbersState } from "../../provider/numbers/state";
import type { NumbersInputs } from "../../provider/routing/group";
import { everyField } from "../support/everyField";
import { argsWithUnknowns, ENDPOINT, outcome, reasons, settings, settingsWith } from "../support/inputs";

const number = "+15551234567";
const front = (agentVersion: unknown, weight: unknown) => ({ agentId: "agent_front", agentVersion, weight });
/** The arguments have an empty split, if they name none of their own. */
const check = (args: object, olds?: Record<string, unknown>, more = settings) =>
  numberAssignment.check(olds, { inboundAgents: [], ...args }, more);

describe("NumberAssignment.check", () => {
  describe("takes", () => {
    const good: [string, object, object][] = [
      ["a number alone", {}, {}],
      [
        "version 0, the smallest and the largest weight",
        { inboundAgents: [front(0, 5e-324), front(1, 1e9)] },
        { inboundAgents: { "agent_front@0": 5e-324, "agent_front@1": 1e9 } },
      ],
      ["null as left out", { accountSid: null, rollout: null, isTimeRoutingEnabled: null }, {}],
      ["false as false", { isTimeRoutingEnabled: false }, { isTimeRoutingEnabled: false }],
      [
        "a webhook on http",
        { inboundWebhookUrl: "http://a.example/b?c=d" },
        { inboundWebhookUrl: "http://a.example/b?c=d" },
      ],
      ["triggers of any form", { triggers: [1, { a: null }] }, { triggers: [1, { a: null }] }],
      ["undeclared wire fields", { extraFields: { outboundAgents: [1] } }, { extraFields: { outboundAgents: [1] } }],
    ];
    for (const [name, args, inputs] of good) {
      it(name, () => {
        const checked = check({ number, ...args });
        assert.deepEqual(reasons(checked), []);
        assert.deepEqual(checked.inputs, { number, endpoint: ENDPOINT, inboundAgents: {}, ...inputs });
        assert.deepEqual(checked.numbers, [number]);
      });
    }

    it("an extension of any form", () => {
      for (const extension of ["4001", "front desk", "sales/emea", "100%", "#12", "a?b=c", `${number}#12`, "é", "१२"]) {
        assert.deepEqual(reasons(check({ number: extension })), [], extension);
      }
    });

    it("a version whose agent is not known yet, and an agent without its version", () => {
      assert.deepEqual(reasons(check({ number, outboundAgentId: UNKNOWN, outboundAgentVersion: 3 })), []);
      assert.deepEqual(reasons(check({ number, outboundAgentVersion: UNKNOWN })), []);
      assert.deepEqual(reasons(check({ number, outboundAgentId: "agent_out" })), []);
    });

    it("the workspace of the settings, and a program's own before it", () => {
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

  describe("refuses", () => {
    const noSplit =
      "must be a list of { agentId, agentVersion, weight }, or a map from each agent, as in `agent_front@12`, to its weight.";
    const versionAlone =
      "outboundAgentVersion (12) is given without outboundAgentId: add the agent, or remove the version.";
    const noAgent = "must start with `agent_` and name an agent.";
    const twice = "names the same agent and version as an earlier entry: remove one of the two.";
    const noUrl = "inboundWebhookUrl must be an http or https URL without user name and password.";
    const bad: [object, ...string[]][] = [
      [{ number: undefined }, "number must be given."],
      [{ number: 15_551 }, "number (15551) must be text: write it in quotes."],
      [{ number: ["+15551234567"] }, "number must be text."],
      [{ number: ".." }, 'number ("..") must not be `.` or `..`.'],
      [{ number: "4001\n" }, 'number ("4001\\n") must hold no control or invisible characters.'],
      [{ number: "\u202e4001" }, 'number ("\\u{202e}4001") must hold no control or invisible characters.'],
      [{ number: "a\ud800" }, 'number ("a\\u{d800}") must hold no control or invisible characters.'],
      [{ number: "1".repeat(10_000) }, `number ("${"1".repeat(59)}…") must be at most 256 characters.`],
      [{ number: "🙂".repeat(300) }, `number ("${"🙂".repeat(29)}…") must be at most 256 characters.`],
      ...["+", "+0123", "+1 555 123", "+4955512345678901", "+１５５５", "+1555x"].map((text): [object, string] => [
        { number: text },
        `number ("${text}") starts with \`+\`, so it must be in international format: \`+\`, the country code, 7 to 15 digits, nothing else.`,
      ]),
      [{ workspaceId: "42" }, 'workspaceId ("42") must be an integer.'],
      [{ workspaceId: 2 ** 53 }, "workspaceId (9007199254740992) must be an integer."],
      [{ outboundAgentId: "agent_" }, `outboundAgentId ("agent_") ${noAgent}`],
      [
        { outboundAgentId: "agent_front@12" },
        'outboundAgentId ("agent_front@12") must hold no `@`: the version goes into its own field.',
      ],
      [{ outboundAgentVersion: -1 }, "outboundAgentVersion (-1) must not be negative."],
      [{ outboundAgentVersion: 12, workspaceId: 4.5 }, "workspaceId (4.5) must be an integer.", versionAlone],
      [{ inboundAgents: "agent_front" }, `inboundAgents ("agent_front") ${noSplit}`],
      [{ inboundAgents: front(12, 1) }, `inboundAgents ${noSplit}`],
      [
        { inboundAgents: { "agent_front@12": 90, "front@13": 10, Agent_n: 1, "agent_c@1": -1, "agent_d@1": "a few" } },
        `inboundAgents["front@13"] (10) ${noAgent}`,
        `inboundAgents.Agent_n (1) ${noAgent}`,
        'inboundAgents["agent_c@1"] (-1) must not be negative.',
        'inboundAgents["agent_d@1"] ("a few") must be a number.',
      ],
      [
        {
          inboundAgents: [
            "agent_front",
            front(12, -1),
            front(1.5, 1),
            { agentId: "front", weight: Number.NaN },
            { agentId: "agent_b" },
            { ...front(1, 1), agent_id: "agent_x" },
          ],
        },
        'inboundAgents[0] ("agent_front") must be an object { agentId, agentVersion, weight }.',
        "inboundAgents[1].weight (-1) must not be negative.",
        "inboundAgents[2].agentVersion (1.5) must be an integer.",
        `inboundAgents[3].agentId ("front") ${noAgent}`,
        "inboundAgents[3].weight (NaN) must be a number.",
        "inboundAgents[4].weight must be given.",
        "inboundAgents[5] has no argument `agent_id` (did you mean `agentId`?).",
      ],
      [
        { inboundAgents: { "agent_a@1": 1e9, "agent_b@1": 1e9 + 1 } },
        'inboundAgents["agent_b@1"] (1000000001) must be at most 1000000000.',
      ],
      [{ inboundAgents: [front(12, 0), front(13, 0)] }, "inboundAgents must not have weights that are all zero."],
      [{ inboundAgents: [front(12, 1), front(13, 1), front(12, 2)] }, `inboundAgents[2] ${twice}`],
      [{ inboundAgents: [front(undefined, 1), front(null, 2)] }, `inboundAgents[1] ${twice}`],
      [
        { inboundAgents: Array.from({ length: 101 }, (_, index) => front(index, 1)) },
        "inboundAgents must hold at most 100 agents.",
      ],
      ...["javascript:alert(1)", "hooks.example.com", "https://", "https://user:pw@a.example/", "https://a b"].map(
        (url): [object, string] => [{ inboundWebhookUrl: url }, noUrl],
      ),
      [{ isTimeRoutingEnabled: "true" }, 'isTimeRoutingEnabled ("true") must be true or false.'],
      [{ extraFields: { inboundAgents: [] } }, "extraFields.inboundAgents has an argument of its own: use that one."],
      [{ outboundAgents: [] }, "has no argument `outboundAgents` (did you mean `outboundAgentId`?)."],
      [
        { number: "", outboundAgentId: "x", isTimeRoutingEnabled: 1 },
        "number must not be empty.",
        `outboundAgentId ("x") ${noAgent}`,
        "isTimeRoutingEnabled (1) must be true or false.",
      ],
    ];
    for (const [args, ...expected] of bad) {
      it(expected[0] ?? "", () =>
        assert.deepEqual(
          reasons(check({ number, ...args })),
          expected.map((rule) => `AGP-001 ${rule}`),
        ),
      );
    }

    it("a number that says nothing of who answers: new, moved, renamed or old, blank or left out, beside other mistakes", () => {
      const lost =
        "AGP-002 Nothing says who answers: both arguments are missing or blank. Write `rollout` or `inboundAgents`. To unassign all agents, write `inboundAgents: []`.";
      const olds = [undefined, { number }, { number, inboundAgents: { "agent_front@12": 1 } }, { number: "4001" }];
      const blank = [
        {},
        { rollout: undefined },
        { rollout: null, inboundAgents: null },
        { outboundAgentId: "agent_out" },
      ];
      for (const [before, args] of olds.flatMap((one) => blank.map((args) => [one, args] as const))) {
        const checked = numberAssignment.check(before, { number, ...args }, settings);
        assert.deepEqual(reasons(checked), [lost]);
        // No delete of this run clears a number that is named.
        assert.deepEqual(checked.numbers, [number]);
      }
      const both = { number, workspaceId: "x", inboundAgents: null };
      assert.deepEqual(reasons(check(both)), ['AGP-001 workspaceId ("x") must be an integer.', lost]);
    });

    it("nothing with the value of a text that may be secret", () => {
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
    it(`${path}: pass, are a change, and never a replacement by guess`, () => {
      const checked = check(args);
      assert.deepEqual(reasons(checked), []);
      assert.ok(holdsUnknown(checked.inputs));
      assert.ok(
        !Object.keys(checked.inputs.inboundAgents ?? {}).some((key) => key.includes(UNKNOWN)),
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
    return checked.inputs;
  };
  const split = (stable: number, candidate: number) => ({ inboundAgents: [front(12, stable), front(13, candidate)] });
  const rows: readonly {
    readonly name: string;
    readonly before: object;
    readonly after: object;
    readonly expected: string;
  }[] = [
    {
      name: "70/30 -> 7/3: other weights are sent as written",
      before: split(70, 30),
      after: split(7, 3),
      expected: "update",
    },
    {
      name: "version 12 -> none",
      before: { inboundAgents: [front(12, 1)] },
      after: { inboundAgents: [front(undefined, 1)] },
      expected: "update",
    },
    {
      name: "weight 0 -> left out",
      before: { inboundAgents: [front(12, 1), front(13, 0)] },
      after: { inboundAgents: [front(12, 1)] },
      expected: "update",
    },
    {
      name: "number A -> B and a split -> unknown",
      before: {},
      after: { number: "4001", inboundAgents: UNKNOWN },
      expected: "replace by number",
    },
    { name: "the same", before: everyField(), after: everyField(), expected: "same" },
    { name: "flag unset -> false", before: {}, after: { isTimeRoutingEnabled: false }, expected: "update" },
    {
      name: "webhook set -> unset",
      before: { inboundWebhookUrl: "https://a.example/" },
      after: {},
      expected: "update",
    },
    {
      name: "triggers in another order of keys",
      before: { triggers: { a: 1, b: 2 } },
      after: { triggers: { b: 2, a: 1 } },
      expected: "same",
    },
    {
      name: "an undeclared field",
      before: { extraFields: { a: 1 } },
      after: { extraFields: { a: 2 } },
      expected: "update",
    },
  ];
  for (const { name, before, after, expected } of rows) {
    it(`${name}: ${expected}`, () => {
      const olds = inputsOf(before) as NumbersState;
      assert.equal(outcome(numberAssignment.diff("", olds, inputsOf(after), settings)), expected);
    });
  }
});
