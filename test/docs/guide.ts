import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../emulator";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { built } from "../support/built";
import { environment } from "../support/engine";
import { killAll, PATIENCE_MS, processesWith } from "../support/engineProcesses";
import { type Config, newProject, type Project, writeConfig, writeProgram } from "../support/engineProject";
import { inJavaScript } from "../support/transpiled";
import { type Block, blocksOf, fileOf, locationOf, programOf } from "./blocks";

/**
 * Follows a guide from top to bottom as a reader would: writes its programs, runs its commands and compares their
 * output.
 */

/** The emulator's URL in all guides. The tests replace it with the URL of their own emulator. */
const EMULATOR_URL = "http://127.0.0.1:8080";

export interface World {
  readonly platform: Emulator;
  readonly project: Project;
  /** Runs a shell command in the project's folder, and returns its output. With `fails`, the command must fail. */
  run(command: string, options?: { readonly fails?: boolean }): Promise<string>;
  /** Replaces the reader's program. Needed only if no block of the page writes the new program. */
  write(program: string): void;
  /** Replaces a placeholder in all later blocks, as a reader would replace `<…>`. */
  fill(placeholder: string, value: string): void;
}

export type Step = (world: World) => unknown;

export interface GuideOptions {
  readonly emulator?: EmulatorOptions;
  /** The stack's initial settings. */
  readonly config?: Config;
  readonly env?: Readonly<Record<string, string>>;
  /** Maps strings on the page, such as a phone number, to the values that the test uses instead. */
  readonly replacements?: Readonly<Record<string, string>>;
  /** The function to run at each `<!-- step: name -->` comment. The names must be exactly those on the page. */
  readonly steps?: Readonly<Record<string, Step>>;
}

/**
 * Whether `runGuide` uses the block: runs it, writes it to a file, or compares it with output. It ignores all other
 * blocks.
 */
const isStep = ({ language, flags }: Block): boolean =>
  language === "step" || ["program", "edit", "run", "output"].some((flag) => flags.includes(flag)) || hasFile(flags);
const hasFile = (flags: readonly string[]): boolean => flags.some((flag) => flag.startsWith("file="));

export const runnable = (page: string): Block[] => blocksOf(page).filter(isStep);

export async function runGuide(page: string, options: GuideOptions = {}): Promise<void> {
  const { steps = {} } = options;
  const blocks = runnable(page);
  const stepsOnPage = blocks.filter(({ language }) => language === "step").map(({ text }) => text);
  assert.deepEqual(
    Object.keys(steps).sort(),
    [...new Set(stepsOnPage)].sort(),
    `${page}: the test's steps and the page's steps`,
  );
  let output = "";
  const mismatches: string[] = [];
  await withWorld(options, async (world, { toReal, toShown }) => {
    for (const block of blocks) {
      const newOutput = await runBlock(block, world, steps, toReal, output).catch((error: unknown) =>
        failed(block, error),
      );
      output = newOutput ?? output;
      if (block.flags.includes("output")) {
        mismatches.push(...differences(block, toShown(output)));
      }
    }
  });
  // Report all mismatches at once, because a reworded message often appears in several places.
  if (mismatches.length > 0) {
    throw new Error(mismatches.join("\n\n"));
  }
}

/**
 * Tests a runbook. `story` creates the emergency that the page describes. It must run every command line on the page,
 * except those in `notRun`. `command` and `notRun` name a line by a part of it.
 */
export async function runRunbook(
  page: string,
  options: GuideOptions & { readonly notRun?: readonly string[] },
  story: (world: World, command: (text: string, fails?: boolean) => Promise<string>) => Promise<void>,
): Promise<void> {
  const lines = blocksOf(page)
    .filter(({ language }) => language === "sh")
    .flatMap(({ text }) => text.replace(/\\\n\s*/g, "").split("\n"));
  const left = new Set(lines);
  const lineWith = (text: string): string => {
    const line = lines.find((candidate) => candidate.includes(text));
    assert.ok(line !== undefined, `${page} has no command with ${text}`);
    left.delete(line);
    return line;
  };
  (options.notRun ?? []).forEach(lineWith);
  // Runbooks use a stack called `prod`, but the test's stack is called `dev`.
  const replacements = { "--stack prod": "--stack dev", ...options.replacements };
  await withWorld({ ...options, replacements }, (world, { toReal }) =>
    story(world, (text, fails = false) => world.run(toReal(lineWith(text)), { fails })),
  );
  assert.deepEqual([...left], [], `${page}: commands that no test runs`);
}

/** Replaces the values that a page shows, such as its base URL, with the test's real values, and vice versa. */
interface Converters {
  toReal(shown: string): string;
  toShown(real: string): string;
}

async function withWorld(
  options: GuideOptions,
  story: (world: World, converters: Converters) => Promise<void>,
): Promise<void> {
  const platform = await startEmulator({ token: "guide-token", ...options.emulator });
  const engine = await findOrInstallEngine();
  const project = layOut(options, platform, engine.directory);
  const replacements = new Map([[EMULATOR_URL, platform.url], ...Object.entries(options.replacements ?? {})]);
  const env = readersEnvironment(project, platform, engine.directory, options.env ?? {});
  const world: World = {
    platform,
    project,
    run: (command, { fails = false } = {}) => shell(command, project, env, fails),
    write: (program) => writeReadersProgram(project, program),
    fill: (placeholder, value) => void replacements.set(placeholder, value),
  };
  const toReal = (page: string) =>
    [...replacements].reduce((text, [shown, real]) => text.replaceAll(shown, real), page);
  const toShown = (output: string) =>
    normalized([...replacements].reduce((text, [shown, real]) => text.replaceAll(real, shown), output));
  try {
    await story(world, { toReal, toShown });
  } finally {
    killAll(processesWith("PULUMI_HOME", project.env.PULUMI_HOME ?? ""));
    rmSync(project.root, { recursive: true, force: true });
    await platform.close();
  }
}

function failed(block: Block, cause: unknown): never {
  throw new Error(`${locationOf(block)}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
}

/**
 * Runs the command or step in a block, or writes the block's program or file.
 * @param output the output of the last command
 * @returns the output to compare with the next `output` block, or undefined if it hasn't changed
 */
async function runBlock(
  block: Block,
  world: World,
  steps: Readonly<Record<string, Step>>,
  toReal: (shown: string) => string,
  output: string,
): Promise<string | undefined> {
  const file = fileOf(block);
  if (block.language === "step") {
    const result = await steps[block.text]?.(world);
    return typeof result === "string" ? result : undefined;
  }
  if (block.flags.includes("run")) {
    return world.run(toReal(block.text), { fails: block.flags.includes("fails") });
  }
  const program = programOf(block);
  if (program !== undefined) {
    writeReadersProgram(world.project, toReal(program));
  } else if (file?.startsWith("Pulumi.") && !block.text.includes("resources:")) {
    writeStackConfig(world.project, file, toReal(block.text));
  } else if (file !== undefined) {
    writeFileSync(join(world.project.directory, file), toReal(block.text));
  }
  return block.flags.includes("output") ? output : undefined;
}

// --- the reader's project

function layOut({ config = {} }: GuideOptions, platform: Emulator, engine: string): Project {
  const created = newProject({ projectName: "phones" });
  const project = { ...created, configFile: join(created.directory, `Pulumi.${created.stackName}.yaml`) };
  writeConfig(project, { "agent-platform:baseUrl": platform.url, ...config });
  mkdirSync(join(project.root, "bin"));
  const script = (name: string, body: string) =>
    writeFileSync(join(project.root, "bin", name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  script(
    "npx",
    `[ "$1" != --no-install ] || shift\n[ "$1" = pulumi-agent-platform ] || exit 127\nshift\nexec "${process.execPath}" "${built("cli/main.js")}" "$@"`,
  );
  script("pulumi", pulumiScript(join(engine, "pulumi"), project.root));
  return project;
}

/** Returns a script that runs Pulumi as a pipeline would. Each run gets a new folder for temporary files. */
const pulumiScript = (cli: string, root: string): string => `export TMPDIR=$(mktemp -d ${root}/temporary-XXXXXX)
case "$1" in
  preview) set -- "$@" --suppress-progress ;;
  up|refresh|destroy) set -- "$@" --suppress-progress --skip-preview ;;
esac
exec "${cli}" "$@" --non-interactive --color never`;

/**
 * Writes the program with a source map, because messages must refer to lines of the reader's TypeScript and not of the
 * JavaScript that runs.
 */
function writeReadersProgram(project: Project, source: string): void {
  writeProgram(project, source);
  writeFileSync(join(project.directory, "index.js"), inJavaScript(source, "index.ts"));
}

/** Writes the settings that a guide shows. Keeps the stack's encryption salt, which a guide doesn't show. */
function writeStackConfig(project: Project, file: string, yaml: string): void {
  const [, salt = ""] = /encryptionsalt"?: "?([^"\n]+)/.exec(readFileSync(project.configFile, "utf8")) ?? [];
  writeFileSync(join(project.directory, file), `encryptionsalt: ${salt}\n${yaml}\n`);
}

function readersEnvironment(
  project: Project,
  platform: Emulator,
  engine: string,
  more: Readonly<Record<string, string>>,
) {
  return environment(engine, project, {
    PATH: [join(project.root, "bin"), engine, process.env.PATH].join(delimiter),
    PULUMI_STACK: project.stackName,
    NODE_OPTIONS: "--enable-source-maps",
    PULUMI_SKIP_CONFIRMATIONS: "true",
    AGENT_PLATFORM_ACCESS_TOKEN: platform.token,
    ...more,
  });
}

/** Runs a command in bash. Variables that it exports are set for later commands, too, as in a terminal. */
function shell(command: string, project: Project, env: Record<string, string>, fails: boolean): Promise<string> {
  const exportsFile = join(project.root, "exported.sh");
  const script = `exec 2>&1\n[ ! -f ${exportsFile} ] || . ${exportsFile}\ntrap 'export -p > ${exportsFile}' EXIT\n${command}\n`;
  return new Promise((resolve, reject) => {
    const options = { cwd: project.directory, env, timeout: PATIENCE_MS, maxBuffer: 1e8 };
    execFile("bash", ["-euo", "pipefail", "-c", script], options, (error, stdout) => {
      if ((error !== null) === fails) {
        resolve(stdout);
      } else {
        reject(new Error(`${command} ${fails ? "did not fail" : "failed"}:\n${stdout}`));
      }
    });
  });
}

// --- output

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Replaces output that differs between runs, such as times and IDs, with the fixed values in the documentation. */
const normalized = (text: string): string =>
  text
    .replace(UUID, "3f0c9a52-6d1e-4c0b-9a57-1f2e8b7c4d10")
    .replace(/\b\d+\.\d s\b/g, "0.1 s")
    .replace(/\b\d{4}-\d\d-(\d\d) \d\d:\d\d UTC/g, "2026-11-23 09:02 UTC")
    .replace(/\bat: "\d{4}-\d\d-\d\dT[\d:.]+Z"/g, 'at: "2026-11-23T09:02:31.123Z"')
    .replace(/Promote again at [\d-]+ [\d:]+ UTC/g, "Promote again at 2026-11-24 09:02 UTC")
    .replace(/(?:\d+ minutes? ?)?\d+ seconds?\b/g, "1 second")
    .replace(/^( +Duration:|Duration:) .*$/gm, "$1 1s");

function differences(block: Block, output: string): string[] {
  if (block.flags.includes("unordered")) {
    // The engine reports several resources in no fixed order, so only check that each line was printed.
    const printed = linesOf(output);
    const absent = linesOf(block.text).filter((line) => !printed.includes(line));
    return absent.length === 0
      ? []
      : [`${locationOf(block)}: not printed\n${absent.join("\n")}\n--- the output was\n${output}`];
  }
  return isExcerpt(block.text, output)
    ? []
    : [`${locationOf(block)}: the page shows\n${block.text}\n--- but the output was\n${output}`];
}

/** Whether the page shows the output verbatim. A line that contains only `…` matches any number of lines. */
function isExcerpt(shown: string, printed: string): boolean {
  const pattern = linesOf(shown).map((line) => (line === "…" ? "(?:.*\n)*" : `${escaped(line)}\n`));
  return new RegExp(`^${pattern.join("")}$`).test(`${linesOf(printed).join("\n")}\n`);
}

/** Splits text into lines. Drops trailing spaces, and blank lines at the start and end. */
const linesOf = (text: string): string[] =>
  text
    .replace(/^\n+|\s+$/g, "")
    .split("\n")
    .map((line) => line.trimEnd());

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
