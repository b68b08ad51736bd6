import type { NumbersState } from "../../provider/numbers/state";
import { membersOf } from "../../provider/routing/group";
import { createMiniEngine, type Declaration, type Kept } from "../support/miniEngine";
import { createProviders } from "../support/providers";
import { assignedIn, EMPTY, openPlatform, type RequestFault, type Store } from "./platform";
import { numberOf } from "./program";
import { configFor, worldOf } from "./world";

/**
 * The lives of a fleet: a group of five numbers, some of which do not work for as long as the life wants. What is judged is who has what at
 * the platform: a number that never works may keep no other number waiting.
 */

const FIVE = [1, 2, 3, 4, 5].map(numberOf);

/** What every request of a number that does not work meets. */
const CAUSES = [
  "refused",
  "forbidden",
  "unknown number",
  "server error",
  "redirected",
  "redirected, applied",
  "lostBefore",
  "lostAfter",
  "contradicting",
  "unauthenticated",
  "tooMany",
  "too many for long",
  "never sent",
] as const satisfies readonly RequestFault[];
type Cause = (typeof CAUSES)[number];

const EVENTS = {
  "first assignment": { before: [], change: 10, runs: 2 },
  step: { before: [10], change: 50, runs: 2 },
  abort: { before: [10], change: "abort", runs: 1 },
  "abort of a step that failed": { before: [10], failed: 50, change: "abort", runs: 1 },
  return: { before: [10], change: 0, runs: 1 },
  revert: { before: [10, 50], change: 10, runs: 1 },
  removal: { before: [10], change: "removal", runs: 1 },
  destroy: { before: [10], change: "destroy", runs: 1 },
} as const;
export type Event = keyof typeof EVENTS;
const ALL_EVENTS = Object.keys(EVENTS) as Event[];

export interface FleetLife {
  readonly event: Event;
  readonly cause: Cause;
  /** The numbers that do not work. */
  readonly bad: readonly string[];
  readonly inFlight: 1 | 2;
}

/** The sets of numbers that do not work: none, the first, the last, the first two and three, all but the last, all. */
const BAD = [[], [0], [4], [0, 1], [0, 1, 2], [0, 1, 2, 3], [0, 1, 2, 3, 4]];

/** Each event, with each cause, for each set of numbers that do not work. */
export const FLEET_LIVES: readonly FleetLife[] = ALL_EVENTS.flatMap((event) =>
  CAUSES.flatMap((cause) =>
    BAD.flatMap((set) => {
      const bad = FIVE.filter((_, index) => set.includes(index));
      return ([1, 2] as const).map((inFlight) => ({ event, cause, bad, inFlight }));
    }),
  ),
);

type Change = number | "abort" | "removal" | "destroy";

const percentOf = (change: Change): number => (typeof change === "number" ? change : 10);

const rollout = (change: Change) => ({
  stable: "agent_a@1",
  ...(change === "abort"
    ? { aborted: { agent: "agent_b@1", percent: 10, at: "2026-11-25T10:00:00Z" } }
    : { candidate: "agent_b@1", percent: percentOf(change) }),
});

/** The calls that a number has after the change, as `agent_a@1 90, agent_b@1 10`; nothing if it has no agents. */
function wantedOf(change: Change, number: string): string {
  if (change === "destroy" || (change === "removal" && number !== FIVE[4])) {
    return "";
  }
  if (change === "abort") {
    return "agent_a@1 100";
  }
  const percent = percentOf(change);
  return percent === 0 ? "agent_a@1 100" : `agent_a@1 ${100 - percent}, agent_b@1 ${percent}`;
}

function hasIn({ numbers }: Store, number: string): string {
  const stored = numbers.get(number);
  const calls = stored === undefined ? {} : assignedIn(stored).calls;
  return Object.entries(calls)
    .map(([agent, weight]) => `${agent} ${weight}`)
    .sort()
    .join(", ");
}

/** The numbers of which the state says that the platform has seen a request. */
const rejectedIn = ({ state }: Kept): string[] =>
  state
    .flatMap(({ outputs }) => (outputs as Partial<NumbersState>).unapplied ?? [])
    .flatMap(({ reason, numbers }) => (reason === "not sent" ? [] : [...membersOf({ numbers }).keys()]));

/** A connection is of the platform, and not of a number: three in a row without one stop a change, and the next run begins again. */
const isPlatformDown = ({ event, cause, bad }: FleetLife): boolean =>
  cause === "never sent" && EVENTS[event].runs > 1 && bad.length >= 3;

/** What is wrong with the life, in one line; undefined if nothing is. */
export async function liveFleet(life: FleetLife): Promise<string | undefined> {
  const { event, cause, bad, inFlight } = life;
  const { before, change, runs, ...more } = EVENTS[event];
  let store: Store = EMPTY;
  let kept: Kept = { state: [], given: {} };
  const seen = new Set<string | undefined>();

  async function run(now: Change, broken: readonly string[]) {
    const platform = openPlatform(store, {
      faultAt: (_, { number = "" }) => (broken.includes(number) ? cause : undefined),
      pass: async () => {},
      die() {},
    });
    const world = { ...worldOf(platform), newId: (prefix: string) => `${prefix}-made-1`, concurrency: inFlight };
    const engine = createMiniEngine(createProviders(world), kept);
    const rollouts = JSON.stringify({ front: rollout(now) });
    const config = configFor({ rollouts, maxRemove: FIVE.length });
    const numbers = now === "removal" ? FIVE.slice(4) : FIVE;
    const program: Declaration[] = [{ name: "fleet", kind: "numberGroup", args: { numbers, rollout: "front" } }];
    const { isOk } = now === "destroy" ? await engine.destroy({ config }) : await engine.up(program, { config });
    ({ store } = platform);
    ({ kept } = engine);
    for (const { number } of platform.sent) {
      seen.add(number);
    }
    return { isOk, sent: platform.sent.length };
  }
  const missedBy = (numbers: readonly string[]) =>
    numbers.filter((number) => hasIn(store, number) !== wantedOf(change, number));

  for (const healthy of before) {
    await run(healthy, []);
  }
  seen.clear();
  if ("failed" in more) {
    await run(more.failed, bad);
  }
  for (let count = 0; count < runs; count += 1) {
    await run(change, bad);
  }
  const unseen = rejectedIn(kept).filter((number) => !seen.has(number));
  if (unseen.length > 0) {
    return `the state says that the platform rejected ${unseen.join(", ")}, which it never saw`;
  }
  const left = missedBy(FIVE.filter((number) => !bad.includes(number)));
  if (left.length > 0 && !isPlatformDown(life)) {
    return `${left.join(", ")} do not have it after ${runs} runs`;
  }
  // The numbers work again. What the platform does not know counts as cleared, so no run comes back to it.
  const healed = await run(change, []);
  const isCleared = cause === "unknown number" && (change === "removal" || change === "destroy");
  const missed = isCleared ? [] : missedBy(FIVE);
  const rest = await run(change, []);
  return healed.isOk && rest.sent === 0 && missed.length === 0
    ? undefined
    : `${missed.join(", ")} do not have it after the numbers work again; then ${rest.sent} requests are sent`;
}
