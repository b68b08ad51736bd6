import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { UsageError } from "../../errors";
import type { Files } from "../../io";

/** The folder of the package with one folder for each kind of pipeline, whose files have the paths that they get in a project. */
const FOLDER = "examples/pipelines";
/** The folder with the scripts that every kind runs. It has the same name in the project. */
const SHARED = "scripts";

/** The page that says what to set up for them. */
export const PIPELINES_README = `node_modules/pulumi-agent-platform/${FOLDER}/README.md`;

function namesIn(wanted: string, kinds: readonly string[]): readonly string[] {
  if (wanted === "all") {
    return kinds;
  }
  return wanted === "none" ? [] : wanted.split(",");
}

/** `all`, `none`, or names with commas, such as `github`; for one stack. */
export function pipelineFiles(wanted: string, stack: string): Files {
  const folder = join(packageRoot(), FOLDER);
  const kinds = existsSync(folder) ? foldersIn(folder) : [];
  const names = namesIn(wanted, kinds);
  const unknown = names.filter((name) => !kinds.includes(name));
  if (unknown.length > 0) {
    throw new UsageError(`--pipelines takes all, none or some of ${kinds.join(", ")}; not "${unknown.join(", ")}".`);
  }
  if (names.length === 0) {
    return {};
  }
  const own = names
    .flatMap((name) => filesBelow(join(folder, name), ""))
    .map(([path, text]) => [path, forStack(text, stack)] as const);
  return Object.fromEntries([...own, ...filesBelow(join(folder, SHARED), `${SHARED}/`)]);
}

/** Writes the stack's name in place of `prod`. It is quoted, because a name may look like a number. */
const forStack = (text: string, stack: string): string =>
  text
    .replace(/^( +STACK:) prod$/m, (_, key: string) => `${key} ${JSON.stringify(stack)}`)
    .replace(/^( +group: agent-platform-)prod$/m, (_, key: string) => `${key}${stack}`);

/** The package is found by its own name, from the sources and from dist/. */
const packageRoot = (): string => dirname(require.resolve("pulumi-agent-platform/package.json"));

const foldersIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== SHARED)
    .map(({ name }) => name)
    .sort();

function filesBelow(folder: string, prefix: string): [string, string][] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry): [string, string][] => {
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory()) {
      return filesBelow(join(folder, entry.name), `${path}/`);
    }
    return [[path, readFileSync(join(folder, entry.name), "utf8")]];
  });
}
