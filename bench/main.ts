import { writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { benchAssignments } from "./assignments";
import { benchEmulator } from "./emulatorAlone";
import { benchGroups } from "./groups";
import { type Figure, toTable } from "./measure";
import { benchCalls, benchLargeGroup, benchRates, benchStart } from "./protocol";
import { benchShards } from "./shards";

const usage = `npm run bench -- [options]

  --only <parts>         of emulator, protocol, rates, shards, groups, assignments; separated by commas (default: all)
  --assignments <sizes>  how many NumberAssignments (default 10,100)
  --groups <sizes>       how many numbers in a NumberGroup (default 100,1000)
  --rate-size <n>        how many numbers the rates are measured with (default 1000)
  --rounds <n>           how often each is run; medians are shown (default 3; once from 1,000 assignments or 50,000 numbers on)
  --json <file>          writes the figures there as well

The full set: --assignments 10,100,1000 --groups 100,1000,10000,50000 --rate-size 2000
`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: "string", default: "emulator,protocol,rates,shards,groups,assignments" },
      assignments: { type: "string", default: "10,100" },
      groups: { type: "string", default: "100,1000" },
      "rate-size": { type: "string", default: "1000" },
      rounds: { type: "string", default: "3" },
      json: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const parts = values.only.split(",");
  const rounds = Number(values.rounds);
  const groups = sizes(values.groups);
  const figures: Figure[] = [];
  const part = async (name: string, work: () => Promise<Figure[]>) => {
    if (!parts.includes(name)) {
      return;
    }
    console.error(`${name} …`);
    const found = await work();
    figures.push(...found);
    console.log(`${toTable(found)}\n`);
  };
  console.log(
    `${cpus().length} × ${cpus()[0]?.model ?? "?"}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}\n`,
  );
  await part("emulator", () => benchEmulator(5000));
  await part("protocol", async () => [
    ...(await benchStart(rounds)),
    ...(await benchCalls(2000)),
    ...(await benchLargeGroup([...groups])),
  ]);
  await part("rates", () => benchRates(Number(values["rate-size"]), rounds));
  await part("shards", () => benchShards(Number(values["rate-size"]), [1, 4, 10], rounds));
  await part("groups", () => benchGroups(groups, rounds));
  await part("assignments", () => benchAssignments(sizes(values.assignments), rounds));
  if (values.json !== undefined) {
    writeFileSync(values.json, `${JSON.stringify(figures, null, 2)}\n`);
  }
  return 0;
}

const sizes = (text: string): number[] => text.split(",").filter(Boolean).map(Number);

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
