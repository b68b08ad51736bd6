import type { EdgeName } from "../test/support/edges";
import { benchAssignments } from "./assignments";
import { benchEmulator } from "./emulatorAlone";
import { benchGroups } from "./groups";
import type { Table } from "./measure";
import { benchCalls, benchLargeGroups, benchStart } from "./provider";
import { benchRates, benchStacks } from "./rates";
import { benchReports } from "./reports";
import { benchReview } from "./review";

export interface Choice {
  readonly sizes: readonly number[];
  readonly rounds: number;
  /** Of the parts that compare ways. */
  readonly ways: readonly string[];
  readonly edges: readonly EdgeName[];
}

/** What one command of `npm run bench` runs. */
interface Part {
  readonly says: string;
  /** What the pages show. */
  readonly default: Choice;
  /** Each table by the name of its place on the page. */
  tables(choice: Choice): Readonly<Record<string, () => Promise<Table>>>;
}

const dynamic: readonly EdgeName[] = ["dynamic"];

const perSize =
  (name: string, bench: (size: number, choice: Choice) => Promise<Table>): Part["tables"] =>
  (choice) =>
    Object.fromEntries(choice.sizes.map((size) => [`${name}-${size}`, () => bench(size, choice)]));

export const PARTS: Readonly<Record<string, Part>> = {
  assignments: {
    says: "single numbers beside a group and beside OpenTofu, by whole commands",
    default: { sizes: [1000], rounds: 3, ways: ["dynamic", "skip", "group", "opentofu"], edges: dynamic },
    tables: perSize("assignments", (size, { rounds, ways }) => benchAssignments(size, rounds, ways)),
  },
  overhead: {
    says: "single numbers beside the least that dynamic resources can cost, by whole commands",
    default: { sizes: [1000], rounds: 1, ways: ["dynamic", "least", "closure"], edges: dynamic },
    tables: perSize("overhead", (size, { rounds, ways }) => benchAssignments(size, rounds, ways)),
  },
  groups: {
    says: "a group beside an empty program, by whole commands",
    default: { sizes: [1000], rounds: 5, ways: [], edges: dynamic },
    tables: perSize("groups", (size, { rounds, edges }) => benchGroups(size, rounds, edges)),
  },
  start: {
    says: "the start of the provider's process",
    default: { sizes: [], rounds: 5, ways: [], edges: ["dynamic", "plugin"] },
    tables: ({ rounds, edges }) => ({ start: () => benchStart(rounds, edges) }),
  },
  calls: {
    says: "calls of the provider's process",
    default: { sizes: [2000], rounds: 3, ways: [], edges: ["dynamic", "plugin"] },
    tables: perSize("calls", (size, { rounds, edges }) => benchCalls(size, rounds, edges)),
  },
  large: {
    says: "a group in the provider's process: time and memory",
    default: { sizes: [1000, 10_000, 50_000], rounds: 3, ways: [], edges: dynamic },
    tables: ({ sizes, rounds, edges }) => ({ large: () => benchLargeGroups(sizes, rounds, edges) }),
  },
  rates: {
    says: "how near a group comes to what the platform allows",
    default: { sizes: [2000], rounds: 3, ways: [], edges: dynamic },
    tables: perSize("rates", (size, { rounds }) => benchRates(size, rounds)),
  },
  stacks: {
    says: "stacks that run at once under one limit",
    default: { sizes: [1000], rounds: 3, ways: [], edges: dynamic },
    tables: perSize("stacks", (size, { rounds }) => benchStacks(size, rounds)),
  },
  emulator: {
    says: "the emulator alone: it has to be faster than what is measured with it",
    default: { sizes: [5000], rounds: 3, ways: [], edges: dynamic },
    tables: perSize("emulator", (size, { rounds }) => benchEmulator(size, rounds)),
  },
  review: {
    says: "one stack and ten: from their previews to the comment, and the page about them",
    default: { sizes: [1000], rounds: 5, ways: [], edges: dynamic },
    tables: perSize("review", (size, { rounds }) => benchReview(size, rounds)),
  },
  report: {
    says: "the report of a preview of many single numbers",
    default: { sizes: [1000, 10_000], rounds: 3, ways: [], edges: dynamic },
    tables: ({ sizes, rounds }) => ({ report: () => benchReports(sizes, rounds) }),
  },
};
