import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { doctorCommand } from "../../cli/commands/doctor";
import { showCommand } from "../../cli/commands/show";
import { BUG_CODE, bugReport } from "../../cli/errors";
import { COMMANDS, main } from "../../cli/main";
import { ISSUE_TRACKER } from "../../cli/package";
import { built } from "../support/built";
import { namedIn } from "../support/named";
import { repository } from "../support/repository";
import { checkRows } from "../support/rows";
import { stack, withRollouts } from "./rolloutProject";
import { done, runWith } from "./terminal";

/** Returns whether every line fits in an 80-column terminal. */
const fits = (text: string) => text.split("\n").every((line) => line.length <= 80);

const run = (...argv: string[]) => runWith(main, argv);
const { version, bin } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));

describe("agent-platform", () => {
  it("lists each command with its summary", async () => {
    for (const argv of [[], ["--help"], ["-h"], ["help"]]) {
      const { code, stdout, stderr } = await run(...argv);
      assert.deepEqual([code, stderr], [0, ""]);
      const listed = [...stdout.matchAll(/^ {2}(\w+) +\S/gm)].flatMap(([, name = ""]) =>
        Object.hasOwn(COMMANDS, name) ? [name] : [],
      );
      assert.deepEqual(listed, Object.keys(COMMANDS));
      assert.ok(fits(stdout) && stdout.endsWith("\n"), stdout);
    }
  });

  it("prints the same text for `help <command>` and `<command> --help`", () =>
    checkRows(
      Object.entries(COMMANDS),
      ([command]) => command,
      async ([command, load]) => {
        const printed = await run("help", command);
        const { stdout } = printed;
        assert.deepEqual(printed, done(stdout));
        assert.match(stdout, /^[A-Z](?:.|\n(?!\n))*\.\n\nExamples:\n {2}\S/);
        assert.match(stdout, new RegExp(`^Usage: npx pulumi-agent-platform ${command}( |$)`, "m"));
        assert.match(stdout, /^ {2}--help {2,}show this text$/m);
        assert.ok(fits(stdout) && stdout.endsWith("\n"), stdout);
        assert.deepEqual(await runWith(load().run, ["--help"]), printed);
      },
    ));

  it("rejects an option in place of a rollout's name", () =>
    checkRows(
      ["abort", "promote"],
      (command) => command,
      async (command) => {
        for (const name of ["--help", "-h", "--dry-run"]) {
          await withRollouts({ prod: stack(10) }, async ({ world, sets }) => {
            const run = COMMANDS[command]?.().run ?? assert.fail(command);
            const { code } = await runWith(run, [name, "--stack", "prod", "--up", "--yes"], world);
            assert.deepEqual([code, sets("prod")], [2, []], name);
          });
        }
      },
    ));

  const unknownCommands = [
    // Every object inherits a property with this name, so a plain lookup in COMMANDS would find it.
    ["constructor", '"constructor" `npx pulumi-agent-platform help`'],
    ["--stack", "--stack `npx pulumi-agent-platform help`"],
    ["\u001b[2J", '"\\u{1b}[2J" `npx pulumi-agent-platform help`'],
    ["agp-031", '"agp-031" `npx pulumi-agent-platform help AGP-031`'],
    ["killed", '"killed" `npx pulumi-agent-platform help killed-run`'],
    ["docter", '"docter" `npx pulumi-agent-platform doctor`'],
  ] as const;
  it("rejects an unknown command and suggests what to run instead", () =>
    checkRows(
      unknownCommands,
      ([name]) => JSON.stringify(name),
      async ([name, facts]) => {
        const { code, stdout, stderr } = await run(name);
        assert.deepEqual([code, stdout, namedIn(stderr)], [2, "", facts]);
        assert.match(stderr, /^pulumi-agent-platform: .*\n$/);
      },
    ));

  for (const { title, isTerminal, env, prefix } of [
    {
      title: "prints an error in red on a terminal",
      isTerminal: true,
      env: {},
      prefix: "\u001b[31mpulumi-agent-platform doctor:\u001b[39m ",
    },
    {
      title: "prints an error without color if NO_COLOR is set",
      isTerminal: true,
      env: { NO_COLOR: "1" },
      prefix: "pulumi-agent-platform doctor: ",
    },
    {
      title: "prints an error without color if the output is piped",
      isTerminal: false,
      env: {},
      prefix: "pulumi-agent-platform doctor: ",
    },
  ]) {
    it(title, async () => {
      const { stderr } = await runWith(doctorCommand.run, ["--stak"], { isTerminal, env });
      assert.equal(stderr.slice(0, prefix.length), prefix);
      assert.equal(namedIn(stderr.slice(prefix.length)), "--stak --stack");
    });
  }

  it("asks the user to report an unexpected error and redacts the token", () => {
    const report = bugReport(new Error("Bearer hush-hush was in the way"), {
      env: { AGENT_PLATFORM_ACCESS_TOKEN: "hush-hush" },
    });
    assert.match(report, /^pulumi-agent-platform: .* Error: Bearer \[the access token\] was in the way\n/);
    assert.doesNotMatch(report, /hush/);
    for (const fact of [ISSUE_TRACKER, `pulumi-agent-platform ${version}, Node ${process.versions.node}, `]) {
      assert.ok(report.includes(fact), `${fact} is missing from: ${report}`);
    }
    assert.equal(BUG_CODE, 70);
  });

  it("exits with the subcommand's exit code", async () => {
    const runInstalled = (...argv: string[]) => {
      const file = join(repository, bin["pulumi-agent-platform"]);
      const { status: code, stdout, stderr } = spawnSync(process.execPath, [file, ...argv], { encoding: "utf8" });
      return { code, stdout, stderr };
    };
    const refused = await runWith(showCommand.run, ["1", "2"]);
    assert.equal(refused.code, 2);
    assert.deepEqual(runInstalled("show", "1", "2"), refused);
    assert.deepEqual(runInstalled("--version"), done(`${version}\n`));
  });

  it("loads only the code of the requested command", () => {
    const script = `
      const { main } = require(${JSON.stringify(built("cli/main.js"))});
      main(["show", "--help"], process).then(() => console.error(JSON.stringify(Object.keys(require.cache))));
    `;
    const { stderr } = spawnSync(process.execPath, ["-e", script], { encoding: "utf8" });
    const files = JSON.parse(stderr) as string[];
    assert.deepEqual(
      files.filter((file) => /\/(cli\/commands|cli\/report|dist\/emulator)\//.test(file)),
      [built("cli/commands/show.js")],
    );
  });
});
