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

/**
 * For each number, the saved state distinguishes the declared routing, the last applied routing, and routings that
 * requests with unknown outcomes may have applied.
 */

const here = { endpoint: "https://one.example" };
const elsewhere = { endpoint: "https://two.example" };
const ninety = { "agent_a@1": 90, "agent_b@1": 10 };
const ten = { "agent_a@1": 10, "agent_b@1": 90 };

const numberState: NumbersState = { number: "4001", inboundAgents: ten, workspaceId: 43, ...here };
const applied = { inboundAgents: ninety, workspaceId: 42, outboundAgentId: "agent_o" };
const AT = "2026-11-25T10:00:00Z";
/**
 * Returns the `unapplied` entry that is saved for number 4001 after a failed request.
 * @param became the outcome of the request
 * @param requested the routing in the request
 * @param previous fields of the entry that was already saved before the request
 */
function entryAfter(became: Unapplied["reason"], requested: object, previous: object): Unapplied {
  const olds: NumbersState = { ...numberState, unapplied: [{ numbers: "4001\n", reason: "rejected", ...previous }] };
  const news = { number: "4001", ...requested, ...here };
  const { unapplied } = nextState(olds, news, [resultOf("4001", became)], AT);
  return unapplied?.[0] ?? assert.fail();
}
const previousSplit = (olds: NumbersState, news: NumbersState) => nextState(olds, news, [], AT).previousInboundAgents;

describe("the saved state of a failed number", () => {
  const routingWithUrl = (key: string) => ({
    inboundAgents: ten,
    inboundWebhookUrl: `https://hook.example/?key=${key}`,
  });
  const redacted = { inboundAgents: ten, inboundWebhookUrl: "[set]" };
  const rows: readonly { readonly name: string; readonly saved: Unapplied; readonly expected: Unapplied }[] = [
    {
      name: "redacts the webhook URL in the last applied routing",
      saved: entryAfter("rejected", routingWithUrl("new"), { applied: routingWithUrl("old") }),
      expected: { numbers: "4001\n", reason: "rejected", applied: redacted },
    },
    {
      name: "redacts the webhook URLs of requests with unknown outcomes",
      saved: entryAfter("unknown", routingWithUrl("new"), { maybe: [routingWithUrl("older"), {}] }),
      expected: { numbers: "4001\n", reason: "unknown", maybe: [redacted, {}] },
    },
    {
      name: "does not redact an empty webhook URL",
      saved: entryAfter("rejected", routingWithUrl("new"), { applied: { inboundAgents: ten, inboundWebhookUrl: "" } }),
      expected: { numbers: "4001\n", reason: "rejected", applied: { inboundAgents: ten, inboundWebhookUrl: "" } },
    },
  ];
  for (const { name, saved, expected } of rows) {
    it(name, () => assert.deepEqual(saved, expected));
  }

  it("discards a failure saved for a different platform", () => {
    const olds: NumbersState = {
      ...numberState,
      ...elsewhere,
      unapplied: [{ numbers: "4001\n", reason: "rejected", applied }],
    };
    const news = { ...numberState, ...here };
    const { unapplied } = nextState(olds, news, [resultOf("4001", "not sent")], AT);
    assert.deepEqual(unapplied, [{ numbers: "4001\n", reason: "not sent" }]);
  });

  it("includes a redacted webhook URL in the fields to clear", () => {
    const olds: NumbersState = {
      ...numberState,
      unapplied: [entryAfter("rejected", {}, { applied: routingWithUrl("old") })],
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
    readonly number: string;
    readonly touched: boolean;
    readonly mayHave: readonly object[];
  }[] = [
    {
      name: "returns the declared routing after a successful request",
      number: "a",
      touched: true,
      mayHave: [{ inboundAgents: ten }],
    },
    {
      name: "returns the last applied routing after a rejected request",
      number: "b",
      touched: true,
      mayHave: [applied],
    },
    {
      name: "returns the requested routing if the first request's outcome is unknown",
      number: "c",
      touched: true,
      mayHave: [{ inboundAgents: ten }],
    },
    {
      name: "returns no routing if no request was sent",
      number: "d",
      touched: false,
      mayHave: [],
    },
    {
      name: "returns the old and new routings if an update's outcome is unknown",
      number: "e",
      touched: true,
      mayHave: [maybe, applied],
    },
    {
      name: "returns no routing for an undeclared number named toString",
      number: "toString",
      touched: false,
      mayHave: [],
    },
  ];
  for (const { name, number, touched, mayHave } of rows) {
    it(name, () => {
      assert.equal(isTouched(number, group), touched);
      assert.deepEqual(mayHaveOf(number, group, here), mayHave);
      assert.deepEqual(mayHaveOf(number, group, elsewhere), []);
    });
  }

  it("returns the routings of two requests with unknown outcomes", () => {
    const withWebhook = (path: string) => ({ inboundWebhookUrl: `https://hook.example/${path}` });
    const state = {
      ...group,
      unapplied: [{ numbers: "a\n", reason: "unknown" as const, maybe: [withWebhook("last"), withWebhook("first")] }],
    };
    assert.deepEqual(mayHaveOf("a", state, here), [withWebhook("last"), withWebhook("first")]);
  });

  it("returns the workspace where a number was last assigned", () => {
    assert.deepEqual(placeInState("b", { ...group, workspaceId: 43 }), { ...here, workspaceId: 42 });
    assert.deepEqual(placeInState("a", { ...group, workspaceId: 43 }), { ...here, workspaceId: 43 });
  });

  it("returns no routing for an unsaved resource", () => {
    assert.deepEqual(mayHaveOf("a", NEW, here), []);
    assert.deepEqual(mayHaveOf("4001", numberState, here), [{ inboundAgents: ten, workspaceId: 43 }]);
  });
});

describe("appliedSplits", () => {
  const group = (unapplied?: NumbersState["unapplied"]) =>
    appliedSplits({ numbers: "a\nb\n", inboundAgents: ten, ...here, unapplied });

  it("returns the splits that the platform last accepted", () => {
    assert.deepEqual([appliedSplits(numberState), group()], [[ten], [ten]]);
    assert.deepEqual(appliedSplits({ number: "4001", ...here }), []);
    assert.deepEqual(appliedSplits({ ...numberState, unapplied: [{ numbers: "4001\n", reason: "rejected" }] }), []);
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
    const routing = { inboundAgents: ten, inboundWebhookUrl: "https://hook.example/" };
    const parseMaybe = (saved: object) =>
      SAVED_NUMBERS.unapplied.parse([{ reason: "unknown", numbers: "4001\n", ...saved }])?.[0]?.maybe;
    assert.deepEqual(
      [parseMaybe({}), parseMaybe({ maybe: routing }), parseMaybe({ maybe: [routing, applied] })],
      [undefined, [routing], [routing, applied]],
    );
  });
});

describe("possibleSplits", () => {
  const stateAfterUnknown = (...splits: Record<string, number>[]): NumbersState => {
    const entry = splits.reduce<Unapplied>(
      (previous, inboundAgents) => entryAfter("unknown", { inboundAgents }, previous),
      {
        numbers: "4001\n",
        reason: "unknown",
        applied,
      },
    );
    return { ...numberState, inboundAgents: splits.at(-1), unapplied: [entry] };
  };
  const half = { "agent_a@1": 50, "agent_b@1": 50 };

  it("returns the split of every request with an unknown outcome", () => {
    assert.deepEqual(possibleSplits(stateAfterUnknown(ten)), [ninety, ten]);
    assert.deepEqual(possibleSplits(stateAfterUnknown(ten, half)), [ninety, half, ten]);
    assert.deepEqual(possibleSplits(stateAfterUnknown(ten, half, ten)), [ninety, ten, half]);
    const previous = stateAfterUnknown(ten, half).unapplied?.[0] ?? {};
    const rejected = entryAfter("rejected", applied, previous);
    assert.deepEqual([rejected.reason, entryAfter("not sent", applied, previous).reason], ["rejected", "unknown"]);
    assert.deepEqual(possibleSplits({ ...numberState, unapplied: [rejected] }), [ninety, half, ten]);
  });

  it("returns an unconfirmed split even after it is reverted", () => {
    assert.deepEqual(possibleSplits(stateAfterUnknown(ten, ninety)), [ninety, ten]);
    assert.equal(isSplitConfirmed(stateAfterUnknown(ten, ninety)), false);
    assert.equal(isSplitConfirmed(stateAfterUnknown(ninety)), true);
  });
});

describe("nextState", () => {
  it("sets a start time only if the number declares a split", () => {
    const withoutSplit = { number: "4001", ...here };
    const since = (news: NumbersState) => nextState(withoutSplit, news, [resultOf("4001", "applied")], AT).since;
    assert.deepEqual([since(numberState), since(withoutSplit)], [AT, undefined]);
  });

  it("resets a split's start time if the number moves to another platform", () => {
    const before: NumbersState = { ...numberState, since: "2026-11-24T10:00:00Z" };
    const news = { ...numberState, ...elsewhere };
    const moved = nextState(before, news, [resultOf("4001", "applied")], AT);
    assert.equal(moved.since, AT);
  });

  it("does not set a missing start time if only a new number is assigned", () => {
    const pool: NumbersState = { numbers: "a\n", inboundAgents: ten, ...here };
    const sinceOf = (news: NumbersState, ...sent: string[]) => {
      const results = sent.map((number) => resultOf(number, "applied"));
      return nextState(pool, news, results, AT).since;
    };
    const both = { ...pool, numbers: "a\nb\n" };
    assert.deepEqual([sinceOf(both, "b"), sinceOf(both, "a", "b")], [undefined, AT]);
  });

  it("sets a missing start time only after every number accepts the split", () => {
    const both: NumbersState = { numbers: "a\nb\n", inboundAgents: ten, ...here };
    const sinceOf = (resultOfB: "applied" | "rejected") =>
      nextState(both, both, [resultOf("a", "applied"), resultOf("b", resultOfB)], AT).since;
    assert.deepEqual([sinceOf("rejected"), sinceOf("applied")], [undefined, AT]);
  });
});

describe("isRollback", () => {
  it("treats an abort, an earlier split or no agents as a rollback", () => {
    const rollout = { stable: "agent_a@1", candidate: "agent_b@1", percent: 50 };
    const olds: NumbersState = { ...numberState, rollout, previousInboundAgents: ninety };
    const isRollbackTo = (news: object) => isRollback(olds, { ...here, ...news });
    const stable = { "agent_a@1": 1 };
    const aborted = { agent: "agent_b@1", percent: 50, at: "2026-11-23T09:02:11Z" };
    const changes = {
      "an abort": isRollbackTo({ rollout: { stable: "agent_z@1", aborted }, inboundAgents: { "agent_z@1": 1 } }),
      "the rollout at 0": isRollbackTo({ rollout: { ...rollout, percent: 0 }, inboundAgents: stable }),
      "the stable split set manually": isRollbackTo({ inboundAgents: stable }),
      "the previous split": isRollbackTo({ inboundAgents: ninety }),
      "no agents": isRollbackTo({ inboundAgents: {} }),
      "another agent": isRollbackTo({ inboundAgents: { "agent_z@1": 1 } }),
      "the rollout at 100": isRollbackTo({ rollout: { ...rollout, percent: 100 }, inboundAgents: stable }),
      "no split": isRollbackTo({}),
      "no agents on a new number": isRollback(NEW, { ...here, inboundAgents: {} }),
    };
    assert.deepEqual(changes, {
      "an abort": true,
      "the rollout at 0": true,
      "the stable split set manually": true,
      "the previous split": true,
      "no agents": true,
      "another agent": false,
      "the rollout at 100": false,
      "no split": false,
      "no agents on a new number": false,
    });
    // Declaring the split that is already applied isn't a rollback, even if its weights are written differently.
    const atStable: NumbersState = { ...numberState, rollout: { ...rollout, percent: 0 }, inboundAgents: stable };
    const webhookChange = {
      ...atStable,
      inboundAgents: { "agent_a@1": 100 },
      inboundWebhookUrl: "https://hook.example/",
    };
    assert.equal(isRollback(atStable, webhookChange), false, "a change that moves no calls");
    const rejected: Unapplied = { numbers: "4001\n", reason: "rejected", applied };
    assert.equal(
      isRollback({ ...atStable, unapplied: [rejected] }, webhookChange),
      true,
      "a change while the number still has another split",
    );
    // Only one of the two numbers has received the stable split.
    const group = { numbers: "4001\n4002\n", number: undefined };
    const isGroupRollback = isRollback(
      { ...atStable, ...group, unapplied: [rejected] },
      { ...webhookChange, ...group },
    );
    assert.equal(isGroupRollback, true, "a change while one of two numbers still has another split");
  });
});

describe("the saved state of a number", () => {
  it("omits the previous split if nothing changes", () => {
    assert.equal(previousSplit(numberState, numberState), undefined);
  });

  it("includes the split applied before a change", () => {
    assert.deepEqual(previousSplit(numberState, { ...here, inboundAgents: ninety }), ten);
    const refused: NumbersState = {
      ...numberState,
      previousInboundAgents: { agent_z: 1 },
      unapplied: [{ numbers: "4001\n", reason: "rejected", applied }],
    };
    assert.deepEqual(previousSplit(refused, { ...here, inboundAgents: { agent_c: 1 } }), ninety);
    // If the applied split is declared again, the saved previous split is kept, unless it equals the declared split.
    assert.deepEqual(previousSplit(refused, { ...here, inboundAgents: ninety }), { agent_z: 1 });
    const withSamePrevious = { ...refused, previousInboundAgents: ninety };
    assert.equal(previousSplit(withSamePrevious, { ...here, inboundAgents: ninety }), undefined);
  });
});
