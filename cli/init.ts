import { basename, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { writeNew } from "./init/newFiles";
import { nextCommands } from "./init/next";
import { pipelineFiles } from "./init/pipelines";
import { EMULATOR_URL, firstProgram, projectFiles, projectName, readBaseUrl, readStackName } from "./init/projectFiles";
import { type Command, type Io, printable, processIo, UsageError, withUsage } from "./io";

const usage = `Usage: agent-platform init [dir] [options]

Writes a working project: program, settings with guards, pipelines and .gitignore. It overwrites nothing.

  --stack <name>      the stack whose settings are written; default dev
  --base-url <url>    where the platform answers; default ${EMULATOR_URL}, the emulator
  --pipelines <list>  all, none, or names with commas; default all
  --help              this text
`;

const options = {
  stack: { type: "string", default: "dev" },
  "base-url": { type: "string", default: EMULATOR_URL },
  pipelines: { type: "string", default: "all" },
  help: { type: "boolean", short: "h" },
} as const;

export async function runInit(argv: readonly string[], io: Io): Promise<number> {
  return withUsage("init", io, async () => {
    const { values, positionals } = parseArgs({ args: [...argv], options, strict: true, allowPositionals: true });
    if (values.help) {
      io.stdout.write(usage);
      return 0;
    }
    if (positionals.length > 1) throw new UsageError("Name one folder.");
    const folder = resolve(io.cwd, positionals[0] ?? ".");
    const stack = readStackName(values.stack);
    const baseUrl = readBaseUrl(values["base-url"]);
    const project = projectFiles({
      name: projectName(basename(folder)),
      stack,
      baseUrl,
      approved: ["agent_front@12"],
      weightTotal: 100,
      program: "index.ts",
    });
    const pipelines = pipelineFiles(values.pipelines, stack);
    const files = { "index.ts": firstProgram, ...project, ...pipelines };
    writeNew(folder, files);
    const list = Object.keys(files)
      .map((path) => `  ${path}\n`)
      .join("");
    const hasPipelines = Object.keys(pipelines).length > 0;
    const next = nextCommands({ folder, stack, baseUrl, hasPipelines }, io);
    io.stdout.write(`Written to ${printable(relative(io.cwd, folder) || ".")}:\n\n${list}\n${next}`);
    return 0;
  });
}

export const initCommand: Command = {
  name: "init",
  summary: "Write a working project: program, settings with guards, pipelines",
  run: (argv) => runInit(argv, processIo()),
};
