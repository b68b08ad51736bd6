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

/** The arguments that the program declares for the group in one run. */
export interface Change {
  /** The config entry of the group's rollout. If absent, the group has no rollout. */
  readonly rollout?: Entry;
  /** The name of the rollout. @default "front" */
  readonly name?: string;
  readonly inboundAgents?: Readonly<Record<string, number>>;
  readonly numbers?: readonly string[];
  readonly inboundWebhookUrl?: string;
}

/** The result of each number's request. If a number isn't listed, its request succeeds. */
export type Fates = Readonly<Record<string, NumberResult["became"]>>;

const settingsIn = memoizeByValue((config: string) => settingsOf(JSON.parse(config)));

/**
 * Simulates runs of a program with one group, without a platform. The first run ends at 01:00 UTC, the next at 02:00,
 * and so on.
 * @param guards the guard settings, as in a stack's config
 */
export function dryStack(guards: Properties = {}) {
  let currentGuards: Properties = guards;
  let state: NumbersState = NEW;
  let runs = 0;

  function planned({ rollout, name = "front", numbers = ["4001", "4002"], ...args }: Change) {
    const rollouts = rollout === undefined ? {} : { [name]: rollout };
    const runSettings = settingsIn(JSON.stringify({ baseUrl: "https://platform.example", rollouts, ...currentGuards }));
    const declared = { numbers, ...args, ...(rollout && { rollout: name }) };
    const { inputs, failures, violations } = numberGroup.check(
      isNew(state) ? undefined : { ...state },
      declared,
      runSettings,
    );
    if (failures.length > 0) {
      throw new Error(failures.flatMap(({ lines }) => lines).join());
    }
    // As in the engine, `check` applies the guards to a new group, and `diff` applies them to an existing one.
    const plan = isNew(state) ? undefined : judgedPlan(state, inputs, runSettings.guards);
    return { inputs: inputs as NumbersInputs, plan, refused: [...violations, ...(plan?.violations ?? [])] };
  }

  return {
    state: () => state,
    /** Replaces the guard settings for all later runs. */
    guard(newGuards: Properties): void {
      currentGuards = newGuards;
    },
    /** Returns the guard violations that a run with this change would cause. */
    refused: (change: Change): Violation[] => planned(change).refused,
    /** Returns the reasons in the plan. They explain effects that the changed arguments alone don't show. */
    reasons: (change: Change) => planned(change).plan?.reasons ?? [],
    /**
     * Applies the changes in consecutive runs, and throws if a guard refuses one. Returns the numbers that got a
     * request in the last run.
     * @param fates the result of each number's request, the same in every run
     */
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
