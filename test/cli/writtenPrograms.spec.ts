import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { initCommand } from "../../cli/commands/init/command";
import { takeoverCommand } from "../../cli/commands/takeover/command";
import { typeErrorsOf } from "../docs/checkTypes";
import { projectFolder } from "./projectFolder";
import { runWith } from "./terminal";
import { previewed } from "./writtenPrograms";

/** What the options of init and takeover make of a program, judged as a preview judges it. takeover.spec.ts and init.spec.ts ask the engine. */

const HEADER = "number,label,agents,outbound,webhook,time routing";
const TABLES: Readonly<Record<string, readonly string[]>> = {
  "groups and single numbers": [
    "+442079460100,London,agent_front@12:90 agent_front@13:10,agent_front@12,https://hooks.example.com/in?a|b,on",
    "+442079460101,-,agent_front@13:10 agent_front@12:90,agent_front@12,https://hooks.example.com/in?a|b,on",
    "4001,Reception,agent_desk@3:100,agent_out@9,-,off",
    "4002,-,-,-,-,-",
  ],
  "agents that make calls alone": ["4001,24/7 desk,-,agent_out@9,-,off", "4002,-,-,agent_out@9,-,off"],
  "agents without a version": ["4001,-,agent_desk:100,agent_out@9,-,-", "4002,-,agent_desk:100,agent_out@9,-,-"],
  "no agents": ["4001,-,-,-,-,-"],
  "names that a program has already": [
    "4001,Reassert,agent_desk@3:100,agent_out@9,-,-",
    "4002,Pulumi,-,agent_out@9,-,-",
    "4003,Triggers,agent_split@1:100,-,-,-",
    "4004,Config,agent_config@1:100,-,-,-",
  ],
  "texts that a program would take for its own": [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what the test is about
    '4001,"a""; throw 1; // ${x} ` \\",agent_desk@3:100,agent_out@9,https://h.example/?a=${b}&c=\',-',
    '4002,"*/ # : - | {}",agent_front@3:100,agent_out@9,https://h.example/?a=$${b}&c=$$d$e,-',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what the test is about
    '4003,"# ${reassert}",agent_front@3:100,agent_out@9,https://h.example/?a=$${b},-',
  ],
};

const LANGUAGE = [[], ["--language", "yaml"]];

const programOf = (argv: readonly string[]): string => (argv.includes("yaml") ? "Pulumi.yaml" : "index.ts");

describe("what init and takeover write previews green", () => {
  const folder = projectFolder();
  const programs = new Map<string, string>();

  async function run(command: typeof initCommand | typeof takeoverCommand, argv: readonly string[]): Promise<void> {
    const ran = await runWith(command.run, argv, { cwd: folder.path });
    assert.deepEqual([ran.code, ran.stderr], [0, ""], argv.join(" "));
  }

  /** The check refuses nothing, and every number is declared. Resolves with the inputs that it makes. */
  function green(project: string, program: string, stack: string, numbers: readonly string[]) {
    const { inputs, refused } = previewed(join(folder.path, project), program, stack);
    assert.deepEqual(refused, [], project);
    const declared = Object.values(inputs).flatMap(({ number, numbers, triggers }) => {
      // The pipelines' Re-assert sets it.
      assert.deepEqual(triggers, { reassert: "" });
      return number === undefined ? String(numbers).match(/^[+\d]+/gm) : [number];
    });
    assert.deepEqual(declared.sort(), [...numbers].sort(), project);
    if (program.endsWith(".ts")) {
      programs.set(folder.read(`${project}/${program}`), project);
    }
    return inputs;
  }

  for (const option of LANGUAGE) {
    it(`init ${option.join(" ")}`, async () => {
      const stacks = ["dev", "canary", "prod"];
      await run(initCommand, ["project", ...option, "--pipelines", "none", "--stacks", stacks.join(",")]);
      for (const [index, stack] of stacks.entries()) {
        const numbers = [`+1555123${index}001`, `+1555123${index}002`];
        const file = `project/Pulumi.${stack}.yaml`;
        for (const percent of [10, 50, 100]) {
          writeFileSync(join(folder.path, file), folder.read(file).replace(/percent: \d+/, `percent: ${percent}`));
          green("project", programOf(option), stack, numbers);
        }
      }
    });
  }

  for (const [what, lines] of Object.entries(TABLES)) {
    const numbers = lines.map((line) => line.split(",")[0] ?? "");

    it(`takeover of ${what}, in both languages the same, and as an import records it`, async () => {
      writeFileSync(join(folder.path, "numbers.csv"), [HEADER, ...lines, ""].join("\n"));
      const made = new Set<string>();
      for (const option of LANGUAGE) {
        const project = `new ${option.join(" ")}`;
        await run(takeoverCommand, ["numbers.csv", project, ...option, "--import"]);
        const inputs = JSON.stringify(green(project, programOf(option), "dev", numbers));
        const { resources } = JSON.parse(folder.read(`${project}/import.json`)) as { resources: Recorded[] };
        const recorded = resources.map(({ name, inputs: { __provider: _, ...own } }) => [name, own]);
        assert.deepEqual(Object.fromEntries(recorded), JSON.parse(inputs), project);
        made.add(inputs);
      }
      assert.equal(made.size, 1);
    });
  }

  it("its programs in TypeScript compile", function () {
    this.timeout(300_000);
    assert.ok(programs.size >= Object.keys(TABLES).length + 1, String(programs.size));
    assert.deepEqual(typeErrorsOf(Object.fromEntries([...programs].map(([text, name]) => [name, text]))), []);
  });
});

interface Recorded {
  readonly name: string;
  readonly inputs: Readonly<Record<string, unknown>>;
}
