import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { abortCommand } from "../../cli/commands/abort";
import { doctorCommand } from "../../cli/commands/doctor";
import { emulatorCommand } from "../../cli/commands/emulator";
import { promoteCommand } from "../../cli/commands/promote";
import { showCommand } from "../../cli/commands/show";
import { COMMANDS } from "../../cli/main";
import { printable } from "../../provider/base/text";
import { CASES as ABORT } from "../cli/abortCases";
import { CASES as DOCTOR } from "../cli/doctorCases";
import { INIT_CASES, initIn } from "../cli/initCases";
import { CASES as PROMOTE } from "../cli/promoteCases";
import { withRecorded } from "../cli/recorded";
import { withRollouts } from "../cli/rolloutProject";
import { CASES as SHOW } from "../cli/showCases";
import { TAKEOVER_CASES, takeover } from "../cli/takeoverProject";
import { runWith } from "../cli/terminal";
import { REFUSED } from "../emulator/refused";
import { assertSameText } from "../support/golden";

/** What commands print, on one page. It is the home of their wording: other specs look at codes, numbers and names. */

const promoted = Object.entries(PROMOTE).flatMap(([group, cases]) =>
  cases.map(({ name, given, argv = [], bypass }) => ({
    title: `promote, ${group.toLowerCase()}: ${name}`,
    print: () =>
      withRollouts({ prod: given }, ({ world }) => {
        const env = { ...world.env, ...(bypass && { AGENT_PLATFORM_BYPASS: bypass }) };
        return runWith(promoteCommand.run, ["front", ...argv, "--stack", "prod"], { ...world, env });
      }),
  })),
);

const aborts = ABORT.map(({ name, given, argv = [] }) => ({
  title: `abort: ${name}`,
  print: () =>
    withRollouts({ prod: given }, ({ world }) =>
      runWith(abortCommand.run, ["front", ...argv, "--stack", "prod"], world),
    ),
}));

const started = [
  ...INIT_CASES.map((given) => ({ title: `init: ${given.name}`, print: () => initIn(given) })),
  ...TAKEOVER_CASES.map(({ name, table, argv = [], project = {} }) => ({
    title: `takeover: ${name}`,
    print: () => takeover(table, argv, project),
  })),
];

const emulated = REFUSED.map((argv) => ({
  title: `emulator ${printable(argv.join(" "))}`,
  print: () => runWith(emulatorCommand.run, argv),
}));

const looked = [
  ...DOCTOR.map(({ name, given }) => ({
    title: `doctor: ${name}`,
    print: () => withRecorded({ dev: given }, (world) => runWith(doctorCommand.run, ["--stack", "dev"], world)),
  })),
  ...SHOW.map(({ name, given, number }) => ({
    title: `show: ${name}`,
    print: () =>
      withRecorded({ dev: given }, (world) =>
        runWith(showCommand.run, [...(number === undefined ? [] : [number]), "--stack", "dev"], world),
      ),
  })),
];

async function page(): Promise<string> {
  const parts: string[] = [];
  for (const { title, print } of [...started, ...promoted, ...aborts, ...looked, ...emulated]) {
    const { code, stdout, stderr } = await print();
    parts.push(`=== ${title}\n\n${stdout}${stderr}(ends with ${code})\n`);
  }
  return parts.join("\n");
}

const GOLDEN = join(__dirname, "testdata", "commands.txt");

/** Commands whose output has golden files of its own. */
const ELSEWHERE = ["report", "board", "probe"];

describe("what commands print", () => {
  it("has a case for every command", () => {
    const shown = new Set(
      [...started, ...promoted, ...aborts, ...looked, ...emulated].map(({ title }) => title.split(/[ :,]/)[0]),
    );
    assert.deepEqual([...shown, ...ELSEWHERE].sort(), Object.keys(COMMANDS).sort());
  });

  it("matches the golden file of all command outputs", async () => {
    const printed = await page();
    if (process.env.UPDATE_GOLDENS !== undefined) {
      writeFileSync(GOLDEN, printed);
    }
    assertSameText(printed, readFileSync(GOLDEN, "utf8"));
  });
});
