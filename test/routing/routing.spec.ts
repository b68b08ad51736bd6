import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { Output } from "@pulumi/pulumi";
import { describe, it } from "mocha";
import type { EmulatorOptions, ProfileChoice } from "../../emulator";
import { assignNumber, numberResponse } from "../../provider/api/assignNumber";
import { isObject } from "../../provider/base/json";
import type { NumberAssignment, RoutingArgs } from "../../provider/numberAssignment";
import type { NumberGroup } from "../../provider/numberGroup";
import { type Verdict, verify } from "../../provider/numbers/verify";
import {
  ASSIGNED_FIELDS,
  type AssignedField,
  CLEAR_MODES,
  type ClearMode,
  COLUMNS,
  FIELDS,
  isEmptied,
  isVersion,
  NAMED_FIELDS,
  ROUTING_FIELDS,
  type Routing,
  routingShape,
  toClear,
} from "../../provider/routing/routing";
import { type Split, toAgents } from "../../provider/routing/split";
import { emulatorForEach, NUMBER } from "../api/support";
import { ASSIGNMENT_FIELDS, interfaceSection, RECORD_FIELDS } from "../docs/blocks";
import { exampleOf } from "../support/everyField";
import { checkRows } from "../support/rows";
import { newRun } from "../support/session";

/**
 * The saved value of every routing field except `inboundAgents`. That field is different: its argument is a list
 * instead of a map, and its output is never undefined.
 */
type Saved = Omit<Routing, "inboundAgents">;
type Outputs = { readonly [Name in keyof Omit<Saved, "extraFields">]-?: Output<Saved[Name]> };
/**
 * `true` if B has every key of A, and each of A's values can be assigned to the same key in B. Otherwise, an object
 * type that names the mismatched keys.
 */
type Fits<A, B> = [Misfits<A, B>] extends [never] ? true : { wrong: Misfits<A, B> };
type Misfits<A, B> = { [Key in keyof A]-?: Key extends keyof B ? (A[Key] extends B[Key] ? never : Key) : Key }[keyof A];

/**
 * Fails to compile if a field lacks an argument or, except for `extraFields`, an output that fits its saved value. The
 * error names the field.
 */
({ args: true, outputs: true }) satisfies {
  args: Fits<Saved, RoutingArgs>;
  outputs: Fits<Outputs, NumberAssignment & NumberGroup>;
};

/** Converts a field's name to snake case, which responses use. */
const wireOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

describe("routing fields", () => {
  it("lists exactly the fields of the documented request", () => {
    const request = interfaceSection("4.1").split("The response:")[0] ?? "";
    const named = [...request.matchAll(/^- `(\w+)` /gm)].map(([, name]) => name);
    assert.deepEqual([...NAMED_FIELDS], named);
  });

  it("reads exactly the documented fields of a response", () => {
    const nulls = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]));
    const { numbers, assignment } = numberResponse.parse({
      numbers: [nulls([...RECORD_FIELDS, ...NAMED_FIELDS.map(wireOf)])],
      assignment: nulls(ASSIGNMENT_FIELDS),
    });
    const read = (part: object = {}) => Object.keys(part).map(wireOf);
    assert.deepEqual(read(numbers?.[0]).sort(), RECORD_FIELDS.toSorted());
    assert.deepEqual(read(assignment ?? {}).sort(), ASSIGNMENT_FIELDS.toSorted());
  });

  it("gives each field a unique label that its version shares", () => {
    const named = ROUTING_FIELDS.filter((field) => FIELDS[field].versionOf === undefined);
    const labels = named.map((field) => FIELDS[field].label).filter((label: string) => label !== "");
    assert.equal(new Set(labels).size, named.length);
    assert.equal(new Set(COLUMNS).size, named.filter((field) => FIELDS[field].role === "assigned").length);
    for (const field of ROUTING_FIELDS.filter(isVersion)) {
      const { versionOf, label, column } = FIELDS[field];
      assert.deepEqual([label, column], [versionOf && FIELDS[versionOf].label, undefined]);
    }
  });
});

/** Reverses the entries of a list or a map. Returns any other value unchanged. */
const reversed = (value: unknown): unknown => {
  const reverse = (entries: readonly unknown[]) => entries.toReversed();
  if (Array.isArray(value)) {
    return reverse(value);
  }
  return isObject(value) ? Object.fromEntries(reverse(Object.entries(value)) as [string, unknown][]) : value;
};

/** Applies `change` to every string in a value, including map keys. */
const mapStrings = (value: unknown, change: (text: string) => string): unknown =>
  JSON.parse(JSON.stringify(value).replace(/"([^"]*)"/g, (_, text) => JSON.stringify(change(text))));

/** Replaces the entries of a list or a map with 10,000 others. Returns any other value unchanged. */
function withManyEntries(value: unknown): unknown {
  const names = Array.from({ length: 10_000 }, (_, index) => `agent_${index}`);
  return isObject(value)
    ? Object.fromEntries(names.map((name) => [name, 1]))
    : (Array.isArray(value) && names) || value;
}

describe("routing arguments", () => {
  const examples = ROUTING_FIELDS.flatMap((field) => ([0, 1] as const).map((index) => ({ field, index })));
  it("saves each argument identically regardless of the order of its entries", () =>
    checkRows(
      examples,
      ({ field, index }) => `${field} ${index}`,
      ({ field, index }) => {
        const written = exampleOf(field, index);
        const kept = routingShape[field].parse(written);
        const lists = isObject(written) && field === "inboundAgents" ? [toAgents(written as Split)] : [];
        // The saved value must not depend on the order. Otherwise, the engine would show a reordered list as a change,
        // because it compares lists by position.
        for (const form of [kept, written, ...lists]) {
          assert.deepEqual(routingShape[field].parse(reversed(form)), kept);
        }
      },
    ));

  it("rejects a wrong type with its own error message instead of zod's", () => {
    const wrongValues = [{}, [], 7.5, -1, "", "\u0007", true, [7], [{}], [[]], { a: "b" }, { a: { b: 1 } }];
    for (const field of ROUTING_FIELDS) {
      const rules = wrongValues.flatMap((value) => routingShape[field].safeParse(value).error?.issues ?? []);
      assert.ok(rules.length > 0, field);
      // Messages from zod start with a capital letter, but ours don't.
      assert.deepEqual(
        rules.map(({ message }) => message).filter((rule) => /^\p{Lu}/u.test(rule)),
        [],
        field,
      );
    }
  });

  it("rejects arguments that are too long or contain invisible characters", () => {
    for (const field of ROUTING_FIELDS) {
      // Use the second example, because its inbound agent has no version. The changes below would make a version
      // invalid, and the value would be rejected for that reason alone.
      const written = exampleOf(field, 1);
      const withControlCharacter = mapStrings(written, (text) => `${text}\u0007`);
      const tooLong = mapStrings(written, (text) => text.repeat(70_000));
      const isAccepted = (value: unknown) =>
        !isDeepStrictEqual(value, written) && routingShape[field].safeParse(value).success;
      // Control characters are accepted in extra fields, because the platform defines these fields.
      assert.deepEqual(
        [withControlCharacter, tooLong, withManyEntries(written)].map(isAccepted),
        [field === "extraFields", false, false],
        field,
      );
    }
  });

  it("treats an empty list of inbound agents as no agents", () => {
    const isNone = (value: unknown) =>
      isEmptied({ inboundAgents: FIELDS.inboundAgents.schema.parse(value) }, "inboundAgents");
    assert.equal(isNone([]), true);
    assert.equal(isNone(exampleOf("inboundAgents")), false);
  });
});

/** Returns a routing with an example value for the field and, if the field is a version, also for its agent. */
const declared = (field: AssignedField, index: 0 | 1): Routing => ({
  ...agentOf(field),
  [field]: exampleOf(field, index),
});

function agentOf(field: AssignedField): Routing {
  const { versionOf } = FIELDS[field];
  return versionOf === undefined ? {} : { [versionOf]: exampleOf(versionOf) };
}

/** The part of an emulator's response that these tests read. */
interface Response {
  readonly numbers: readonly object[];
}

/** Reverses every list in a response. */
const reverseLists = <Value>(shown: Value): Value =>
  JSON.parse(JSON.stringify(shown), (_, value) => (Array.isArray(value) ? value.toReversed() : value));

/** Asserts that the provider found no difference between a request and its response. */
function assertNoDifference({ mismatches, notCleared, otherDifferences }: Verdict): void {
  assert.deepEqual(
    { mismatches, notCleared, otherDifferences },
    { mismatches: [], notCleared: [], otherDifferences: [] },
  );
}

describe("routing requests", () => {
  const start = emulatorForEach();

  async function started(options: EmulatorOptions = {}, settings: Readonly<Record<string, unknown>> = {}) {
    const emulator = await start({ token: "an-access-token", ...options });
    const session = newRun(emulator.url, "an-access-token", settings);
    const put = async (routing: Routing, mayHave: Routing = {}) => {
      const assignment = { number: NUMBER, routing, mayHave: [mayHave] };
      const outcome = await session.api().assignNumber(assignment);
      assert.equal(outcome.failure, undefined, outcome.failure?.detail);
      return verify(assignment, outcome.response ?? {}, outcome.status);
    };
    return { emulator, put };
  }

  for (const field of ASSIGNED_FIELDS) {
    it(`sends ${field} when it is set or changed`, async () => {
      const { emulator, put } = await started();
      for (const index of [0, 1] as const) {
        assertNoDifference(await put(declared(field, index)));
        assert.deepEqual(emulator.routing(NUMBER)?.[field], exampleOf(field, index));
      }
    });

    it(`clears ${field} in every clearWith mode on a platform that requires it`, () =>
      checkRows([undefined, ...CLEAR_MODES], String, async (clearWith) => {
        const { emulator, put } = await started({ profile: profileFor(field, clearWith) }, { clearWith });
        await put(declared(field, 0));
        assertNoDifference(await put(agentOf(field), declared(field, 0)));
        const { [field]: left } = emulator.routing(NUMBER) ?? {};
        assert.ok(left === undefined || left === false || Object.keys(left).length === 0, JSON.stringify(left));
      }));
  }

  /** Returns the platform's response to a PUT that sets this routing. */
  async function responseTo(routing: Routing): Promise<Response> {
    const { emulator, put } = await started();
    let shown: unknown;
    const patch = (response: unknown) => {
      shown = response;
      return response;
    };
    emulator.inject({ kind: "contradict", patch });
    await put(routing);
    return shown as Response;
  }

  it("accepts a response that lists agents in a different order", () =>
    checkRows(ASSIGNED_FIELDS, String, async (field) => {
      const { emulator, put } = await started();
      emulator.inject({ kind: "contradict", patch: reverseLists, times: 9 });
      assertNoDifference(await put(declared(field, 0)));
      assertNoDifference(await put(declared(field, 1)));
    }));

  for (const field of ASSIGNED_FIELDS) {
    const [value, other, none] = [declared(field, 0), declared(field, 1), agentOf(field)];

    it(`reports a response that contradicts ${field}`, async () => {
      const [showsValue, showsOther, showsNone] = [
        await responseTo(value),
        await responseTo(other),
        await responseTo(none),
      ];
      const { emulator, put } = await started();
      const differencesAfter = async (patch: (own: object) => object, routing: Routing, mayHave?: Routing) => {
        emulator.inject({ kind: "contradict", patch: (own) => patch(own as object), times: 9 });
        const { mismatches, notCleared, otherDifferences } = await put(routing, mayHave);
        emulator.clearFaults();
        return [...mismatches.map((mismatch) => mismatch.field), ...notCleared, ...otherDifferences];
      };
      const record = ({ numbers }: Response) => ({ numbers });
      // Return the whole record as `assignment`, because the emulator's own `assignment` object has only some of the
      // fields (section 2.3 in docs/interface.md).
      const assignment = ({ numbers: [shown] }: Response) => ({ assignment: shown });
      for (const part of [record, assignment]) {
        assert.deepEqual(await differencesAfter((own) => ({ ...own, ...part(showsOther) }), value), [field]);
        assert.deepEqual(await differencesAfter((own) => ({ ...own, ...part(showsValue) }), none, value), [field]);
      }
      // A version that is null in the response doesn't contradict the request.
      assert.deepEqual(await differencesAfter(() => showsNone, value), isVersion(field) ? [] : [field]);
      assert.deepEqual(await differencesAfter(() => reverseLists(showsValue), none, value), [field]);
    });
  }
});

/**
 * Returns an emulator profile that clears the field only if the request uses this `clearWith` mode.
 * @param clearWith if undefined, the provider uses its default, which is `[]` for inbound agents and null for other
 * fields
 */
function profileFor(field: AssignedField, clearWith: ClearMode | undefined): ProfileChoice {
  switch (clearWith) {
    case undefined:
      return { clearInbound: "empty", clearOthers: "null" };
    case "omit":
      return { omittedFields: "replace", clearInbound: "none", clearOthers: "none" };
    default:
      // A version has no empty value, so in the `empty` mode, the provider clears it with null.
      return { clearInbound: clearWith, clearOthers: isVersion(field) ? "null" : clearWith };
  }
}

const nothingCleared = { fields: [], extraFields: [] };

describe("field clearing", () => {
  const before = {
    workspaceId: 42,
    inboundAgents: { "agent_a@1": 1 },
    outboundAgentId: "agent_o",
    outboundAgentVersion: 3,
    inboundWebhookUrl: "https://h.example",
    isTimeRoutingEnabled: true,
    extraFields: { constructor: 1, b: 2 },
  };

  it("clears managed fields that are no longer declared", () => {
    assert.deepEqual(
      toClear({
        mayHave: [before],
        routing: { workspaceId: 42, inboundAgents: { "agent_a@1": 1 }, extraFields: { b: 2 } },
      }),
      {
        fields: ["outboundAgentId", "outboundAgentVersion", "inboundWebhookUrl", "isTimeRoutingEnabled"],
        extraFields: ["constructor"],
      },
    );
  });
  it("clears inbound agents if the program declares an empty list", () => {
    assert.deepEqual(toClear({ mayHave: [], routing: { inboundAgents: {} } }).fields, ["inboundAgents"]);
    assert.deepEqual(toClear({ mayHave: [before], routing: { ...before, inboundAgents: {} } }).fields, [
      "inboundAgents",
    ]);
  });
  it("does not clear time routing that is set to false", () => {
    assert.deepEqual(
      toClear({ mayHave: [{ isTimeRoutingEnabled: true }], routing: { isTimeRoutingEnabled: false } }),
      nothingCleared,
    );
  });
});

describe("the body of a clearing PUT", () => {
  const mayHave: Routing = {
    inboundAgents: { agent_a: 1 },
    outboundAgentId: "agent_o",
    outboundAgentVersion: 3,
    isTimeRoutingEnabled: true,
    extraFields: { a: 1 },
  };
  const bodyOf = (routing: Routing, clearWith?: ClearMode, before = mayHave): unknown => {
    const settings = { baseUrl: "https://a.example", clearWith };
    return JSON.parse(assignNumber({ number: NUMBER, routing, mayHave: [before] }, settings).body);
  };
  const none = { outboundAgentId: null, outboundAgentVersion: null, isTimeRoutingEnabled: null };

  it("clears agents with [] and other fields with null by default", () =>
    assert.deepEqual(bodyOf({ workspaceId: 42, inboundAgents: {} }), {
      ...{ workspaceId: 42, inboundAgents: [], ...none, a: null },
    }));

  it("clears fields with nulls or empty values, depending on clearWith", () => {
    assert.deepEqual(bodyOf({ workspaceId: 42, inboundAgents: {} }, "null"), {
      ...{ workspaceId: 42, inboundAgents: null, ...none, a: null },
    });
    const empty = { inboundAgents: [], outboundAgentId: "", isTimeRoutingEnabled: false };
    assert.deepEqual(bodyOf({ extraFields: { b: 1 } }, "empty"), { ...empty, a: null, b: 1 });
  });

  it("clears a removed version with null unless clearWith is omit", () => {
    const bodies = CLEAR_MODES.map((mode) => bodyOf({ ...mayHave, outboundAgentVersion: undefined }, mode));
    const kept = {
      inboundAgents: [{ agent_id: "agent_a", weight: 1 }],
      outboundAgentId: "agent_o",
      isTimeRoutingEnabled: true,
      a: 1,
    };
    const cleared = { ...kept, outboundAgentVersion: null };
    assert.deepEqual(bodies, [cleared, cleared, kept]);
  });

  it("omits cleared fields if clearWith is omit", () =>
    assert.deepEqual(bodyOf({ workspaceId: 42 }, "omit"), { workspaceId: 42 }));

  it("treats an empty agent list like a removed one when clearing", () => {
    const bodies = CLEAR_MODES.map((mode) => bodyOf({ inboundAgents: {} }, mode, {}));
    const bodiesForRemoved = CLEAR_MODES.map((mode) => bodyOf({}, mode, { inboundAgents: { agent_a: 1 } }));
    assert.deepEqual(bodies, [{ inboundAgents: null }, { inboundAgents: [] }, {}]);
    assert.deepEqual(bodies, bodiesForRemoved);
  });
});
