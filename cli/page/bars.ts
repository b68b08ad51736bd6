import { compare } from "../../provider/core/common/equality";
import { percentages, type Split } from "../../provider/core/routing/split";

/** The bars of splits. The policy of a page takes no style of an element, so each split that occurs has a class. */

const OTHERS = ["other1", "other2", "other3"] as const;
/** A page with more different splits than this has no bars for the rest: their text says the same. */
const MOST = 500;

export type Bars = ReturnType<typeof newBars>;

/** The agents that have a colour of their own. */
interface Roles {
  readonly stable?: string | undefined;
  readonly candidate?: string | undefined;
}

export function newBars() {
  const names = new Map<string, string>();
  return {
    /** The class of the bar of a split; undefined if it has none. */
    classOf(split: Split, roles: Roles = {}): string | undefined {
      const stops = stopsOf(split, roles);
      const known = names.get(stops);
      if (known !== undefined || stops === "" || names.size >= MOST) {
        return known;
      }
      const name = `s${names.size}`;
      names.set(stops, name);
      return name;
    },
    /** The rules of all classes so far. They hold percentages alone, and no text of inputs. */
    style: () =>
      [...names].map(([stops, name]) => `.${name} { background: linear-gradient(to right, ${stops}); }\n`).join(""),
  };
}

/** `var(--stable) 0% 90%, var(--candidate) 90% 100%` */
function stopsOf(split: Split, roles: Roles): string {
  let from = 0;
  return segmentsOf(split, roles)
    .map(({ percent, colour }) => {
      const to = Math.min(100, from + percent);
      const stop = `var(--${colour}) ${rounded(from)}% ${rounded(to)}%`;
      from = to;
      return stop;
    })
    .join(", ");
}

const rounded = (value: number): number => Math.round(value * 100) / 100;

/** The stable agent first; without roles, the one with the most calls. */
function segmentsOf(split: Split, { stable, candidate }: Roles) {
  const calls = Object.entries(percentages(split)).filter(([, percent]) => percent > 0);
  const rank = (agent: string) => Number(agent === candidate) - Number(agent === stable);
  calls.sort(([a, first], [b, second]) => rank(a) - rank(b) || second - first || compare(a, b));
  let other = 0;
  return calls.map(([agent, percent], index) => {
    if (agent === candidate) {
      return { percent, colour: "candidate" };
    }
    if (agent === stable || (stable === undefined && index === 0)) {
      return { percent, colour: "stable" };
    }
    other += 1;
    return { percent, colour: OTHERS[(other - 1) % OTHERS.length] ?? "other1" };
  });
}
