import assert from "node:assert/strict";
import { describe, it } from "mocha";
import type { EmulatorOptions, Fault } from "../../emulator";
import { PLAIN_FIELDS } from "../../emulator/plainFields";
import { numberResponse } from "../../provider/core/api/responses";
import { isObject } from "../../provider/core/common/equality";
import { textsSent } from "../../provider/core/common/sent";
import type { ResourceKind } from "../../provider/core/platform/kinds";
import {
  ASSIGNED_FIELDS,
  type AssignedField,
  FIELDS,
  NAMED_FIELDS,
  ROUTING_FIELDS,
  type Routing,
  routingShape,
  wireOf,
} from "../../provider/core/routing/fields";
import { clearModes, toBody, toClear } from "../../provider/core/routing/routing";
import { type Split, toAgents } from "../../provider/core/routing/split";
import { VALUES } from "../../provider/core/routing/values";
import { outputNames } from "../../provider/edge/outputs";
import { assign, type PutResult } from "../../provider/resources/numbers/assign";
import { emulatorForEach, NUMBER } from "../client/support";
import { interfaceSection } from "../docs/blocks";
import { exampleOf } from "../support/everyField";
import { newRun } from "../support/session";

const codesIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

describe("the table of routing fields", () => {
  it("has every field of the request of the interface, and no other", () => {
    const rows = interfaceSection("4.1").split("| Field of the response")[0] ?? "";
    const named = [...rows.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    assert.deepEqual([...NAMED_FIELDS], named);
  });

  it("says which texts people see: messages show them, and the platform's words may repeat them", () => {
    const shown = ROUTING_FIELDS.filter((name) => FIELDS[name].seen === "shown");
    const kept = ROUTING_FIELDS.filter((name) => textsSent({ [name]: "what-was-sent" }).size === 0);
    assert.deepEqual(kept, shown);
  });

  it("is read in a response, with every other field that a record has in the interface", () => {
    const record = codesIn(interfaceSection("2.2").split("<!--")[0] ?? "").filter((name) => name !== "numbers");
    const [listed = ""] = (interfaceSection("2.3").split("fields of a record:")[1] ?? "").split("<!--");
    const nulls = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]));
    const { numbers, assignment } = numberResponse.parse({
      numbers: [nulls(record)],
      assignment: nulls(codesIn(listed)),
    });
    const read = (part: object = {}) => Object.keys(part).map((name) => wireOf(name as AssignedField));
    assert.deepEqual(read(numbers?.[0]).sort(), record.sort());
    assert.deepEqual(read(assignment ?? {}).sort(), codesIn(listed).sort());
  });

  it("gives a column of show and of takeover to every field that binds something, but a version, which is shown with its agent", () => {
    const without = ASSIGNED_FIELDS.filter((field) => FIELDS[field].column === undefined);
    assert.deepEqual(
      without,
      ASSIGNED_FIELDS.filter((field) => FIELDS[field].versionOf !== undefined),
    );
  });

  it("has each named field as an output of a number and of a group", () => {
    const lacks = (kind: ResourceKind) => NAMED_FIELDS.filter((name) => !outputNames(kind).includes(name));
    assert.deepEqual([lacks("NumberAssignment"), lacks("NumberGroup")], [[], []]);
  });

  it("says of a URL and of a flag what the emulator's own table says", () => {
    const plain = Object.entries(FIELDS).filter(([, { value }]) => value === "url" || value === "flag");
    assert.deepEqual(
      Object.fromEntries(plain.map(([name]) => [name, wireOf(name as AssignedField)])),
      Object.fromEntries(Object.entries(PLAIN_FIELDS).map(([name, { wire }]) => [name, wire])),
    );
  });
});

/** The same value with its entries in another order. */
const reordered = (value: unknown): unknown => {
  const turned = (entries: readonly unknown[]) => entries.toReversed();
  if (Array.isArray(value)) {
    return turned(value);
  }
  return isObject(value) ? Object.fromEntries(turned(Object.entries(value)) as [string, unknown][]) : value;
};

describe("each argument of the table", () => {
  for (const field of ROUTING_FIELDS) {
    for (const which of [0, 1] as const) {
      const written = exampleOf(field, which);
      const kept = routingShape[field].parse(written);

      it(`${field}: ${JSON.stringify(written)} is kept as it was saved, in whatever order`, () => {
        const lists = isObject(written) && field === "inboundAgents" ? [toAgents(written as Split)] : [];
        // The engine compares texts, lists by position, and maps by key.
        for (const again of [kept, written, ...lists]) {
          assert.deepEqual(routingShape[field].parse(reordered(again)), kept);
        }
      });
    }
  }

  it("has none if it is empty, as far as its kind has an empty list or map", () => {
    for (const [name, { empty, schema, isNone }] of Object.entries(VALUES)) {
      if (typeof empty === "object") {
        assert.ok(isNone(schema.parse(empty) as never), name);
      }
    }
  });
});

/** The routing with a value for the field. A version is never without its agent. */
const declared = (field: AssignedField, which: 0 | 1): Routing => ({
  ...agentOf(field),
  [field]: exampleOf(field, which),
});

function agentOf(field: AssignedField): Routing {
  const { versionOf } = FIELDS[field];
  return versionOf === undefined ? {} : { [versionOf]: exampleOf(versionOf) };
}

/** Any difference would be a warning of each PUT. */
function noDifference(result: PutResult): void {
  assert.ok("verdict" in result);
  const { mismatches, notCleared, others } = result.verdict;
  assert.deepEqual([mismatches, notCleared, others], [[], [], []]);
}

describe("each field of the table", () => {
  const start = emulatorForEach();

  async function started(options: EmulatorOptions = {}) {
    const emulator = await start({ token: "an-access-token", ...options });
    const session = newRun(emulator.url, "an-access-token");
    const put = (routing: Routing, mayClear: Routing = {}) => assign({ number: NUMBER, routing, mayClear }, session);
    return { emulator, put };
  }

  for (const field of ASSIGNED_FIELDS) {
    it(`${field} gets what is declared, and then another value`, async () => {
      const { emulator, put } = await started();
      for (const which of [0, 1] as const) {
        noDifference(await put(declared(field, which)));
        assert.deepEqual(emulator.routing(NUMBER)?.[field], exampleOf(field, which));
      }
    });

    // An integer has no empty form: a version is cleared with its agent.
    const ways = [
      "any",
      "null",
      "omit",
      ...(FIELDS[field].versionOf === undefined ? (["empty"] as const) : []),
    ] as const;
    for (const clears of ways) {
      it(`${field} is cleared at a platform that clears by ${clears}`, async () => {
        const { emulator, put } = await started({ profile: { clears } });
        await put(declared(field, 0));
        noDifference(await put(agentOf(field), declared(field, 0)));
        const { [field]: left } = emulator.routing(NUMBER) ?? {};
        assert.ok(left === undefined || left === false || Object.keys(left).length === 0, JSON.stringify(left));
      });
    }
  }

  for (const field of NAMED_FIELDS.filter((name) => ["url", "flag"].includes(FIELDS[name].value))) {
    const wire = wireOf(field);
    const [value, other] = [exampleOf(field), exampleOf(field, 1)];

    for (const part of ["record", "assignment"] as const) {
      const shows = (shown: unknown): Fault =>
        part === "record"
          ? { kind: "contradict", record: { [wire]: shown }, times: 9 }
          : { kind: "contradict", patch: { assignment: { [wire]: shown } }, times: 9 };

      it(`${field} is told if the ${part} shows another value, or still has one that was cleared`, async () => {
        const { emulator, put } = await started();
        const told = (result: PutResult) =>
          "verdict" in result ? [...result.verdict.notCleared, ...result.verdict.others] : result.reason;
        emulator.inject(shows(other));
        assert.deepEqual(told(await put({ [field]: value })), [field]);
        emulator.clearFaults();
        emulator.inject(shows(value));
        assert.deepEqual(told(await put({}, { [field]: value })), [field]);
      });
    }
  }
});

const nothingCleared = { fields: [], extraFields: [] };

describe("the ways of clearing", () => {
  it("are tried from null to empty to omission, or from what worked before in this run, unless the setting names one", () => {
    assert.deepEqual(clearModes("auto", undefined), ["null", "empty", "omit"]);
    assert.deepEqual(clearModes("auto", "omit"), ["omit", "null", "empty"]);
    assert.deepEqual(clearModes("empty", "omit"), ["empty"]);
  });
});

describe("what is to be cleared", () => {
  const before = {
    workspaceId: 42,
    inboundAgents: { "agent_a@1": 1 },
    outboundAgentId: "agent_o",
    outboundAgentVersion: 3,
    inboundWebhookUrl: "https://h.example",
    isTimeRoutingEnabled: true,
    extraFields: { constructor: 1, b: 2 },
  };

  it("is what was managed and is gone", () => {
    assert.deepEqual(toClear(before, { workspaceId: 42, inboundAgents: { "agent_a@1": 1 }, extraFields: { b: 2 } }), {
      fields: ["outboundAgentId", "outboundAgentVersion", "inboundWebhookUrl", "isTimeRoutingEnabled"],
      extraFields: ["constructor"],
    });
  });
  it("is the list of agents where the program writes []", () => {
    assert.deepEqual(toClear({}, { inboundAgents: {} }).fields, ["inboundAgents"]);
    assert.deepEqual(toClear(before, { ...before, inboundAgents: {} }).fields, ["inboundAgents"]);
  });
  it("is not a false that takes the place of a true", () => {
    assert.deepEqual(toClear({ isTimeRoutingEnabled: true }, { isTimeRoutingEnabled: false }), nothingCleared);
  });
});

describe("the body of a PUT that clears", () => {
  const fields = ["inboundAgents", "outboundAgentId", "outboundAgentVersion", "isTimeRoutingEnabled"] as const;
  const cleared = { fields: [...fields], extraFields: ["a"] };

  it("says null, for an undeclared field as well, or empty, but of a version, which has no empty form", () => {
    const none = { outboundAgentId: null, outboundAgentVersion: null, isTimeRoutingEnabled: null };
    const body = toBody({ workspaceId: 42, inboundAgents: {} }, cleared, "null");
    assert.deepEqual(body, { workspaceId: 42, inboundAgents: null, ...none, extraFields: { a: null } });
    const empty = { inboundAgents: [], outboundAgentId: "", isTimeRoutingEnabled: false };
    assert.deepEqual(toBody({ extraFields: { b: 1 } }, cleared, "empty"), { ...empty, extraFields: { a: null, b: 1 } });
  });

  it("says nothing", () => assert.deepEqual(toBody({ workspaceId: 42 }, cleared, "omit"), { workspaceId: 42 }));
});
