import assert from "node:assert/strict";
import { startEmulator } from "../emulator";
import { pulumiLife, type StartLife } from "./lives";
import { many, type Reading, shown, sideBySide, type Table } from "./measure";
import { openTofuLife } from "./openTofu";
import { assignments, closure, group, least, splitOf } from "./programs";

/** N single numbers, in one run beside what else there is. Times are those of whole commands. */

interface Way {
  readonly column: string;
  readonly start: StartLife;
  /** The least of dynamic resources sends nothing. */
  readonly isSilent?: boolean;
}

const skipCheckpoints = { env: { PULUMI_SKIP_CHECKPOINTS: "true" } };

export const WAYS: Readonly<Record<string, Way>> = {
  dynamic: { column: "NumberAssignment", start: pulumiLife(assignments.dynamic) },
  skip: { column: "with PULUMI_SKIP_CHECKPOINTS", start: pulumiLife(assignments.dynamic, skipCheckpoints) },
  group: { column: "one NumberGroup", start: pulumiLife(group.dynamic) },
  opentofu: { column: "OpenTofu and restapi", start: openTofuLife },
  plugin: { column: "in YAML", start: pulumiLife(assignments.plugin) },
  "plugin-skip": {
    column: "in YAML, with PULUMI_SKIP_CHECKPOINTS",
    start: pulumiLife(assignments.plugin, skipCheckpoints),
  },
  least: { column: "the least", start: pulumiLife(least), isSilent: true },
  closure: { column: "the usual way", start: pulumiLife(closure) },
};

const units = {
  "first run": "s",
  "no change": "s",
  "another split for all": "s",
  destroy: "s",
  "state a number": "bytes",
  "requests of the four runs": "",
};

export async function benchAssignments(size: number, rounds: number, ways: readonly string[]): Promise<Table> {
  const contenders = ways.map((name) => {
    const way = WAYS[name];
    assert.ok(way !== undefined, `${name} is none of ${Object.keys(WAYS).join(", ")}`);
    return { name: way.column, run: () => live(way, size) };
  });
  return { title: `${shown(size)} numbers`, units, columns: await sideBySide(rounds, contenders) };
}

async function live({ start, isSilent = false }: Way, size: number): Promise<Reading> {
  const emulator = await startEmulator();
  const numbers = many(size);
  const life = await start(numbers, emulator);
  const holds = (split: object | undefined) => {
    if (!isSilent) {
      const routings = numbers.map((number) => emulator.routing(number)?.inboundAgents);
      assert.deepEqual(
        routings,
        numbers.map(() => split),
      );
    }
  };
  try {
    const first = await life.up(90);
    holds(splitOf(90));
    const stateBytes = life.stateBytes();
    const sent = emulator.requests.length;
    const unchanged = await life.up(90);
    assert.equal(emulator.requests.length, sent, "a run without a change sends nothing");
    const changed = await life.up(70);
    holds(splitOf(70));
    const destroyed = await life.destroy();
    holds({});
    return {
      "first run": first,
      "no change": unchanged,
      "another split for all": changed,
      destroy: destroyed,
      "state a number": stateBytes / size,
      "requests of the four runs": emulator.requests.length,
    };
  } finally {
    await life.remove();
    await emulator.close();
  }
}
