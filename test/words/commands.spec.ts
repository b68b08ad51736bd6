import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { abortCommand } from "../../cli/commands/abort";
import { doctorCommand } from "../../cli/commands/doctor";
import { emulatorCommand } from "../../cli/commands/emulator";
import { promoteCommand } from "../../cli/commands/promote";
import { showCommand } from "../../cli/commands/show";
import { BUG_CODE, bugReport } from "../../cli/errors";
import { COMMANDS, main } from "../../cli/main";
import { manifest } from "../../cli/package";
import { startEmulator } from "../../emulator";
import { printable } from "../../provider/base/text";
import { CASES as ABORT } from "../cli/abortCases";
import { BOARDS, printBoard } from "../cli/boardCases";
import { readPage } from "../cli/boardPage";
import { CASES as DOCTOR } from "../cli/doctorCases";
import { INIT_CASES, initIn } from "../cli/initCases";
import { CASES as PROMOTE } from "../cli/promoteCases";
import { withRecorded } from "../cli/recorded";
import { withRollouts } from "../cli/rolloutProject";
import { CASES as SHOW } from "../cli/showCases";
import { TAKEOVER_CASES, takeover } from "../cli/takeoverProject";
import { type Printed, runWith } from "../cli/terminal";
import { REFUSED } from "../emulator/refused";
import { serving } from "../emulator/served";
import { assertSameText } from "../support/golden";

/** Compares the commands' full output with a golden file. Other specs check only the codes, numbers and names in it. */

const promoteCases = Object.entries(PROMOTE).flatMap(([group, cases]) =>
  cases.map(({ name, given, argv = [], bypass }) => ({
    title: `promote, ${group.toLowerCase()}: ${name}`,
    print: () =>
      withRollouts({ prod: given }, ({ world }) => {
        const env = { ...world.env, ...(bypass && { AGENT_PLATFORM_BYPASS: bypass }) };
        return runWith(promoteCommand.run, ["front", ...argv, "--stack", "prod"], { ...world, env });
      }),
  })),
);

const abortCases = ABORT.map(({ name, given, argv = [] }) => ({
  title: `abort: ${name}`,
  print: () =>
    withRollouts({ prod: given }, ({ world }) =>
      runWith(abortCommand.run, ["front", ...argv, "--stack", "prod"], world),
    ),
}));

const startCases = [
  ...INIT_CASES.map((initCase) => ({ title: `init: ${initCase.name}`, print: () => initIn(initCase) })),
  ...TAKEOVER_CASES.map(({ name, table, argv = [], project = {} }) => ({
    title: `takeover: ${name}`,
    print: () => takeover(table, argv, project),
  })),
];

/** Replaces port numbers, because the emulator uses a different port in each run. */
const withoutPorts = ({ code, stdout, stderr }: Printed): Printed => {
  const [out = "", error = ""] = [stdout, stderr].map((text) => text.replaceAll(/\b\d{4,5}\b/g, "<port>"));
  return { code, stdout: out, stderr: error };
};

const emulatorCases = [
  ...REFUSED.map(([_, ...argv]) => ({
    title: `emulator ${printable(argv.join(" "))}`,
    print: () => runWith(emulatorCommand.run, argv),
  })),
  {
    title: "emulator: until it is stopped",
    print: async () =>
      withoutPorts({ code: 0, stdout: await serving(["--token", "its-secret"], async () => {}), stderr: "" }),
  },
  ...[
    { title: "emulator: the status of a running one", argv: (port: string) => ["status", "--port", port] },
    { title: "emulator: a port in use", argv: (port: string) => ["--port", port] },
  ].map(({ title, argv }) => ({
    title,
    print: async () => {
      let printed: Printed | undefined;
      await serving([], async (url) => {
        printed = await runWith(emulatorCommand.run, argv(new URL(url).port));
      });
      return withoutPorts(printed ?? assert.fail("nothing was printed"));
    },
  })),
  {
    title: "emulator: the status of one that is not running",
    print: async () => {
      const { url, close } = await startEmulator();
      await close();
      return withoutPorts(await runWith(emulatorCommand.run, ["status", "--port", new URL(url).port]));
    },
  },
];

/** Test cases for invalid arguments, help pages and an unexpected error. */
const generalCases = [
  ...[["constructor"], ["--stack"], ["docter"], ["agp-031"], ["help", "docter"], ["help", "AGP-0311"]].map((argv) => ({
    title: `pulumi-agent-platform ${argv.join(" ")}`,
    print: () => runWith(main, argv),
  })),
  ...[[], ...Object.keys(COMMANDS).map((name) => [name])].map((topic) => ({
    title: ["pulumi-agent-platform help", ...topic].join(" "),
    print: () => runWith(main, ["help", ...topic]),
  })),
  {
    title: "pulumi-agent-platform help AGP-052, after its title and remedy",
    print: async () => {
      const printed = await runWith(main, ["help", "AGP-052"]);
      return { ...printed, stdout: printed.stdout.split("\n\n").slice(2).join("\n\n") };
    },
  },
  ...[
    { argv: ["show", "--stak"], run: showCommand.run },
    { argv: ["show", "1", "2"], run: showCommand.run },
    { argv: ["promote", "--help", "--stack", "prod"], run: promoteCommand.run },
  ].map(({ argv, run }) => ({
    title: `pulumi-agent-platform ${argv.join(" ")}`,
    print: () => runWith(run, argv.slice(1)),
  })),
  {
    title: "pulumi-agent-platform: an error that nobody expected",
    print: async () => {
      const known = [manifest().version, process.versions.node, process.platform, process.arch];
      const text = bugReport("Bearer a-token", { env: { AGENT_PLATFORM_ACCESS_TOKEN: "a-token" } });
      return { code: BUG_CODE, stdout: "", stderr: known.reduce((shown, value) => shown.replace(value, "…"), text) };
    },
  },
];

const stateCases = [
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

const boardCases = Object.entries(BOARDS).map(([name, stacks]) => ({
  title: `board: ${name}`,
  // Print only the text of the page, without its tags.
  print: async () => {
    const printed = await printBoard(stacks);
    return { ...printed, stdout: readPage(printed.stdout).lines.join("\n").concat("\n") };
  },
}));

const commandCases = [...startCases, ...promoteCases, ...abortCases, ...stateCases, ...boardCases, ...emulatorCases];

async function page(): Promise<string> {
  const parts: string[] = [];
  for (const { title, print } of [...commandCases, ...generalCases]) {
    const { code, stdout, stderr } = await print();
    parts.push(`=== ${title}\n\n${stdout}${stderr}(ends with ${code})\n`);
  }
  return parts.join("\n");
}

const GOLDEN = join(__dirname, "testdata", "commands.txt");

/** Commands whose output is compared with other golden files. */
const ELSEWHERE = ["report", "probe"];

describe("command output", () => {
  it("covers every command except report and probe in commands.txt", () => {
    const shown = new Set(commandCases.map(({ title }) => title.split(/[ :,]/)[0]));
    assert.deepEqual([...shown, ...ELSEWHERE].sort(), Object.keys(COMMANDS).sort());
  });

  it("matches the golden file commands.txt", async () => {
    const printed = await page();
    if (process.env.UPDATE_GOLDENS !== undefined) {
      writeFileSync(GOLDEN, printed);
    }
    assertSameText(printed, readFileSync(GOLDEN, "utf8"));
  });
});
