import assert from "node:assert/strict";
import type { NumbersState } from "../../provider/core/change/state";
import { holdsUnknown, UNKNOWN } from "../../provider/core/common/schemas";
import { numberAssignment } from "../../provider/resources/numberAssignment";
import { everyField } from "../support/everyField";
import { argsWithUnknowns, ENDPOINT, outcome, reasons, settings, settingsWith } from "./inputs";

const number = "+15551234567";
const front = (agentVersion: unknown, weight: unknown) => ({ agentId: "agent_front", agentVersion, weight });
const check = (args: object, olds?: Record<string, unknown>, more = settings) =>
  numberAssignment.check(olds, { ...args }, more);

describe("NumberAssignment.check", () => {
  describe("takes", () => {
    const good: [string, object, object][] = [
      ["a number alone", {}, {}],
      [
        "a split in canonical order, -0 as 0",
        { inboundAgents: [front(13, 10), { agentId: "agent_b", weight: -0 }, front(12, 90)] },
        { inboundAgents: { agent_b: 0, "agent_front@12": 90, "agent_front@13": 10 } },
      ],
      ["its own canonical map", { inboundAgents: { "agent_front@12": 1 } }, { inboundAgents: { "agent_front@12": 1 } }],
      ["an empty list", { inboundAgents: [] }, { inboundAgents: {} }],
      [
        "version 0, and weights next to nothing and infinity",
        { inboundAgents: [front(0, 5e-324), front(1, 1.7e308)] },
        { inboundAgents: { "agent_front@0": 5e-324, "agent_front@1": 1.7e308 } },
      ],
      ["null as left out", { accountSid: null, inboundAgents: null, isTimeRoutingEnabled: null }, {}],
      ["false as false", { isTimeRoutingEnabled: false }, { isTimeRoutingEnabled: false }],
      [
        "a webhook on http",
        { inboundWebhookUrl: "http://hooks.example.com/a?b=c" },
        { inboundWebhookUrl: "http://hooks.example.com/a?b=c" },
      ],
      ["triggers of any form", { triggers: [1, { a: null }] }, { triggers: [1, { a: null }] }],
      ["undeclared wire fields", { extraFields: { outboundAgents: [1] } }, { extraFields: { outboundAgents: [1] } }],
    ];
    for (const [name, args, inputs] of good) {
      it(name, () => {
        const checked = check({ number, ...args });
        assert.deepEqual(reasons(checked), []);
        assert.deepEqual(checked.inputs, { number, endpoint: ENDPOINT, ...inputs });
        assert.deepEqual(checked.declares, [number]);
      });
    }

    for (const extension of [
      "4001",
      "front desk",
      "sales/emea",
      "100%",
      "#12",
      "a?b=c",
      "+15551234567#12",
      "é",
      "...",
      "१२",
    ]) {
      it(`the number ${JSON.stringify(extension)}`, () => assert.deepEqual(reasons(check({ number: extension })), []));
    }

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
          workspaceId,
          endpoint: ENDPOINT,
        });
      }
    });
  });

  describe("refuses", () => {
    const noNumber = "AGP-001 number (15551234567) must be text: write it in quotes.";
    const noSplit =
      'AGP-001 inboundAgents ("agent_front") must be a list of { agentId, agentVersion, weight }, or a map from each agent, as in `agent_front@12`, to its weight.';
    const versionAlone =
      "AGP-001 outboundAgentVersion (12) is given without outboundAgentId: add the agent, or remove the version.";
    const e164 = (text: string) =>
      `AGP-001 number ("${text}") starts with \`+\`, so it must be in international format: \`+\`, the country code, at most 15 digits, nothing else.`;
    const invisible = (shown: string) => `AGP-001 number ("${shown}") must hold no control or invisible characters.`;
    const bad: [string, object, string[]][] = [
      ["no number", { number: undefined }, ["AGP-001 number must be given."]],
      ["a number that is one", { number: 15_551_234_567 }, [noNumber]],
      ["a number of something else", { number: ["+15551234567"] }, ["AGP-001 number must be text."]],
      ["an empty number", { number: "" }, ["AGP-001 number must not be empty."]],
      ["a dot", { number: "." }, ['AGP-001 number (".") must not be `.` or `..`.']],
      ["two dots", { number: ".." }, ['AGP-001 number ("..") must not be `.` or `..`.']],
      ["a line break", { number: "4001\r\n" }, [invisible("4001\\r\\n")]],
      ["a NUL", { number: "40\u000001" }, [invisible("40\\u{0}01")]],
      ["a change of writing direction", { number: "\u202e4001" }, [invisible("\\u{202e}4001")]],
      [
        "half a character",
        { number: "a\ud800" },
        ['AGP-001 number ("a\\u{d800}") must be well-formed text (it holds half a character).'],
      ],
      [
        "10,000 characters",
        { number: "1".repeat(10_000) },
        [`AGP-001 number ("${"1".repeat(60)}…") must be at most 256 characters.`],
      ],
      ...["+", "+0123", "+1 555 123", "+1(555)", "+1555123456789012", "+１５５５", "+1555x"].map(
        (text): [string, object, string[]] => [`${text} as international`, { number: text }, [e164(text)]],
      ),
      ["a text as workspace", { workspaceId: "42" }, ["AGP-001 workspaceId must be an integer."]],
      ["half a workspace", { workspaceId: 4.5 }, ["AGP-001 workspaceId must be an integer."]],
      ["a workspace beyond 2^53", { workspaceId: 2 ** 53 }, ["AGP-001 workspaceId must be an integer."]],
      [
        "an outbound agent without its prefix",
        { outboundAgentId: "front" },
        ['AGP-001 outboundAgentId ("front") must start with `agent_` and name an agent.'],
      ],
      [
        "a prefix alone",
        { outboundAgentId: "agent_" },
        ['AGP-001 outboundAgentId ("agent_") must start with `agent_` and name an agent.'],
      ],
      [
        "a version inside an agent's id",
        { outboundAgentId: "agent_front@12" },
        ['AGP-001 outboundAgentId ("agent_front@12") must hold no `@`: the version goes into its own field.'],
      ],
      [
        "a version as text",
        { outboundAgentVersion: "12" },
        ['AGP-001 outboundAgentVersion ("12") must be an integer.'],
      ],
      ["a negative version", { outboundAgentVersion: -1 }, ["AGP-001 outboundAgentVersion (-1) must not be negative."]],
      ["a version without its agent", { outboundAgentVersion: 12 }, [versionAlone]],
      [
        "a version without its agent, beside another mistake",
        { outboundAgentVersion: 12, workspaceId: 4.5 },
        ["AGP-001 workspaceId must be an integer.", versionAlone],
      ],
      ["no list", { inboundAgents: "agent_front" }, [noSplit]],
      [
        "a map in which keys and weights have slips, each by its key and with what was meant",
        {
          inboundAgents: {
            "agent_front@12": 90,
            "front@13": 10,
            Agent_night: 1,
            "agent_b@": 1,
            "agent_c@1": -1,
            "agent_d@1": "a few",
          },
        },
        [
          'AGP-001 inboundAgents["front@13"] (10) must start with `agent_` and name an agent.',
          "AGP-001 inboundAgents.Agent_night (1) must start with `agent_` and name an agent.",
          'AGP-001 inboundAgents["agent_b@"] (1) must have an integer from 0 behind its `@`.',
          'AGP-001 inboundAgents["agent_c@1"] (-1) has a weight that must not be negative.',
          'AGP-001 inboundAgents["agent_d@1"] ("a few") has a weight that must be a finite number.',
        ],
      ],
      ["one agent without its list", { inboundAgents: front(12, 1) }, [noSplit.replace(' ("agent_front")', "")]],
      [
        "an entry that is none",
        { inboundAgents: ["agent_front"] },
        ['AGP-001 inboundAgents[0] ("agent_front") must be an object { agentId, agentVersion, weight }.'],
      ],
      [
        "every bad entry at once",
        {
          inboundAgents: [
            front(12, -1),
            front(1.5, 1),
            { agentId: "front", weight: Number.NaN },
            front(13, Number.POSITIVE_INFINITY),
            front(14, "50"),
            { agentId: "agent_b" },
          ],
        },
        [
          "AGP-001 inboundAgents[0].weight (-1) must not be negative.",
          "AGP-001 inboundAgents[1].agentVersion (1.5) must be an integer.",
          'AGP-001 inboundAgents[2].agentId ("front") must start with `agent_` and name an agent.',
          "AGP-001 inboundAgents[2].weight (NaN) must be a finite number.",
          "AGP-001 inboundAgents[3].weight (Infinity) must be a finite number.",
          'AGP-001 inboundAgents[4].weight ("50") must be a finite number.',
          "AGP-001 inboundAgents[5].weight must be given.",
        ],
      ],
      [
        "a name that is no argument",
        { inboundAgents: [{ ...front(1, 1), agent_id: "agent_x" }] },
        ["AGP-001 inboundAgents[0] has no argument `agent_id`."],
      ],
      [
        "weights that are all zero",
        { inboundAgents: [front(12, 0), front(13, 0)] },
        ["AGP-001 inboundAgents must not have weights that are all zero."],
      ],
      [
        "the same agent and version twice",
        { inboundAgents: [front(12, 1), front(13, 1), front(12, 2)] },
        ["AGP-001 inboundAgents[2] names the same agent and version as an earlier entry."],
      ],
      [
        "the same agent twice without a version",
        { inboundAgents: [front(undefined, 1), front(null, 2)] },
        ["AGP-001 inboundAgents[1] names the same agent and version as an earlier entry."],
      ],
      [
        "101 agents",
        { inboundAgents: Array.from({ length: 101 }, (_, index) => front(index, 1)) },
        ["AGP-001 inboundAgents must hold at most 100 agents."],
      ],
      ...[
        "javascript:alert(1)",
        "ftp://a",
        "file:///etc/passwd",
        "hooks.example.com",
        "https://",
        "https://user:pw@a.example/",
        "https://a b",
      ].map((url): [string, object, string[]] => [
        `${url} as a webhook`,
        { inboundWebhookUrl: url },
        ["AGP-001 inboundWebhookUrl must be an http or https URL without user name and password."],
      ]),
      ["a text as a flag", { isTimeRoutingEnabled: "true" }, ["AGP-001 isTimeRoutingEnabled must be true or false."]],
      [
        "a declared field as an undeclared one",
        { extraFields: { inboundAgents: [] } },
        ["AGP-001 extraFields.inboundAgents has an argument of its own: use that one."],
      ],
      ["an argument that does not exist", { outboundAgents: [] }, ["AGP-001 has no argument `outboundAgents`."]],
      [
        "everything at once",
        { number: "", outboundAgentId: "x", isTimeRoutingEnabled: 1 },
        [
          "AGP-001 number must not be empty.",
          'AGP-001 outboundAgentId ("x") must start with `agent_` and name an agent.',
          "AGP-001 isTimeRoutingEnabled must be true or false.",
        ],
      ],
    ];
    for (const [name, args, expected] of bad) {
      it(name, () => assert.deepEqual(reasons(check({ number, ...args })), expected));
    }

    it("agents that were managed and are now missing, and says so beside other failures", () => {
      const olds = { number, inboundAgents: { "agent_front@12": 1 } };
      assert.deepEqual(reasons(check({ number, workspaceId: "x" }, olds)), [
        "AGP-001 workspaceId must be an integer.",
        "AGP-002 inboundAgents was set and is now missing. Restore it, or set `inboundAgents: []` to unassign all agents.",
      ]);
      assert.deepEqual(reasons(check({ number, inboundAgents: [] }, olds)), []);
      assert.deepEqual(reasons(check({ number }, { number })), []);
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
      assert.deepEqual(checked.declares, path === "number" ? [] : [number]);
      const olds = check(whole).inputs as NumbersState;
      assert.equal(outcome(numberAssignment.diff(number, olds, checked.inputs, settings)), "update");
    });
  }
});
