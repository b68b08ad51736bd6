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
import { type Block, blocksOf, fileOf, programOf, where } from "./blocks";

/** A guide, gone through from top to bottom as a reader would: its programs written, its commands run, its outputs compared. */

/** Where the first guide tells the reader to start the emulator. All guides go on with it, so what they show works as it is typed. */
const EMULATOR = "http://127.0.0.1:8080";

export interface World {
  readonly platform: Emulator;
  readonly project: Project;
  /** Runs a command of the shell in the project's folder; resolves with what it printed. */
  run(command: string, options?: { readonly fails?: boolean }): Promise<string>;
  /** The next version of the program, if a page does not show it. */
  write(program: string): void;
  /** Replaces texts of the page's later blocks, as a reader does with `<…>`. */
  fill(placeholder: string, value: string): void;
}

export type Step = (world: World) => unknown;

export interface GuideOptions {
  readonly emulator?: EmulatorOptions;
  /** What the reader has done before: settings of the stack. */
  readonly config?: Config;
  readonly env?: Readonly<Record<string, string>>;
  /** What is used in place of what the page names: addresses. */
  readonly filled?: Readonly<Record<string, string>>;
  /** What is done at the comments `<!-- step: name -->`. Each must be on the page. */
  readonly steps?: Readonly<Record<string, Step>>;
}

/** Steps of a page, in order; those that are only shown are left out. */
const isStep = ({ language, flags }: Block): boolean =>
  language === "step" || ["program", "edit", "run", "output"].some((flag) => flags.includes(flag)) || hasFile(flags);
const hasFile = (flags: readonly string[]): boolean => flags.some((flag) => flag.startsWith("file="));

export const runnable = (page: string): Block[] => blocksOf(page).filter(isStep);

export async function runGuide(page: string, options: GuideOptions = {}): Promise<void> {
  const { steps = {} } = options;
  const blocks = runnable(page);
  const named = blocks.filter(({ language }) => language === "step").map(({ text }) => text);
  assert.deepEqual(Object.keys(steps).sort(), [...new Set(named)].sort(), `${page}: its steps, and those of the test`);
  let output = "";
  const different: string[] = [];
  await withWorld(options, async (world, { there, back }) => {
    for (const block of blocks) {
      const done = await take(block, world, steps, there, output).catch((error: unknown) => failed(block, error));
      output = done ?? output;
      if (block.flags.includes("output")) {
        different.push(...differences(block, back(output)));
      }
    }
  });
  // All at once: one change of a message shows in several places.
  if (different.length > 0) {
    throw new Error(different.join("\n\n"));
  }
}

/**
 * A runbook shows commands for a night call, and no program: the test makes the situation, and runs the lines of the page in it. `command`
 * runs the line that holds a text. Each line is run, but for those that the test names.
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
    const line = lines.find((one) => one.includes(text));
    assert.ok(line !== undefined, `${page} has no command with ${text}`);
    left.delete(line);
    return line;
  };
  (options.notRun ?? []).forEach(lineWith);
  // A runbook names the stack `prod`; the reader has `dev`.
  const filled = { "--stack prod": "--stack dev", ...options.filled };
  await withWorld({ ...options, filled }, (world, { there }) =>
    story(world, (text, fails = false) => world.run(there(lineWith(text)), { fails })),
  );
  assert.deepEqual([...left], [], `${page}: commands that no test runs`);
}

/** From what a page shows to what is there, and back. */
interface Texts {
  there(text: string): string;
  back(text: string): string;
}

async function withWorld(options: GuideOptions, story: (world: World, texts: Texts) => Promise<void>): Promise<void> {
  const platform = await startEmulator({ token: "guide-token", ...options.emulator });
  const engine = await findOrInstallEngine();
  const project = layOut(options, platform, engine.directory);
  const filled = new Map([[EMULATOR, platform.url], ...Object.entries(options.filled ?? {})]);
  const env = readersEnvironment(project, platform, engine.directory, options.env ?? {});
  const world: World = {
    platform,
    project,
    run: (command, { fails = false } = {}) => shell(command, project, env, fails),
    write: (program) => writeReadersProgram(project, program),
    fill: (placeholder, value) => void filled.set(placeholder, value),
  };
  const there = (text: string) => [...filled].reduce((all, [shown, real]) => all.replaceAll(shown, real), text);
  const back = (text: string) => normal([...filled].reduce((all, [shown, real]) => all.replaceAll(real, shown), text));
  try {
    await story(world, { there, back });
  } finally {
    killAll(processesWith("PULUMI_HOME", project.env.PULUMI_HOME ?? ""));
    rmSync(project.root, { recursive: true, force: true });
    await platform.close();
  }
}

function failed(block: Block, cause: unknown): never {
  throw new Error(`${where(block)}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
}

/** Does what a block says; resolves with what a command printed. */
async function take(
  block: Block,
  world: World,
  steps: Readonly<Record<string, Step>>,
  there: (text: string) => string,
  output: string,
): Promise<string | undefined> {
  const file = fileOf(block);
  if (block.language === "step") {
    const done = await steps[block.text]?.(world);
    return typeof done === "string" ? done : undefined;
  }
  if (block.flags.includes("run")) {
    return world.run(there(block.text), { fails: block.flags.includes("fails") });
  }
  const program = programOf(block);
  if (program !== undefined) {
    writeReadersProgram(world.project, there(program));
  } else if (file?.startsWith("Pulumi.") && !block.text.includes("resources:")) {
    writeStackConfig(world.project, file, there(block.text));
  } else if (file !== undefined) {
    writeFileSync(join(world.project.directory, file), there(block.text));
  }
  return block.flags.includes("output") ? output : undefined;
}

// --- the project of the reader

function layOut({ config = {} }: GuideOptions, platform: Emulator, engine: string): Project {
  const made = newProject({ projectName: "phones" });
  const project = { ...made, configFile: join(made.directory, `Pulumi.${made.stackName}.yaml`) };
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

/**
 * As a pipeline runs it: no questions, no colours, no dots, no second preview before an update, and a folder for temporary files that no
 * run before it had.
 */
const pulumiScript = (cli: string, root: string): string => `export TMPDIR=$(mktemp -d ${root}/temporary-XXXXXX)
case "$1" in
  preview) set -- "$@" --suppress-progress ;;
  up|refresh|destroy) set -- "$@" --suppress-progress --skip-preview ;;
esac
exec "${cli}" "$@" --non-interactive --color never`;

/** Messages name a line of what the reader has written, so a map leads there from the JavaScript that runs. */
function writeReadersProgram(project: Project, source: string): void {
  writeProgram(project, source);
  writeFileSync(join(project.directory, "index.js"), inJavaScript(source, "index.ts"));
}

/** A guide shows the settings alone; the key of the stack's secrets stays. */
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

/** What one block exports, the next ones see. */
function shell(command: string, project: Project, env: Record<string, string>, fails: boolean): Promise<string> {
  const saved = join(project.root, "exported.sh");
  const text = `exec 2>&1\n[ ! -f ${saved} ] || . ${saved}\ntrap 'export -p > ${saved}' EXIT\n${command}\n`;
  return new Promise((resolve, reject) => {
    const options = { cwd: project.directory, env, timeout: PATIENCE_MS, maxBuffer: 1e8 };
    execFile("bash", ["-euo", "pipefail", "-c", text], options, (error, stdout) => {
      if ((error !== null) === fails) {
        resolve(stdout);
      } else {
        reject(new Error(`${command} ${fails ? "did not fail" : "failed"}:\n${stdout}`));
      }
    });
  });
}

// --- outputs

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** What differs from run to run. */
const normal = (text: string): string =>
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
    // What the engine prints of several resources comes in no order that could be shown.
    const printed = linesOf(output);
    const absent = linesOf(block.text).filter((line) => !printed.includes(line));
    return absent.length === 0 ? [] : [`${where(block)}: not printed\n${absent.join("\n")}\n--- but\n${output}`];
  }
  return isExcerpt(block.text, output)
    ? []
    : [`${where(block)}: shown is\n${block.text}\n--- and printed was\n${output}`];
}

/** Whether a page shows what was printed: word for word; a line that holds `…` alone matches any lines. */
function isExcerpt(shown: string, printed: string): boolean {
  const pattern = linesOf(shown).map((line) => (line === "…" ? "(?:.*\n)*" : `${escaped(line)}\n`));
  return new RegExp(`^${pattern.join("")}$`).test(`${linesOf(printed).join("\n")}\n`);
}

/** Without what no reader sees: blank lines around the text, blanks at the end of a line. */
const linesOf = (text: string): string[] =>
  text
    .replace(/^\n+|\s+$/g, "")
    .split("\n")
    .map((line) => line.trimEnd());

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
