import { writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { parseArgs } from "node:util";
import sdk from "@pulumi/pulumi/package.json";
import type { EdgeName } from "../test/support/edges";
import { findOrInstallEngine } from "../tools/engine/engine";
import { benchAssignments, WAYS } from "./assignments";
import { benchEmulator } from "./emulatorAlone";
import { benchGroups } from "./groups";
import { type Table, toText } from "./measure";
import { openTofu, restapi } from "./openTofuBuild";
import { benchCalls, benchLargeGroup, benchStart } from "./provider";
import { benchRates } from "./rates";
import { benchShards } from "./shards";

interface Choice {
  readonly rounds: number;
  readonly ways: readonly string[];
  readonly edges: readonly EdgeName[];
}

interface Part {
  readonly says: string;
  /** What the page shows. */
  readonly sizes: readonly number[];
  readonly rounds: number;
  run(size: number, choice: Choice): Promise<Table>;
}

const PARTS: Readonly<Record<string, Part>> = {
  assignments: {
    says: "single numbers, beside what else there is, by whole commands",
    sizes: [1000],
    rounds: 3,
    run: (size, { rounds, ways }) => benchAssignments(size, rounds, ways),
  },
  groups: {
    says: "one NumberGroup beside an empty program, by whole commands",
    sizes: [1000],
    rounds: 5,
    run: (size, { rounds, edges }) => benchGroups(size, rounds, edges),
  },
  start: {
    says: "the start of the provider's process",
    sizes: [1],
    rounds: 5,
    run: (_, { rounds, edges }) => benchStart(rounds, edges),
  },
  calls: {
    says: "calls of the provider's process",
    sizes: [2000],
    rounds: 3,
    run: (size, { rounds, edges }) => benchCalls(size, rounds, edges),
  },
  large: {
    says: "one NumberGroup in the provider's process: time and memory",
    sizes: [1000, 10_000, 50_000],
    rounds: 3,
    run: (size, { rounds, edges }) => benchLargeGroup(size, rounds, edges),
  },
  rates: {
    says: "how near a group comes to what the platform allows",
    sizes: [2000],
    rounds: 3,
    run: (size, { rounds }) => benchRates(size, rounds),
  },
  stacks: {
    says: "stacks that run at once under one limit",
    sizes: [1000],
    rounds: 3,
    run: (size, { rounds }) => benchShards(size, rounds),
  },
  emulator: {
    says: "the emulator alone: it has to be faster than what is measured with it",
    sizes: [5000],
    rounds: 3,
    run: (size, { rounds }) => benchEmulator(size, rounds),
  },
};

const usage = `npm run bench -- <part> [options]

Parts, and the sizes and rounds of docs/scale.md:
${Object.entries(PARTS)
  .map(([name, { says, sizes, rounds }]) => `  ${name.padEnd(12)} ${says} (${sizes.join(",")}; n = ${rounds})`)
  .join("\n")}

  --sizes <n,…>   how many numbers, or calls
  --rounds <n>    how often each is run, all in turn; shown are the median, the least and the most
  --ways <…>      of assignments: ${Object.keys(WAYS).join(", ")} (default dynamic,skip,group,opentofu)
  --edges <…>     of groups, start, calls and large: dynamic, plugin (default dynamic)
  --json <file>   writes each round's figures there
`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      sizes: { type: "string" },
      rounds: { type: "string" },
      ways: { type: "string", default: "dynamic,skip,group,opentofu" },
      edges: { type: "string", default: "dynamic" },
      json: { type: "string" },
    },
  });
  const [name = ""] = positionals;
  const part = PARTS[name];
  if (part === undefined || positionals.length > 1) {
    console.error(usage);
    return 2;
  }
  const sizes = values.sizes === undefined ? part.sizes : values.sizes.split(",").map(Number);
  const choice: Choice = {
    rounds: values.rounds === undefined ? part.rounds : Number(values.rounds),
    ways: values.ways.split(","),
    edges: values.edges.split(",") as EdgeName[],
  };
  console.log(`${await conditions(choice.ways.includes("opentofu") && name === "assignments")}\n`);
  const tables: Table[] = [];
  for (const size of sizes) {
    const table = await part.run(size, choice);
    tables.push(table);
    console.log(`${toText(table)}\n`);
  }
  if (values.json !== undefined) {
    writeFileSync(values.json, `${JSON.stringify(tables, null, 2)}\n`);
  }
  return 0;
}

async function conditions(withOpenTofu: boolean): Promise<string> {
  const engine = await findOrInstallEngine();
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? "?"}, ${Math.round(totalmem() / 2 ** 30)} GB`;
  const others = withOpenTofu ? `, OpenTofu ${openTofu.version}, restapi ${restapi.version}` : "";
  return `${machine}, Node ${process.version}, Pulumi CLI ${engine.version}, SDK ${sdk.version}${others}`;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
