import { strict as assert } from "node:assert";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { main } from "../../cli/main";
import { repository } from "../support/engine";

async function run(...argv: string[]) {
  const printed = { stdout: "", stderr: "" };
  const into = (name: keyof typeof printed) => ({
    write(text: string) {
      printed[name] += text;
    },
  });
  return { code: await main(argv, { stdout: into("stdout"), stderr: into("stderr") }), ...printed };
}

const commands = ["try", "init", "takeover", "emulator", "report", "doctor", "show", "probe"];
const { version, bin } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));

describe("agent-platform", () => {
  for (const option of ["--help", "-h", "help"]) {
    it(`lists its commands for ${option}, each with one line`, async () => {
      const { code, stdout, stderr } = await run(option);
      assert.deepEqual([code, stderr], [0, ""]);
      const listed = [...stdout.matchAll(/^ {2}(\w+) +(\S.*)$/gm)].map(([, name]) => name);
      assert.deepEqual(listed, commands);
      assert.ok(stdout.startsWith("Usage: agent-platform <command> [options]\n"));
      assert.ok(stdout.split("\n").every((line) => line.length <= 120));
    });
  }

  it("prints the version of the package", async () => {
    assert.deepEqual(await run("--version"), { code: 0, stdout: `${version}\n`, stderr: "" });
  });

  const refused = {
    "no command": { argv: [], says: "Name a command." },
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
      const stderr = `agent-platform: ${says} \`agent-platform --help\` lists the commands.\n`;
      assert.deepEqual(await run(...argv), { code: 2, stdout: "", stderr });
    });
  }

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
      stderr: "agent-platform probe: Unknown option '--nonsense'.\n",
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
    const names = files.map((file) => file.slice(file.lastIndexOf("/") + 1)).sort();
    assert.deepEqual(names, [
      "io.js",
      "main.js",
      "numberHolders.js",
      "pulumiCli.js",
      "show.js",
      "stackSources.js",
      "stateFile.js",
    ]);
  });
});
