import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { doctorCommand } from "../../cli/commands/doctor/command";
import { unexpected } from "../../cli/errors";
import { main } from "../../cli/main";
import { CODES } from "../../provider/core/codes";
import { repository } from "../support/engine";
import { runWith } from "./terminal";

async function run(...argv: string[]) {
  const printed = { stdout: "", stderr: "" };
  const into = (name: keyof typeof printed) => ({
    write(text: string) {
      printed[name] += text;
    },
  });
  return { code: await main(argv, { stdout: into("stdout"), stderr: into("stderr") }), ...printed };
}

const commands = ["try", "init", "takeover", "promote", "abort", "report", "doctor", "show", "emulator", "probe"];
const { version, bin } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));

describe("agent-platform", () => {
  for (const argv of [[], ["--help"], ["-h"], ["help"]]) {
    it(`lists its commands for "${argv.join(" ")}", each with one line`, async () => {
      const { code, stdout, stderr } = await run(...argv);
      assert.deepEqual([code, stderr], [0, ""]);
      const [, groups = ""] = /^Usage: npx pulumi-agent-platform <command> \[options\]\n([\s\S]*)$/m.exec(stdout) ?? [];
      const listed = [...groups.matchAll(/^ {2}(\w+) +(\S.*)$/gm)].map(([, name]) => name);
      assert.deepEqual(listed, commands);
      assert.ok(stdout.split("\n").every((line) => line.length <= 120));
    });
  }

  it("prints the version of the package", async () => {
    assert.deepEqual(await run("--version"), { code: 0, stdout: `${version}\n`, stderr: "" });
  });

  for (const command of commands) {
    it(`shows what ${command} takes, examples first, for --help and for help ${command}`, async () => {
      const { code, stdout, stderr } = await run("help", command);
      assert.deepEqual([code, stderr], [0, ""]);
      assert.match(stdout, /^[A-Z].*\.\n\nExamples:\n {2}\S/);
      assert.match(stdout, new RegExp(`^Usage: npx pulumi-agent-platform ${command}( |$)`, "m"));
      assert.match(stdout, /^ {2}--help {2,}show this text$/m);
      assert.ok(
        stdout.split("\n").every((line) => line.length <= 130),
        stdout,
      );
      const script = join(repository, bin["agent-platform"]);
      assert.equal(execFileSync(process.execPath, [script, command, "--help"], { encoding: "utf8" }), stdout);
    });
  }

  it("says what an error code means and what to do, for each of them", async () => {
    assert.deepEqual(await run("help", "agp-021"), {
      code: 0,
      stdout: `AGP-021: Guard maxShift: the change moves more percentage points of traffic than the limit; a return to the previous split is never blocked.

What to do: Move less traffic at a time, or raise maxShift.

More: docs/reference/errors.md#agp-021
`,
      stderr: "",
    });
    const { stdout: ofToken } = await run("help", "AGP-031");
    assert.match(ofToken, /: see docs\/runbooks\/unauthorized\.md\.\n/);
    for (const code of Object.keys(CODES)) {
      const { stdout } = await run("help", code);
      assert.ok(stdout.startsWith(`${code}: `) && !/\]\(/.test(stdout), stdout);
    }
    assert.equal((await run("help", "AGP-999")).code, 2);
  });

  const refused = {
    "a command that does not exist": { argv: ["deploy"], says: 'The command "deploy" does not exist.' },
    "the name of something that every object has": {
      argv: ["constructor"],
      says: 'The command "constructor" does not exist.',
    },
    "an option in place of a command": {
      argv: ["--stack", "dev"],
      says: "The option --stack does not exist before a command.",
    },
    "a name that would drive the terminal": { argv: ["\u001b[2J"], says: 'The command "\\u{1b}[2J" does not exist.' },
  };
  for (const [name, { argv, says }] of Object.entries(refused)) {
    it(`refuses ${name} in one sentence, with exit code 2`, async () => {
      const stderr = `agent-platform: ${says} \`npx pulumi-agent-platform help\` lists the commands.\n`;
      assert.deepEqual(await run(...argv), { code: 2, stdout: "", stderr });
    });
  }

  it("names the command, or the option, that was meant", async () => {
    assert.equal(
      (await run("docter")).stderr,
      'agent-platform: The command "docter" does not exist. Did you mean `npx pulumi-agent-platform doctor`?\n',
    );
    assert.equal(
      (await runWith(doctorCommand.run, ["--stak", "dev"])).stderr,
      "agent-platform doctor: The option --stak does not exist. Did you mean --stack?\n",
    );
  });

  it("says where an unexpected error is reported, without the access token", () => {
    const text = unexpected(new Error("Bearer hush-hush was in the way"), {
      env: { AGENT_PLATFORM_ACCESS_TOKEN: "hush-hush" },
    });
    assert.match(text, /^agent-platform: this is a bug\. Error: Bearer \[token\] was in the way\n/);
    assert.match(
      text,
      /\n\nPlease report it to the issues of the pulumi-agent-platform repository, with the lines above/,
    );
    assert.ok(text.includes(`agent-platform ${version}, Node ${process.versions.node}, `), text);
  });

  it("hands the rest of the arguments to the command, and its exit code back", async () => {
    const script = join(repository, bin["agent-platform"]);
    const failure = (argv: string[]) => {
      try {
        return {
          status: 0,
          stdout: execFileSync(process.execPath, [script, ...argv], { encoding: "utf8", stdio: "pipe" }),
        };
      } catch (error) {
        const { status, stderr } = error as { status: number; stderr: string };
        return { status, stderr };
      }
    };
    assert.deepEqual(failure(["show"]), { status: 2, stderr: "agent-platform show: Name one number.\n" });
    assert.deepEqual(failure(["probe", "--nonsense"]), {
      status: 2,
      stderr: "agent-platform probe: The option --nonsense does not exist.\n",
    });
    assert.deepEqual(failure(["--version"]), { status: 0, stdout: `${version}\n` });
  });

  it("loads no command but the one that is asked for", () => {
    const script = `
      const loaded = () => Object.keys(require.cache).filter((file) => file.startsWith(${JSON.stringify(join(repository, "dist/cli"))}));
      const { main } = require(${JSON.stringify(join(repository, "dist/cli/main.js"))});
      main(["show", "--help"], process).then(() => console.error(JSON.stringify(loaded())));
    `;
    const output = execFileSync(
      process.execPath,
      ["-e", `${script.replace("console.error", "process.stdout.write")}`],
      {
        encoding: "utf8",
      },
    );
    const files = JSON.parse(output.slice(output.lastIndexOf('["'))) as string[];
    const folder = join(repository, "dist/cli/commands");
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
