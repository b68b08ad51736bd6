import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { doctorCommand } from "../../cli/commands/doctor/command";
import { CommandFailure, exitCodeOf, unexpected } from "../../cli/errors";
import { main } from "../../cli/main";
import { built } from "../support/built";
import { repository } from "../support/repository";
import { done, refusal, runWith } from "./terminal";

/** Does it fit a terminal? An address has a line of its own. */
const fits = (text: string) => text.split("\n").every((line) => line.length <= 80 || / ?https:\S+$/.test(line));

const run = (...argv: string[]) => runWith(main, argv);

const commands = [
  "try",
  "init",
  "takeover",
  "promote",
  "abort",
  "history",
  "report",
  "doctor",
  "show",
  "board",
  "emulator",
];
const { version, bin } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
/** The command as it is installed. */
const installed = (...argv: string[]) =>
  spawnSync(process.execPath, [join(repository, bin["pulumi-agent-platform"]), ...argv], { encoding: "utf8" });

/** What each command prints for `--help`, by the built code in one process. */
function printedHelps(): readonly string[] {
  const script = `
    const { main } = require(${JSON.stringify(built("cli/main.js"))});
    (async () => {
      for (const command of ${JSON.stringify(commands)}) {
        await main([command, "--help"], process);
        process.stdout.write("\\0");
      }
    })();
  `;
  return spawnSync(process.execPath, ["-e", script], { encoding: "utf8" }).stdout.split("\0");
}

describe("agent-platform", () => {
  let helps: readonly string[] = [];
  before(() => {
    helps = printedHelps();
  });

  it("lists its commands, each with one line", async () => {
    for (const argv of [[], ["--help"], ["-h"], ["help"]]) {
      const { code, stdout, stderr } = await run(...argv);
      assert.deepEqual([code, stderr], [0, ""]);
      const [, groups = ""] = /^Usage: npx pulumi-agent-platform <command> \[options\]\n([\s\S]*)$/m.exec(stdout) ?? [];
      const listed = [...groups.matchAll(/^ {2}(\w+) +(\S.*)$/gm)].map(([, name]) => name);
      assert.deepEqual(listed, commands);
      assert.ok(fits(stdout) && stdout.endsWith("\n"), stdout);
    }
  });

  for (const command of commands) {
    it(`shows what ${command} takes, examples first, for --help and for help ${command}`, async () => {
      const { code, stdout, stderr } = await run("help", command);
      assert.deepEqual([code, stderr], [0, ""]);
      assert.match(stdout, /^[A-Z](?:.|\n(?!\n))*\.\n\nExamples:\n {2}\S/);
      assert.match(stdout, new RegExp(`^Usage: npx pulumi-agent-platform ${command}( |$)`, "m"));
      assert.match(stdout, /^ {2}--help {2,}show this text$/m);
      assert.ok(fits(stdout) && stdout.endsWith("\n"), stdout);
      assert.equal(helps[commands.indexOf(command)], stdout);
    });
  }

  for (const [name, argv, says] of [
    ["the name of something that every object has", ["constructor"], 'The command "constructor" does not exist.'],
    ["an option in place of a command", ["--stack", "dev"], "The option --stack does not exist before a command."],
    ["a name that would drive the terminal", ["\u001b[2J"], 'The command "\\u{1b}[2J" does not exist.'],
  ] as const) {
    it(`refuses ${name} in one sentence, with exit code 2`, async () => {
      const stderr = `pulumi-agent-platform: ${says} \`npx pulumi-agent-platform help\` lists the commands.\n`;
      assert.deepEqual(await run(...argv), { code: 2, stdout: "", stderr });
    });
  }

  it("names the command, or the option, that was meant", async () => {
    assert.equal(
      (await run("docter")).stderr,
      'pulumi-agent-platform: The command "docter" does not exist. Did you mean `npx pulumi-agent-platform doctor`?\n',
    );
    assert.equal(
      (await runWith(doctorCommand.run, ["--stak", "dev"])).stderr,
      "pulumi-agent-platform doctor: The option --stak does not exist. Did you mean --stack?\n",
    );
  });

  it("is red about what it refuses, on a terminal whose user has not set NO_COLOR", async () => {
    const why = " The option --stak does not exist. Did you mean --stack?\n";
    for (const [isTerminal, env, name] of [
      [true, {}, "\u001b[31mpulumi-agent-platform doctor:\u001b[39m"],
      [true, { NO_COLOR: "1" }, "pulumi-agent-platform doctor:"],
      [false, {}, "pulumi-agent-platform doctor:"],
    ] as const) {
      assert.equal((await runWith(doctorCommand.run, ["--stak"], { isTerminal, env })).stderr, name + why);
    }
  });

  it("says where an unexpected error is reported, without the access token", () => {
    const text = unexpected(new Error("Bearer hush-hush was in the way"), {
      env: { AGENT_PLATFORM_ACCESS_TOKEN: "hush-hush" },
    });
    assert.match(text, /^pulumi-agent-platform: this is a bug\. Error: Bearer \[token\] was in the way\n/);
    assert.match(
      text,
      /\n\nPlease report it to the issues of the pulumi-agent-platform repository, with the lines above/,
    );
    assert.ok(text.includes(`pulumi-agent-platform ${version}, Node ${process.versions.node}, `), text);
  });

  it("gives a bug an exit code that no command gives a meaning", () => {
    assert.equal(exitCodeOf(new TypeError("undefined is not a function")), 70);
    assert.equal(exitCodeOf(new CommandFailure("pulumi failed")), 1);
  });

  for (const [argv, expected] of [
    [["show", "1", "2"], refusal("show", "Name one number, or none to list all.")],
    [["--version"], done(`${version}\n`)],
  ] as const) {
    it(`hands the rest of "${argv.join(" ")}" to the command, and its exit code back`, () => {
      const { status: code, stdout, stderr } = installed(...argv);
      assert.deepEqual({ code, stdout, stderr }, expected);
    });
  }

  it("loads no command but the one that is asked for", () => {
    const script = `
      const loaded = () => Object.keys(require.cache).filter((file) => file.startsWith(${JSON.stringify(built("cli"))}));
      const { main } = require(${JSON.stringify(built("cli/main.js"))});
      main(["show", "--help"], process).then(() => console.error(JSON.stringify(loaded())));
    `;
    const { stderr } = spawnSync(process.execPath, ["-e", script], { encoding: "utf8" });
    const files = JSON.parse(stderr) as string[];
    const folder = built("cli/commands");
    assert.deepEqual(
      files.filter((file) => file.startsWith(folder)),
      [join(folder, "show.js")],
    );
    assert.deepEqual(
      files.filter((file) => file.includes("/cli/report/") || file.includes("/dist/emulator/")),
      [],
    );
  });
});
