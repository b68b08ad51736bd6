import { memoizeByValue } from "../../provider/base/json";
import { numberGroup } from "../../provider/numbers/lifecycle";
import { judgedPlan, planMembers } from "../../provider/numbers/plan";
import type { NumberResult } from "../../provider/numbers/result";
import { isNew, NEW, type NumbersState, nextState } from "../../provider/numbers/state";
import type { NumbersInputs } from "../../provider/routing/group";
import { guardCode, type Violation } from "../../provider/run/violation";
import type { Properties } from "../support/providerCalls";
import { settingsOf } from "../support/session";
import { resultOf } from "./results";

export type Entry = Readonly<Record<string, unknown>>;

/** What a run is about: the entry of the rollout that the group names, or its own split, and its other arguments. */
export interface Change {
  readonly rollout?: Entry;
  readonly inboundAgents?: Readonly<Record<string, number>>;
  readonly numbers?: readonly string[];
  readonly inboundWebhookUrl?: string;
}

/** What became of the numbers that do not have what was sent. */
export type Fates = Readonly<Record<string, NumberResult["became"]>>;

const settingsIn = memoizeByValue((config: string) => settingsOf(JSON.parse(config)));

/** One group, run after run, without a platform: what is checked, judged and saved. The n-th run ends at n o'clock. */
export function dryStack(guards: Properties = {}) {
  let settings: Properties = guards;
  let state: NumbersState = NEW;
  let runs = 0;

  function planned({ rollout, numbers = ["4001", "4002"], ...args }: Change) {
    const rollouts = rollout === undefined ? {} : { front: rollout };
    const all = settingsIn(JSON.stringify({ baseUrl: "https://platform.example", rollouts, ...settings }));
    const given = { numbers, ...args, ...(rollout && { rollout: "front" }) };
    const { inputs, failures, violations } = numberGroup.check(isNew(state) ? undefined : { ...state }, given, all);
    if (failures.length > 0) {
      throw new Error(failures.flatMap(({ lines }) => lines).join());
    }
    // As in the engine, check judges a new group, and diff a saved one.
    const plan = isNew(state) ? undefined : judgedPlan(state, inputs, all.guards);
    return { inputs: inputs as NumbersInputs, plan, refused: [...violations, ...(plan?.violations ?? [])] };
  }

  return {
    state: () => state,
    /** The guards of the runs to come. */
    guard(next: Properties): void {
      settings = next;
    },
    /** What the guards refuse. */
    refused: (change: Change): Violation[] => planned(change).refused,
    /** Why the run does what the change does not show. */
    reasons: (change: Change) => planned(change).plan?.reasons ?? [],
    /** Runs each change, which no guard may refuse. Returns the numbers to which the last one sends. */
    run(changes: readonly Change[], fates: Fates = {}): readonly string[] {
      let sent: readonly string[] = [];
      for (const change of changes) {
        const { inputs, refused } = planned(change);
        if (refused.length > 0) {
          throw new Error(`run ${runs + 1} is refused: ${refused.map(guardCode).join()}`);
        }
        sent = planMembers(state, inputs, inputs).assigns;
        runs += 1;
        const at = `2026-11-25T${String(runs).padStart(2, "0")}:00:00Z`;
        const results = sent.map((number) => resultOf(number, fates[number] ?? "applied"));
        state = nextState(state, inputs, results, at);
      }
      return sent;
    },
  };
}
