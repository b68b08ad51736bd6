import assert from "node:assert/strict";
import { describe, it } from "mocha";
import {
  appliedSplits,
  isRollback,
  isSplitConfirmed,
  isTouched,
  mayHaveOf,
  NEW,
  type NumbersState,
  nextState,
  placeInState,
  possibleSplits,
  SAVED_NUMBERS,
  type Unapplied,
} from "../../provider/numbers/state";
import { toClear } from "../../provider/routing/routing";
import { resultOf } from "./results";

/** What is wanted, what is applied and what may be: three things, and none takes the place of another. */

const here = { endpoint: "https://one.example" };
const elsewhere = { endpoint: "https://two.example" };
const ninety = { "agent_a@1": 90, "agent_b@1": 10 };
const ten = { "agent_a@1": 10, "agent_b@1": 90 };

const number: NumbersState = { number: "4001", inboundAgents: ten, workspaceId: 43, ...here };
const applied = { inboundAgents: ninety, workspaceId: 42, outboundAgentId: "agent_o" };
const AT = "2026-11-25T10:00:00Z";
/** What is saved of the number after a request that failed. @param last what was saved of it before */
function failed(became: Unapplied["reason"], wanted: object, last: object): Unapplied {
  const olds: NumbersState = { ...number, unapplied: [{ numbers: "4001\n", reason: "rejected", ...last }] };
  const news = { number: "4001", ...wanted, ...here };
  const { unapplied } = nextState(olds, news, [resultOf("4001", became)], AT);
  return unapplied?.[0] ?? assert.fail();
}
const previousSplit = (olds: NumbersState, news: NumbersState) => nextState(olds, news, [], AT).previousInboundAgents;

describe("the saved state of a failed number", () => {
  const url = (key: string) => ({ inboundAgents: ten, inboundWebhookUrl: `https://hook.example/?key=${key}` });
  const set = { inboundAgents: ten, inboundWebhookUrl: "[set]" };
  const rows: readonly { readonly name: string; readonly saved: Unapplied; readonly expected: Unapplied }[] = [
    {
      name: "redacts the webhook URL in the last applied routing",
      saved: failed("rejected", url("new"), { applied: url("old") }),
      expected: { numbers: "4001\n", reason: "rejected", applied: set },
    },
    {
      name: "redacts the webhook URLs of requests with unknown outcomes",
      saved: failed("unknown", url("new"), { maybe: [url("older"), {}] }),
      expected: { numbers: "4001\n", reason: "unknown", maybe: [set, {}] },
    },
    {
      name: "does not redact an empty webhook URL",
      saved: failed("rejected", url("new"), { applied: { inboundAgents: ten, inboundWebhookUrl: "" } }),
      expected: { numbers: "4001\n", reason: "rejected", applied: { inboundAgents: ten, inboundWebhookUrl: "" } },
    },
  ];
  for (const { name, saved, expected } of rows) {
    it(name, () => assert.deepEqual(saved, expected));
  }

  it("discards a failure saved for a different platform", () => {
    const olds: NumbersState = {
      ...number,
      ...elsewhere,
      unapplied: [{ numbers: "4001\n", reason: "rejected", applied }],
    };
    const news = { ...number, ...here };
    const { unapplied } = nextState(olds, news, [resultOf("4001", "not sent")], AT);
    assert.deepEqual(unapplied, [{ numbers: "4001\n", reason: "not sent" }]);
  });

  it("includes a redacted webhook URL in the fields to clear", () => {
    const olds: NumbersState = {
      ...number,
      unapplied: [failed("rejected", {}, { applied: url("old") })],
    };
    assert.deepEqual(toClear({ mayHave: mayHaveOf("4001", olds, here), routing: { inboundAgents: ten } }).fields, [
      "inboundWebhookUrl",
    ]);
  });
});

describe("mayHaveOf and placeInState", () => {
  const maybe = { inboundAgents: {}, inboundWebhookUrl: "https://hook.example/", workspaceId: 43 };
  const group: NumbersState = {
    numbers: "a\nb\nc\nd\ne\n",
    inboundAgents: ten,
    ...here,
    unapplied: [
      { numbers: "b\n", reason: "rejected", applied },
      { numbers: "c\nconstructor\n", reason: "unknown", maybe: [{ inboundAgents: ten }] },
      { numbers: "d\n", reason: "not sent" },
      { numbers: "e\n", reason: "unknown", applied, maybe: [maybe] },
    ],
  };
  const rows: readonly {
    readonly name: string;
    readonly one: string;
    readonly touched: boolean;
    readonly mayHave: readonly object[];
  }[] = [
    {
      name: "returns the declared routing after a successful request",
      one: "a",
      touched: true,
      mayHave: [{ inboundAgents: ten }],
    },
    {
      name: "returns the last applied routing after a rejected request",
      one: "b",
      touched: true,
      mayHave: [applied],
    },
    {
      name: "returns the requested routing if the first request's outcome is unknown",
      one: "c",
      touched: true,
      mayHave: [{ inboundAgents: ten }],
    },
    {
      name: "returns no routing if no request was sent",
      one: "d",
      touched: false,
      mayHave: [],
    },
    {
      name: "returns the old and new routings if an update's outcome is unknown",
      one: "e",
      touched: true,
      mayHave: [maybe, applied],
    },
    {
      name: "returns no routing for an undeclared number named toString",
      one: "toString",
      touched: false,
      mayHave: [],
    },
  ];
  for (const { name, one, touched, mayHave } of rows) {
    it(name, () => {
      assert.equal(isTouched(one, group), touched);
      assert.deepEqual(mayHaveOf(one, group, here), mayHave);
      assert.deepEqual(mayHaveOf(one, group, elsewhere), []);
    });
  }

  it("returns the routings of two requests with unknown outcomes", () => {
    const hook = (path: string) => ({ inboundWebhookUrl: `https://hook.example/${path}` });
    const state = {
      ...group,
      unapplied: [{ numbers: "a\n", reason: "unknown" as const, maybe: [hook("last"), hook("first")] }],
    };
    assert.deepEqual(mayHaveOf("a", state, here), [hook("last"), hook("first")]);
  });

  it("returns the workspace where a number was last assigned", () => {
    assert.deepEqual(placeInState("b", { ...group, workspaceId: 43 }), { ...here, workspaceId: 42 });
    assert.deepEqual(placeInState("a", { ...group, workspaceId: 43 }), { ...here, workspaceId: 43 });
  });

  it("returns no routing for an unsaved resource", () => {
    assert.deepEqual(mayHaveOf("a", NEW, here), []);
    assert.deepEqual(mayHaveOf("4001", number, here), [{ inboundAgents: ten, workspaceId: 43 }]);
  });
});

describe("appliedSplits", () => {
  const group = (unapplied?: NumbersState["unapplied"]) =>
    appliedSplits({ numbers: "a\nb\n", inboundAgents: ten, ...here, unapplied });

  it("returns the splits that the platform last accepted", () => {
    assert.deepEqual([appliedSplits(number), group()], [[ten], [ten]]);
    assert.deepEqual(appliedSplits({ number: "4001", ...here }), []);
    assert.deepEqual(appliedSplits({ ...number, unapplied: [{ numbers: "4001\n", reason: "rejected" }] }), []);
    assert.deepEqual(group([{ numbers: "a\nb\n", reason: "not sent", applied }]), [ninety]);
  });

  it("includes the old split of a number whose update failed", () => {
    assert.deepEqual(group([{ numbers: "b\n", reason: "rejected", applied }]), [ten, ninety]);
    const parts = [
      { numbers: "a\n", reason: "rejected" as const, applied },
      { numbers: "b\n", reason: "unknown" as const, applied: { inboundAgents: { ...ninety } }, maybe: [{}] },
    ];
    assert.deepEqual(group(parts), [ninety]);
  });
});

describe("the state schema", () => {
  it("reads a single routing saved by version 0.1.0 as a list", () => {
    const hook = { inboundAgents: ten, inboundWebhookUrl: "https://hook.example/" };
    const read = (saved: object) =>
      SAVED_NUMBERS.unapplied.parse([{ reason: "unknown", numbers: "4001\n", ...saved }])?.[0]?.maybe;
    assert.deepEqual(
      [read({}), read({ maybe: hook }), read({ maybe: [hook, applied] })],
      [undefined, [hook], [hook, applied]],
    );
  });
});

describe("possibleSplits", () => {
  const lost = (...wanted: Record<string, number>[]): NumbersState => {
    const part = wanted.reduce<Unapplied>((last, inboundAgents) => failed("unknown", { inboundAgents }, last), {
      numbers: "4001\n",
      reason: "unknown",
      applied,
    });
    return { ...number, inboundAgents: wanted.at(-1), unapplied: [part] };
  };
  const half = { "agent_a@1": 50, "agent_b@1": 50 };

  it("returns the split of every request with an unknown outcome", () => {
    assert.deepEqual(possibleSplits(lost(ten)), [ninety, ten]);
    assert.deepEqual(possibleSplits(lost(ten, half)), [ninety, half, ten]);
    assert.deepEqual(possibleSplits(lost(ten, half, ten)), [ninety, ten, half]);
    const before = lost(ten, half).unapplied?.[0] ?? {};
    const refused = failed("rejected", applied, before);
    assert.deepEqual([refused.reason, failed("not sent", applied, before).reason], ["rejected", "unknown"]);
    assert.deepEqual(possibleSplits({ ...number, unapplied: [refused] }), [ninety, half, ten]);
  });

  it("returns an unconfirmed split even after it is reverted", () => {
    assert.deepEqual(possibleSplits(lost(ten, ninety)), [ninety, ten]);
    assert.equal(isSplitConfirmed(lost(ten, ninety)), false);
    assert.equal(isSplitConfirmed(lost(ninety)), true);
  });
});

describe("nextState", () => {
  it("sets a start time only if the number declares a split", () => {
    const before = { number: "4001", ...here };
    const since = (news: NumbersState) => nextState(before, news, [resultOf("4001", "applied")], AT).since;
    assert.deepEqual([since(number), since(before)], [AT, undefined]);
  });

  it("resets a split's start time if the number moves to another platform", () => {
    const before: NumbersState = { ...number, since: "2026-11-24T10:00:00Z" };
    const news = { ...number, ...elsewhere };
    const moved = nextState(before, news, [resultOf("4001", "applied")], AT);
    assert.equal(moved.since, AT);
  });

  it("does not set a split's start time if a number joins the group", () => {
    const pool: NumbersState = { numbers: "a\n", inboundAgents: ten, ...here };
    const sinceOf = (news: NumbersState, ...sent: string[]) => {
      const results = sent.map((number) => resultOf(number, "applied"));
      return nextState(pool, news, results, AT).since;
    };
    const both = { ...pool, numbers: "a\nb\n" };
    assert.deepEqual([sinceOf(both, "b"), sinceOf(both, "a", "b")], [undefined, AT]);
  });

  it("sets a split's start time only after every number accepts it", () => {
    const both: NumbersState = { numbers: "a\nb\n", inboundAgents: ten, ...here };
    const sinceOf = (ofB: "applied" | "rejected") =>
      nextState(both, both, [resultOf("a", "applied"), resultOf("b", ofB)], AT).since;
    assert.deepEqual([sinceOf("rejected"), sinceOf("applied")], [undefined, AT]);
  });
});

describe("isRollback", () => {
  it("treats an abort, an earlier split or no agents as a rollback", () => {
    const rollout = { stable: "agent_a@1", candidate: "agent_b@1", percent: 50 };
    const olds: NumbersState = { ...number, rollout, previousInboundAgents: ninety };
    const back = (news: object) => isRollback(olds, { ...here, ...news });
    const stable = { "agent_a@1": 1 };
    const aborted = { agent: "agent_b@1", percent: 50, at: "2026-11-23T09:02:11Z" };
    const changes = {
      "an abort": back({ rollout: { stable: "agent_z@1", aborted }, inboundAgents: { "agent_z@1": 1 } }),
      "the rollout at 0": back({ rollout: { ...rollout, percent: 0 }, inboundAgents: stable }),
      "the stable split by hand": back({ inboundAgents: stable }),
      "the split before": back({ inboundAgents: ninety }),
      "no agents": back({ inboundAgents: {} }),
      "another agent": back({ inboundAgents: { "agent_z@1": 1 } }),
      "the rollout at 100": back({ rollout: { ...rollout, percent: 100 }, inboundAgents: stable }),
      "no split": back({}),
      "no agents on a new number": isRollback(NEW, { ...here, inboundAgents: {} }),
    };
    assert.deepEqual(changes, {
      "an abort": true,
      "the rollout at 0": true,
      "the stable split by hand": true,
      "the split before": true,
      "no agents": true,
      "another agent": false,
      "the rollout at 100": false,
      "no split": false,
      "no agents on a new number": false,
    });
    // What callers certainly have already, in whatever unit, is no way back: the change is one of other fields, or numbers join.
    const atStable: NumbersState = { ...number, rollout: { ...rollout, percent: 0 }, inboundAgents: stable };
    const other = { ...atStable, inboundAgents: { "agent_a@1": 100 }, inboundWebhookUrl: "https://hook.example/" };
    assert.equal(isRollback(atStable, other), false, "a change that keeps the calls");
    const part: Unapplied = { numbers: "4001\n", reason: "rejected", applied };
    assert.equal(
      isRollback({ ...atStable, unapplied: [part] }, other),
      true,
      "a change while the number has another split",
    );
    // One number has it, and another one does not.
    const group = { numbers: "4001\n4002\n", number: undefined };
    const ofGroup = isRollback({ ...atStable, ...group, unapplied: [part] }, { ...other, ...group });
    assert.equal(ofGroup, true, "a change while one of two numbers has another split");
  });
});

describe("the saved state of a number", () => {
  it("omits the previous split if nothing changes", () => {
    assert.equal(previousSplit(number, number), undefined);
  });

  it("includes the split applied before a change", () => {
    assert.deepEqual(previousSplit(number, { ...here, inboundAgents: ninety }), ten);
    const refused: NumbersState = {
      ...number,
      previousInboundAgents: { agent_z: 1 },
      unapplied: [{ numbers: "4001\n", reason: "rejected", applied }],
    };
    assert.deepEqual(previousSplit(refused, { ...here, inboundAgents: { agent_c: 1 } }), ninety);
    // Back at what is applied, the way back is the one that it was there; if that is not known any more, there is none.
    assert.deepEqual(previousSplit(refused, { ...here, inboundAgents: ninety }), { agent_z: 1 });
    const after = { ...refused, previousInboundAgents: ninety };
    assert.equal(previousSplit(after, { ...here, inboundAgents: ninety }), undefined);
  });
});
