import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { initCommand } from "../../cli/commands/init/command";
import { takeoverCommand } from "../../cli/commands/takeover/command";
import { typeErrorsOf } from "../docs/checkTypes";
import { projectFolder } from "./projectFolder";
import { runWith } from "./terminal";
import { previewed } from "./writtenPrograms";

/** Every combination of the options of init and takeover, judged as a preview judges it. takeover.spec.ts and init.spec.ts ask the engine. */

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
const BASE_URL = [[], ["--base-url", "https://platform.example"]];

/** Every choice of one value for each option. */
const combined = (...options: readonly (readonly (readonly string[])[])[]): string[][] =>
  options.reduce<string[][]>(
    (all, values) => all.flatMap((before) => values.map((value) => [...before, ...value])),
    [[]],
  );

const programOf = (argv: readonly string[]): string => (argv.includes("yaml") ? "Pulumi.yaml" : "index.ts");

describe("what init and takeover write previews green, in every combination of their options", () => {
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
    const declared = Object.values(inputs).flatMap(({ number, numbers }) =>
      number === undefined ? String(numbers).match(/^[+\d]+/gm) : [number],
    );
    assert.deepEqual(declared.sort(), [...numbers].sort(), project);
    if (program.endsWith(".ts")) {
      programs.set(folder.read(`${project}/${program}`), project);
    }
    return inputs;
  }

  it("init", async () => {
    const stacks = { dev: [], prod: ["--stack", "prod"], "dev,canary,prod": ["--stacks", "dev,canary,prod"] };
    for (const [names, option] of Object.entries(stacks)) {
      const pipelines = ["all", "none", "github", "gitlab"].map((name) => ["--pipelines", name]);
      for (const argv of combined(LANGUAGE, [option], BASE_URL, pipelines)) {
        const project = `init ${argv.join(" ").replaceAll("/", "")}`;
        await run(initCommand, [project, ...argv]);
        for (const [index, stack] of names.split(",").entries()) {
          const numbers = [`+1555123${index}001`, `+1555123${index}002`];
          const file = `${project}/Pulumi.${stack}.yaml`;
          for (const percent of [10, 50, 100]) {
            writeFileSync(join(folder.path, file), folder.read(file).replace(/percent: \d+/, `percent: ${percent}`));
            green(project, programOf(argv), stack, numbers);
          }
        }
      }
    }
  });

  /** Runs takeover, and resolves with what a preview makes of the program. An import records the same. */
  async function taken(argv: readonly string[], project: string, program: string, numbers: readonly string[]) {
    await run(takeoverCommand, ["numbers.csv", project, ...argv]);
    const stack = argv[argv.indexOf("--stack") + 1];
    const inputs = green(project, program, argv.includes("--stack") && stack ? stack : "dev", numbers);
    if (argv.includes("--import")) {
      const { resources } = JSON.parse(folder.read(`${project}/import.json`)) as { resources: Recorded[] };
      const recorded = resources.map(({ name, inputs: { __provider: _, ...own } }) => [name, own]);
      assert.deepEqual(Object.fromEntries(recorded), JSON.parse(JSON.stringify(inputs)), project);
    }
    return inputs;
  }

  for (const [what, lines] of Object.entries(TABLES)) {
    const numbers = lines.map((line) => line.split(",")[0] ?? "");

    it(`takeover of ${what}, in both languages the same`, async () => {
      writeFileSync(join(folder.path, "numbers.csv"), [HEADER, ...lines, ""].join("\n"));
      const made = new Set<string>();
      for (const argv of combined(LANGUAGE, [[], ["--import"]], [[], ["--stack", "prod"]], BASE_URL)) {
        const project = `new ${argv.join(" ").replaceAll("/", "")}`;
        const inputs = await taken(argv, project, programOf(argv), numbers);
        made.add(JSON.stringify(inputs).replaceAll(/"https:..platform.example"|"http:..127.0.0.1:8080"/g, '""'));
      }
      assert.deepEqual([...made].slice(1), []);
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
