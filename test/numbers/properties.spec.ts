import assert from "node:assert/strict";
import { inspect } from "node:util";
import fc from "fast-check";
import { UNKNOWN } from "../../provider/base/engine";
import { numberAssignment, numberGroup } from "../../provider/numbers/lifecycle";
import type { NumbersState } from "../../provider/numbers/state";
import { communityVoice, smsChat } from "../../provider/posts/kinds";
import type { NumbersInputs } from "../../provider/routing/group";
import { NAMED_FIELDS } from "../../provider/routing/routing";
import type { Checked, Lifecycle } from "../../provider/run/resource";
import { violated } from "../../provider/run/violation";
import { render } from "../../provider/words/message";
import { settings, settingsWith } from "../support/inputs";
import { checkRows } from "../support/rows";

/** Property-based tests with random arguments. A failing test prints the seed and path that reproduce it. */

type Args = Record<string, unknown>;
type AnyLifecycle = { [Kind in keyof typeof lifecycles]: (typeof lifecycles)[Kind] }[keyof typeof lifecycles];
const lifecycles = { numberAssignment, numberGroup, communityVoice, smsChat };

const id = fc.stringMatching(/^[a-z0-9]{1,8}$/);
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const json = fc.dictionary(id, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });

const agents = fc
  .uniqueArray(
    fc.record({
      agentId: id.map((text) => `agent_${text}`),
      agentVersion: optional(fc.nat(99)),
      weight: fc.double({ min: 0, max: 1e6, noNaN: true }),
    }),
    {
      selector: ({ agentId, agentVersion }) => `${agentId}@${agentVersion}`,
      maxLength: 5,
    },
  )
  .filter((list) => list.length === 0 || list.some(({ weight }) => weight > 0));

const routing: Readonly<Record<(typeof NAMED_FIELDS)[number] | "triggers", fc.Arbitrary<unknown>>> = {
  accountSid: optional(id),
  workspaceId: optional(fc.nat()),
  outboundAgentId: optional(id.map((text) => `agent_${text}`)),
  outboundAgentVersion: optional(fc.nat(99)),
  inboundWebhookUrl: optional(id.map((text) => `https://${text}.example.com/`)),
  isTimeRoutingEnabled: optional(fc.boolean()),
  inboundAgents: agents,
  triggers: optional(json),
};
const isVersionOfAgent = ({ outboundAgentId, outboundAgentVersion }: Args) =>
  outboundAgentId !== undefined || outboundAgentVersion === undefined;
const numbers = fc.uniqueArray(fc.stringMatching(/^\+[2-689][0-9]{6,12}$/), { minLength: 1, maxLength: 5 });

const valid: { [Kind in keyof typeof lifecycles]: fc.Arbitrary<Args> } = {
  numberAssignment: fc
    .record({
      number: fc.oneof(
        id,
        numbers.map(([first]) => first),
      ),
      ...routing,
    })
    .filter(isVersionOfAgent),
  numberGroup: fc.record({ numbers, ...routing }).filter(isVersionOfAgent),
  communityVoice: fc.record({
    workspaceId: fc.nat(),
    voiceProvider: id,
    providerVoiceId: id,
    voiceName: id,
    publicUserId: id,
  }),
  smsChat: fc.record({
    workspaceId: fc.nat(),
    agentId: id.map((text) => `chat_agent_${text}`),
    fromNumber: fc.constant("+15550000001"),
    toNumber: fc.constant("+15550000002"),
    metadata: optional(json),
    sendKey: optional(id),
  }),
};

/** Returns the same arguments with the lists of numbers and agents in reverse order. */
const reversed = (args: Args): Args =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      Array.isArray(value) && ["numbers", ...NAMED_FIELDS].includes(name) ? value.toReversed() : value,
    ]),
  );

const kinds = Object.keys(lifecycles) as (keyof typeof lifecycles)[];
const lifecycleOf = (kind: keyof typeof lifecycles) =>
  lifecycles[kind] as AnyLifecycle as unknown as Lifecycle<Args, Args>;
const check = (kind: keyof typeof lifecycles, args: Args, olds?: Args): Checked<Args> =>
  lifecycleOf(kind).check(olds, args, settings);
const saved = (inputs: Args): Args => ({ ...inputs, endpoint: settings.endpoint });
const inputsOf = (args: Args) => check("numberAssignment", args).inputs as unknown as NumbersInputs;
const diffOf = (before: Args, after: Args) =>
  numberAssignment.diff("n", inputsOf(before) as NumbersState, inputsOf(after), settings);

/**
 * Generates random values, mostly for arguments with these names. If the names were random, `check` would reject nearly
 * all of them as unknown.
 */
const anyArgs = (names: readonly string[]) =>
  fc.oneof(
    fc
      .anything({ maxDepth: 3, withBigInt: true, withDate: true, withNullPrototype: true })
      .map((value) => ({ value }) as Args),
    fc.dictionary(
      fc.constantFrom(...names),
      fc.oneof(
        fc.anything({ maxDepth: 3 }),
        fc.constantFrom(UNKNOWN, "", "agent_a", -1, 0, Number.NaN, null, "__proto__", "\ud800"),
        fc.array(
          fc.dictionary(
            fc.constantFrom("agentId", "agentVersion", "weight"),
            fc.oneof(fc.constantFrom(UNKNOWN, "agent_a", 1, -1), fc.anything({ maxDepth: 1 })),
          ),
        ),
      ),
      { noNullPrototype: false },
    ),
  );

/** Returns a test function that checks a property for every kind of resource. */
const forEveryKind = (property: (kind: keyof typeof lifecycles) => void) => () =>
  checkRows(kinds, (kind) => kind, property);

describe("every resource type", () => {
  it(
    "shows no diff right after a create",
    forEveryKind((kind) => {
      fc.assert(
        fc.property(valid[kind], (args) => {
          const { inputs, failures } = check(kind, args);
          assert.deepEqual(failures, []);
          const diff = lifecycleOf(kind).diff("id", saved(inputs), inputs, settings);
          assert.deepEqual([diff.changes, diff.replaces], [false, []]);
        }),
      );
    }),
  );

  it(
    "produces the same inputs from reordered or already checked arguments",
    forEveryKind((kind) => {
      fc.assert(
        fc.property(valid[kind], (args) => {
          const { inputs } = check(kind, args);
          const { endpoint: _, ...checkedArgs } = inputs;
          for (const equivalentArgs of [checkedArgs, reversed(args), reversed(checkedArgs)]) {
            assert.deepEqual(check(kind, equivalentArgs).inputs, inputs);
          }
        }),
      );
    }),
  );

  it(
    "checks arguments without modifying them",
    forEveryKind((kind) => {
      fc.assert(
        fc.property(valid[kind], (args) => {
          const before = inspect(args, { depth: null });
          check(kind, args);
          assert.equal(inspect(args, { depth: null }), before);
        }),
      );
    }),
  );

  it(
    "accepts or rejects any arguments without throwing",
    forEveryKind((kind) => {
      const names = [...Object.keys(fc.sample(valid[kind], 1)[0] ?? {}), "extraFields", "adopt", "actorType"];
      fc.assert(
        fc.property(anyArgs(names), fc.boolean(), (args, hasOlds) => {
          const { inputs, failures, violations } = check(kind, args, hasOlds ? { ...args } : undefined);
          assert.equal(typeof inputs, "object");
          for (const message of [...failures, ...violated(undefined, violations)]) {
            assert.match(render(message), /^AGP-\d{3} \P{Cc}+$/u);
          }
        }),
        { numRuns: 200 },
      );
    }),
  );
});

describe("NumberAssignment.diff", () => {
  it("detects the same changes if the old and new inputs are swapped", () => {
    fc.assert(
      fc.property(valid.numberAssignment, valid.numberAssignment, (before, after) => {
        const [forward, backward] = [diffOf(before, after), diffOf(after, before)];
        assert.equal(forward.changes, backward.changes);
        assert.deepEqual(forward.replaces, before.number === after.number ? [] : ["number"]);
        assert.deepEqual(backward.replaces, forward.replaces);
      }),
    );
  });
});

describe("NumberAssignment.check with strict guards", () => {
  const strict = settingsWith({ weightTotal: 100, maxShift: 1, requireVersions: true, approvedAgents: "[]" });
  const refusedBy = (inboundAgents: unknown) => {
    const { failures, violations } = numberAssignment.check(undefined, { number: "4001", inboundAgents }, strict);
    assert.deepEqual(failures, []);
    return violations.map(({ guard }) => guard);
  };

  it("accepts a split that is not known yet", () => assert.deepEqual(refusedBy(UNKNOWN), []));

  it("rejects an unapproved split once it is known", () =>
    assert.deepEqual(refusedBy({ agent_a: 7 }), ["weightTotal", "requireVersions", "maxUnapproved"]));
});
