import { basename, relative, resolve } from "node:path";
import { printable } from "../../../provider/core/common/redact";
import { CALLED, defineCommand, JSON_OPTION } from "../../command";
import { UsageError } from "../../errors";
import { jsonText, writeNew } from "../../io";
import { projectFileIn } from "../../pulumi/projectFile";
import { pipelinesIn } from "./pipelines";
import {
  firstProgram,
  firstRollout,
  firstYaml,
  nextCommands,
  PROJECT_OPTIONS,
  projectFiles,
  readProjectOptions,
  readStackNames,
  stackFiles,
} from "./projectFiles";

export const initCommand = defineCommand({
  name: "init",
  group: "Start",
  summary: "Write a working project: program, settings with guards, pipelines",
  usage: ["[folder] [options]"],
  examples: [
    `${CALLED} init phones`,
    `${CALLED} init phones --stack prod --base-url https://platform.example --pipelines github`,
    `${CALLED} init phones --stacks dev,canary,prod`,
    `${CALLED} init phones --language yaml`,
  ],
  about: `It overwrites nothing: if one of its files exists, it writes nothing at all. In a folder of a git repository, the
pipelines go to the top of the repository, where the host looks for them.`,
  options: {
    ...PROJECT_OPTIONS,
    stacks: {
      type: "string",
      value: "<list>",
      help: "several stacks with commas, in the order in which a change is deployed, such as dev,canary,prod",
    },
    pipelines: {
      type: "string",
      default: "all",
      value: "<list>",
      help: "all, none, or names with commas, such as github; default all",
    },
    json: JSON_OPTION,
  },
  takes: { least: 0, most: 1, rule: "Name one folder." },
  exitCodes: "0 written, 2 wrong arguments: nothing was written",
  page: "docs/guides/first-number.md",
  async run({ values, positionals: [name = "."] }, io) {
    const folder = resolve(io.cwd, name);
    const stacks = readStackNames(values);
    const project = readProjectOptions({ ...values, stack: stacks.at(-1) ?? "dev" }, folder);
    const program =
      project.language === "yaml" ? { "Pulumi.yaml": firstYaml(project.name) } : { "index.ts": firstProgram };
    const settings = { approved: ["agent_front@12"], weightTotal: 100, program: "index.ts" };
    const pipelines = pipelinesIn(folder, values.pipelines, { project: project.name, stacks });
    const ofStacks = stacks.map((stack, index) =>
      stackFiles({ ...project, ...settings, stack, rollouts: firstRollout(stacks[index - 1]) }),
    );
    const there = basename(projectFileIn(folder) ?? "Pulumi.yaml");
    if (there !== "Pulumi.yaml") {
      throw new UsageError(`${there} exists already. Nothing was written; choose another folder.`);
    }
    const files = Object.assign({}, program, projectFiles({ ...project, ...settings }), ...ofStacks, pipelines.files);
    writeNew(folder, files);
    if (values.json) {
      io.stdout.write(jsonText({ folder, stacks, files: Object.keys(files) }));
      return 0;
    }
    const list = Object.keys(files)
      .map((path) => `  ${path}\n`)
      .join("");
    const hasPipelines = Object.keys(pipelines.files).length > 0;
    const next = nextCommands({ ...project, stacks, folder, hasPipelines }, io);
    io.stdout.write(`Written to ${printable(relative(io.cwd, folder) || ".")}:\n\n${list}${pipelines.note}\n${next}`);
    return 0;
  },
});
