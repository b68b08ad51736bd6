import { resolve } from "node:path";
import { CLI, defineCommand } from "../command";
import { PROJECT_OPTIONS, readProjectOptions, writeProject } from "../start/project";

export const initCommand = defineCommand({
  name: "init",
  group: "Start",
  summary: "Create a working project with a program, guarded settings and pipelines",
  usage: ["[folder] [options]"],
  examples: [
    `${CLI} init phones`,
    `${CLI} init phones --stack prod --pipelines github`,
    `${CLI} init phones --stack dev --stack canary --stack prod`,
  ],
  about: `The command never overwrites a file: if one of the files that it creates already exists, it writes nothing at
all. Inside a git repository, the pipelines are written at the repository's root, where the host looks for them.`,
  options: {
    ...PROJECT_OPTIONS,
    pipelines: {
      type: "string",
      default: "all",
      value: "<list>",
      help: "all, none, or a comma-separated list of hosts; default all",
    },
  },
  positionals: { min: 0, max: 1, error: "Pass at most one folder." },
  exitCodes: "0 the project was written; 2 wrong arguments, nothing was written",
  page: "start",
  async run({ values, positionals: [name = "."] }, io) {
    const folder = resolve(io.cwd, name);
    io.stdout.write(writeProject(readProjectOptions(values, folder, io), folder, values.pipelines, io));
    return 0;
  },
});
