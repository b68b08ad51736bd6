import assert from "node:assert/strict";
import { containsUnknown, UNKNOWN } from "../../provider/base/engine";
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
        "a webhook URL with http",
        { inboundWebhookUrl: "http://a.example/b?c=d" },
        { inboundWebhookUrl: "http://a.example/b?c=d" },
      ],
      ["triggers of any JSON type", { triggers: [1, { a: null }] }, { triggers: [1, { a: null }] }],
      [
        "extra fields of the request body",
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
    const noSplit =
      "must be a list of { agentId, agentVersion, weight }, or a map from each agent, as in `agent_front@12`, to its weight.";
    const versionAlone =
      "outboundAgentVersion (12) is set without outboundAgentId: add the agent or remove the version.";
    const noAgent = "must start with `agent_` and name an agent.";
    const twice = "names the same agent and version as an earlier entry: remove one of the two.";
    const noUrl = "inboundWebhookUrl must be an http or https URL without user name and password.";
    const plus = (text: string) =>
      `number ("${text}") starts with \`+\`, so it must be in international format: \`+\` and the country code, 7 to 15 digits in all, nothing else.`;
    const unseen = "must not contain control or invisible characters.";
    const bad: readonly { readonly name: string; readonly args: object; readonly rules: readonly string[] }[] = [
      { name: "a missing number", args: { number: undefined }, rules: ["number must be given."] },
      {
        name: "a number that is not a string",
        args: { number: 15_551 },
        rules: ["number (15551) must be a string: write it in quotes."],
      },
      { name: "a list of numbers", args: { number: ["+15551234567"] }, rules: ["number must be a string."] },
      {
        name: "a number that would vanish from the URL's path",
        args: { number: ".." },
        rules: ['number ("..") must not be `.` or `..`.'],
      },
      {
        name: "a number that ends with a newline",
        args: { number: "4001\n" },
        rules: [`number ("4001\\n") ${unseen}`],
      },
      {
        name: "a string with a direction override",
        args: { number: "\u202e4001" },
        rules: [`number ("\\u{202e}4001") ${unseen}`],
      },
      {
        name: "a number with half a surrogate pair",
        args: { number: "a\ud800" },
        rules: [`number ("a\\u{d800}") ${unseen}`],
      },
      {
        name: "a number of 10,000 digits",
        args: { number: "1".repeat(10_000) },
        rules: [`number ("${"1".repeat(59)}…") must be at most 256 characters.`],
      },
      {
        name: "a number of 300 wide characters",
        args: { number: "🙂".repeat(300) },
        rules: [`number ("${"🙂".repeat(29)}…") must be at most 256 characters.`],
      },
      ...["+", "+1 555 123"].map((text) => ({
        name: `a number that is not international: ${text}`,
        args: { number: text },
        rules: [plus(text)],
      })),
      {
        name: "a workspace ID in quotes",
        args: { workspaceId: "42" },
        rules: ['workspaceId ("42") must be an integer.'],
      },
      {
        name: "a workspace ID above 2^53",
        args: { workspaceId: 2 ** 53 },
        rules: ["workspaceId (9007199254740992) must be an integer."],
      },
      {
        name: "an agent ID without a name",
        args: { outboundAgentId: "agent_" },
        rules: [`outboundAgentId ("agent_") ${noAgent}`],
      },
      {
        name: "a version in the agent's ID",
        args: { outboundAgentId: "agent_front@12" },
        rules: ['outboundAgentId ("agent_front@12") must not contain `@`: the version goes in a field of its own.'],
      },
      {
        name: "a negative version",
        args: { outboundAgentVersion: -1 },
        rules: ["outboundAgentVersion (-1) must not be negative."],
      },
      {
        name: "a version without its agent, along with another mistake",
        args: { outboundAgentVersion: 12, workspaceId: 4.5 },
        rules: ["workspaceId (4.5) must be an integer.", versionAlone],
      },
      {
        name: "an agent in place of a split",
        args: { inboundAgents: "agent_front" },
        rules: [`inboundAgents ("agent_front") ${noSplit}`],
      },
      {
        name: "an entry in place of a split",
        args: { inboundAgents: front(12, 1) },
        rules: [`inboundAgents ${noSplit}`],
      },
      {
        name: "a map with invalid keys and weights",
        args: {
          inboundAgents: { "agent_front@12": 90, "front@13": 10, Agent_n: 1, "agent_c@1": -1, "agent_d@1": "a few" },
        },
        rules: [
          `inboundAgents["front@13"] (10) ${noAgent}`,
          `inboundAgents.Agent_n (1) ${noAgent}`,
          'inboundAgents["agent_c@1"] (-1) must not be negative.',
          'inboundAgents["agent_d@1"] ("a few") must be a number.',
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
        rules: [
          'inboundAgents[0] ("agent_front") must be an object { agentId, agentVersion, weight }.',
          "inboundAgents[1].weight (-1) must not be negative.",
          "inboundAgents[2].agentVersion (1.5) must be an integer.",
          `inboundAgents[3].agentId ("front") ${noAgent}`,
          "inboundAgents[3].weight (NaN) must be a number.",
          "inboundAgents[4].weight must be given.",
          "inboundAgents[5] has no argument `agent_id` (did you mean `agentId`?).",
        ],
      },
      {
        name: "a weight that is too large",
        args: { inboundAgents: { "agent_a@1": 1e9, "agent_b@1": 1e9 + 1 } },
        rules: ['inboundAgents["agent_b@1"] (1000000001) must be at most 1000000000.'],
      },
      {
        name: "weights that are all zero",
        args: { inboundAgents: [front(12, 0), front(13, 0)] },
        rules: ["inboundAgents must have at least one weight above zero."],
      },
      {
        name: "a duplicate agent",
        args: { inboundAgents: [front(12, 1), front(13, 1), front(12, 2)] },
        rules: [`inboundAgents[2] ${twice}`],
      },
      {
        name: "a duplicate agent without a version",
        args: { inboundAgents: [front(undefined, 1), front(null, 2)] },
        rules: [`inboundAgents[1] ${twice}`],
      },
      {
        name: "more than 100 agents",
        args: { inboundAgents: Array.from({ length: 101 }, (_, index) => front(index, 1)) },
        rules: ["inboundAgents must not have more than 100 agents."],
      },
      ...["javascript:alert(1)", "hooks.example.com", "https://", "https://user:pw@a.example/", "https://a b"].map(
        (url) => ({ name: `a webhook that is not a URL: ${url}`, args: { inboundWebhookUrl: url }, rules: [noUrl] }),
      ),
      {
        name: "a boolean in quotes",
        args: { isTimeRoutingEnabled: "true" },
        rules: ['isTimeRoutingEnabled ("true") must be true or false.'],
      },
      {
        name: "an extra field with the name of an argument",
        args: { extraFields: { inboundAgents: [] } },
        rules: ["extraFields.inboundAgents is an argument itself: set that argument instead."],
      },
      {
        name: "an unknown argument",
        args: { outboundAgents: [] },
        rules: ["has no argument `outboundAgents` (did you mean `outboundAgentId`?)."],
      },
      {
        name: "several mistakes at once",
        args: { number: "", outboundAgentId: "x", isTimeRoutingEnabled: 1 },
        rules: [
          "number must not be empty.",
          `outboundAgentId ("x") ${noAgent}`,
          "isTimeRoutingEnabled (1) must be true or false.",
        ],
      },
    ];
    for (const { name, args, rules } of bad) {
      it(`rejects ${name}`, () =>
        assert.deepEqual(
          reasons(check({ number, ...args })),
          rules.map((rule) => `AGP-001 ${rule}`),
        ));
    }

    const lost =
      "AGP-002 no agents are declared: `rollout` and `inboundAgents` are both missing or null. Set `rollout` or `inboundAgents`. To unassign all agents, set `inboundAgents: []`.";
    for (const { name, olds } of [
      { name: "a new number", olds: undefined },
      { name: "a number with a split", olds: { number, inboundAgents: { "agent_front@12": 1 } } },
      { name: "a number that replaces another", olds: { number: "4001" } },
    ]) {
      it(`rejects ${name} without a rollout or agents`, () => {
        for (const args of [{}, { rollout: null, inboundAgents: null }, { outboundAgentId: "agent_out" }]) {
          const checked = numberAssignment.check(olds, { number, ...args }, settings);
          assert.deepEqual(reasons(checked), [lost]);
          // No delete of this run clears a number that is named.
          assert.deepEqual(checked.numbers, [number]);
        }
      });
    }

    it("reports a missing split along with other mistakes", () =>
      assert.deepEqual(reasons(check({ number, workspaceId: "x", inboundAgents: null })), [
        'AGP-001 workspaceId ("x") must be an integer.',
        lost,
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
      name: "another number and an unknown split",
      before: {},
      after: { number: "4001", inboundAgents: UNKNOWN },
      expected: "replace by number",
    },
    { name: "unchanged arguments", before: everyField(), after: everyField(), expected: "same" },
    { name: "time routing set to false", before: {}, after: { isTimeRoutingEnabled: false }, expected: "update" },
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
