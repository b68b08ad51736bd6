import { resolve } from "node:path";
import { CALLED, defineCommand } from "../command";
import { PROJECT_OPTIONS, readProjectOptions, writeProject } from "../start/project";

export const initCommand = defineCommand({
  name: "init",
  group: "Start",
  summary: "Write a working project: program, settings with guards, pipelines",
  usage: ["[folder] [options]"],
  examples: [
    `${CALLED} init phones`,
    `${CALLED} init phones --stack prod --pipelines github`,
    `${CALLED} init phones --stack dev --stack canary --stack prod`,
  ],
  about: `It overwrites nothing: if one of its files exists, it writes nothing at all. In a folder of a git repository, the
pipelines go to the top of the repository, where the host looks for them.`,
  options: {
    ...PROJECT_OPTIONS,
    pipelines: {
      type: "string",
      default: "all",
      value: "<list>",
      help: "all, none, or names with commas; default all",
    },
  },
  takes: { least: 0, most: 1, rule: "Name one folder." },
  exitCodes: "0 written, 2 wrong arguments: nothing was written",
  page: "start",
  async run({ values, positionals: [name = "."] }, io) {
    const folder = resolve(io.cwd, name);
    io.stdout.write(writeProject(readProjectOptions(values, folder, io), folder, values.pipelines, io));
    return 0;
  },
});
