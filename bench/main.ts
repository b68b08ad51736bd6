import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import sdk from "@pulumi/pulumi/package.json";
import type { EdgeName } from "../test/support/edges";
import { writeTables } from "../tools/docs";
import { findOrInstallEngine } from "../tools/engine/engine";
import { table as markdown } from "../tools/reference/markdown";
import { WAYS } from "./assignments";
import { aligned, caption, cellsOf, type Table } from "./measure";
import { openTofu, restapi } from "./openTofuBuild";
import { type Choice, PARTS } from "./parts";

/** A table is on one of them. */
const PAGES = ["docs/scale.md", "bench/README.md"] as const;

const usage = `npm run bench -- <part> [options]

Parts, with their sizes and rounds:
${Object.entries(PARTS)
  .map(
    ([
      name,
      {
        says,
        default: { sizes, rounds },
      },
    ]) => `  ${name.padEnd(12)} ${says} (${[...sizes, `n = ${rounds}`].join(", ")})`,
  )
  .join("\n")}

  --sizes <n,…>   how many numbers, or calls
  --rounds <n>    how often each is run, all in turn; shown are the median, the least and the most
  --ways <…>      of assignments and overhead: ${Object.keys(WAYS).join(", ")}
  --edges <…>     of groups, start, calls and large: dynamic, plugin
  --page          writes the tables into ${PAGES.join(" or ")}
  --json <file>   writes each round's figures there
`;

interface Request {
  readonly choice: Choice;
  readonly tables: Readonly<Record<string, () => Promise<Table>>>;
  readonly isForPage: boolean;
  readonly json: string | undefined;
}

/** undefined: not understood. */
function read(): Request | undefined {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      sizes: { type: "string" },
      rounds: { type: "string" },
      ways: { type: "string" },
      edges: { type: "string" },
      page: { type: "boolean", default: false },
      json: { type: "string" },
    },
  });
  const part = PARTS[positionals[0] ?? ""];
  if (part === undefined || positionals.length > 1) {
    return undefined;
  }
  const { sizes, rounds, ways, edges } = part.default;
  const choice: Choice = {
    sizes: values.sizes?.split(",").map(Number) ?? sizes,
    rounds: values.rounds === undefined ? rounds : Number(values.rounds),
    ways: values.ways?.split(",") ?? ways,
    edges: (values.edges?.split(",") as EdgeName[] | undefined) ?? edges,
  };
  return { choice, tables: part.tables(choice), isForPage: values.page, json: values.json };
}

async function main(): Promise<number> {
  const request = read();
  if (request === undefined) {
    console.error(usage);
    return 2;
  }
  const { choice, tables, isForPage, json } = request;
  if (isForPage) {
    // Before an hour of work, not after it.
    Object.keys(tables).forEach(pageWith);
  }
  const under = await conditions(choice.ways.includes("opentofu"));
  console.log(`${under}\n`);
  const made: Record<string, Table> = {};
  for (const [name, make] of Object.entries(tables)) {
    const table = await make();
    made[name] = table;
    console.log(`${caption(table)}\n\n${aligned(table)}\n`);
    if (isForPage) {
      writeTables({ [pageWith(name)]: { [`figures-${name}`]: () => onPage(table, under) } });
    }
  }
  if (json !== undefined) {
    writeFileSync(json, `${JSON.stringify(made, null, 2)}\n`);
  }
  return 0;
}

function pageWith(table: string): string {
  const place = `<!-- figures-${table}:begin -->`;
  const found = PAGES.find((page) => readFileSync(join(__dirname, "..", page), "utf8").includes(place));
  if (found === undefined) {
    throw new Error(`${PAGES.join(" and ")} have no place for ${table}: ${place}`);
  }
  return found;
}

function onPage(table: Table, under: string): string {
  const { head, body } = cellsOf(table);
  return `\n${markdown(head, body)}\n\n${caption(table)}. ${under}.\n`;
}

async function conditions(withOpenTofu: boolean): Promise<string> {
  const engine = await findOrInstallEngine();
  const machine = `${cpus().length} cores (${cpus()[0]?.model ?? "?"}), ${Math.round(totalmem() / 2 ** 30)} GB`;
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
