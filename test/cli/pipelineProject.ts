import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { parse } from "yaml";
import { type Emulator, startEmulator } from "../../emulator";
import { runChild } from "../../tools/engine/child";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { built } from "../support/built";
import { type Config, newStack, type Stack } from "../support/engine";
import { quickStart } from "../support/engineProject";
import { repository } from "../support/repository";
import { type HostServer, withHost } from "./hostServer";
import { includedPipeline } from "./pipelineFiles";
import { transpileOnly } from "./projectFolder";

/** A team's repository with the pipelines of examples/pipelines in it, a remote, and the real engine. */

const pipelines = join(repository, "examples/pipelines");

interface Job {
  readonly code: number;
  readonly output: string;
}

export interface PipelineProject extends Shell {
  readonly emulator: Emulator;
  readonly stack: Stack;
  readonly folder: string;
  readonly remote: string;
  /** Commits the program with this percentage for the candidate, as a merged pull request does, and pushes it. */
  merge(percent: number): Promise<string>;
  /** Commits a program and pushes it. */
  commit(source: string, message: string): Promise<string>;
  setConfig(config: Config): void;
}

export const program = (percent: number, more = ""): string => `
  import { Config } from "@pulumi/pulumi";
  import { NumberAssignment, split } from "pulumi-agent-platform";
  const triggers = [new Config().get("reassert") ?? ""];
  const inboundAgents = split({ "agent_front@12": ${100 - percent}, "agent_front@13": ${percent} });
  new NumberAssignment("support", { number: "+15550000001", inboundAgents, triggers });
  ${more}`;

interface Options {
  readonly config?: Config;
  readonly more?: string;
  /** Is the project in a folder of its repository? */
  readonly isBelowTop?: boolean;
}

async function withPipeline(
  { config = {}, more = "", isBelowTop = false }: Options,
  test: (project: PipelineProject) => Promise<void>,
): Promise<void> {
  const emulator = await startEmulator();
  const settings = { "agent-platform:baseUrl": emulator.url, ...config };
  const stack = await newStack({ program: program(10, more), config: settings });
  try {
    await test(await layOut(emulator, stack, more, isBelowTop));
  } finally {
    await stack.remove();
    await emulator.close();
  }
}

async function layOut(emulator: Emulator, stack: Stack, more: string, isBelowTop: boolean): Promise<PipelineProject> {
  const { root, directory: folder, configFile } = stack.project;
  const remote = join(root, "origin.git");
  const shell = shellIn(folder, await environment(stack.project.env));
  const { git } = shell;
  const move = () => renameSync(configFile, join(folder, "Pulumi.dev.yaml"));
  move();
  cpSync(join(pipelines, "scripts"), join(folder, "scripts"), { recursive: true });
  installIn(folder);
  writeFileSync(
    join(folder, ".gitignore"),
    "node_modules/\npreview*.json\npromote.json\nabort.json\napplied.json\nreport.json\nreport.md\nboard.html\ndeploy.gitlab-ci.yml\n",
  );
  await startRepository(git, remote, ...(isBelowTop ? [root] : []));
  if (isBelowTop) {
    // What else the test has there is not the team's.
    writeFileSync(join(root, ".gitignore"), "/*\n!/project/\n");
  }

  async function commit(source: string, message: string): Promise<string> {
    stack.write(source);
    await git("add", "--all");
    await git("commit", "--quiet", "--message", message);
    await git("push", "--quiet", "origin", "HEAD:main");
    return git("rev-parse", "HEAD");
  }

  return {
    ...shell,
    emulator,
    stack,
    folder,
    remote,
    merge: (percent) => commit(program(percent, more), `${percent} %`),
    commit,
    setConfig(changes) {
      stack.setConfig(changes);
      move();
    },
  };
}

interface Shell {
  /** Runs shell lines as a runner does: one after the other, and no more after one that fails. */
  job(lines: readonly string[], env?: Readonly<Record<string, string>>): Promise<Job>;
  /** The same for lines that all pass; resolves with what they printed. */
  passes(lines: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>;
  git(...args: readonly string[]): Promise<string>;
  read(file: string): string;
}

function shellIn(folder: string, env: Readonly<Record<string, string>>): Shell {
  const run = (command: string, args: readonly string[], extra: Readonly<Record<string, string>> = {}) =>
    execute(command, args, folder, { ...env, ...extra });
  const job: Shell["job"] = (lines, extra) => run("sh", ["-e", "-c", lines.join("\n")], extra);
  return {
    job,
    async passes(lines, extra) {
      const { code, output } = await job(lines, extra);
      assert.equal(code, 0, output);
      return output;
    },
    async git(...args) {
      const author = ["-c", "user.name=Team", "-c", "user.email=team@example.com"];
      const { code, output } = await run("git", [...author, ...args]);
      if (code !== 0) {
        throw new Error(`git ${args.join(" ")}: ${output}`);
      }
      return output.trim();
    },
    read: (file) => readFileSync(join(folder, file), "utf8"),
  };
}

/** The command as `npm install` puts it into a project. */
function installIn(folder: string): void {
  const bin = join(folder, "node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  const script = `#!/bin/sh\nexec "${process.execPath}" "${built("cli/main.js")}" "$@"\n`;
  writeFileSync(join(bin, "pulumi-agent-platform"), script, { mode: 0o755 });
}

async function startRepository(git: Shell["git"], remote: string, ...top: readonly string[]): Promise<void> {
  await git("init", "--quiet", "--bare", "--initial-branch=main", remote);
  await git("--git-dir", remote, "config", "receive.advertisePushOptions", "true");
  await git("init", "--quiet", "--initial-branch=main", ...top);
  await git("remote", "add", "origin", remote);
}

/** What a runner has: the CLI on PATH, the state's backend, and the token only if a job hands it over. */
async function environment(own: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> {
  const { directory } = await findOrInstallEngine();
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(PULUMI_|AGENT_PLATFORM_|GIT|CI$|CI_)/.test(name),
  );
  return {
    ...(Object.fromEntries(inherited) as Record<string, string>),
    ...own,
    ...quickStart,
    ...transpileOnly,
    PATH: [directory, process.env.PATH].join(delimiter),
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_SYSTEM: "/dev/null",
    PROJECT: "test",
    STACK: "dev",
    STACKS: "dev",
    BRANCH: "main",
  };
}

async function execute(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Job> {
  let output = "";
  const onOutput = (text: string) => {
    output += text;
  };
  const code = await runChild(command, args, { cwd, env, onOutput, signal: new AbortController().signal });
  return { code, output };
}

/** The shell lines of a workflow's job, in their order, without what sets the runner up. */
function linesOf(file: string, job: string): string[] {
  const { jobs } = parse(readFileSync(join(pipelines, "github/.github/workflows", file), "utf8")) as {
    readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
  };
  return (jobs[job]?.steps ?? []).flatMap(({ run }) => (run === undefined || run === "npm ci" ? [] : [run]));
}

/** The lines below `script:` (or another key) of a job of GitLab's file. */
export function gitlabLines(
  job: string,
  key: "script" | "before_script" | "after_script" = "script",
): readonly string[] {
  const files = [".gitlab-ci.yml", ".gitlab/agent-platform.yml"].map((file) => [
    file,
    readFileSync(join(pipelines, "gitlab", file), "utf8"),
  ]);
  const jobs = includedPipeline(Object.fromEntries(files));
  const lines = (jobs[`phones ${job}`] ?? jobs[`.phones ${job}`])?.[key] ?? [];
  return lines.filter((line) => line !== "npm ci");
}

// --- the jobs as their hosts run them: their lines, and the variables that they are given

const number = "+15550000001";

/** The job that a pull request, a merge or a person starts. Three of them are one job, which is told the operation. */
export const workflow = (name: string): string[] =>
  ({
    preview: linesOf("phones-preview.yml", "preview"),
    changes: linesOf("phones.yml", "changes"),
    deploy: linesOf("agent-platform-stack.yml", "deploy"),
    promote: linesOf("phones.yml", "promote"),
  })[name] ?? [`export OPERATION=${name}`, ...linesOf("phones.yml", "operate")];

/** The job of GitLab that a person starts with this operation. */
export const byHand = (operation: string): string[] => [`export OPERATION=${operation}`, ...gitlabLines("operate")];

const failOn = "delete,replace,shift>25";

export const splitOf = ({ emulator }: PipelineProject) => emulator.routing(number)?.inboundAgents;
export const splitAt = (percent: number) => ({ "agent_front@12": 100 - percent, "agent_front@13": percent });

/** What GitHub hands to the steps; the platform's token goes to those that apply, and to no preview. */
export const github = (host: HostServer, { folder, emulator }: PipelineProject) => {
  const base = {
    GITHUB_API_URL: host.url,
    GITHUB_REPOSITORY: "team/phones",
    GITHUB_TOKEN: "ghs",
    GITHUB_SHA: "abc123",
    GITHUB_STEP_SUMMARY: join(folder, "..", "summary.md"),
  };
  return {
    preview: { ...base, PULL_REQUEST: "12", FAIL_ON: failOn },
    deploy: { ...base, EXPECT: "", AGENT_PLATFORM_ACCESS_TOKEN: emulator.token },
  };
};

export const gitlab = (host: HostServer, { emulator }: PipelineProject) => {
  const base = {
    GITLAB_CI: "true",
    GITLAB_TOKEN: "glpat",
    CI_API_V4_URL: host.url,
    CI_PROJECT_ID: "5",
    CI_COMMIT_SHA: "abc123",
    CI_PIPELINE_ID: "77",
    FOLDER: "",
  };
  return {
    preview: { ...base, CI_MERGE_REQUEST_IID: "12", FAIL_ON: failOn },
    deploy: { ...base, AGENT_PLATFORM_ACCESS_TOKEN: emulator.token },
  };
};

export const pipeline = (options: Options, test: (project: PipelineProject, host: HostServer) => Promise<void>) =>
  withHost((host) => withPipeline(options, (project) => test(project, host)));

/** A rollout at 10 %: applied, committed and pushed. The settings are written as a team writes them, in lines. */
export async function rollingOut(project: PipelineProject): Promise<void> {
  const { encryptionsalt, config: settings } = JSON.parse(project.read("Pulumi.dev.yaml"));
  const lines = Object.entries(settings).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`);
  const front =
    "  agent-platform:rollouts:\n    front: # what promote edits\n      stable: agent_front@12\n      candidate: agent_front@13\n      percent: 10";
  const text = `encryptionsalt: ${encryptionsalt}\nconfig:\n${[...lines, front].join("\n")}\n`;
  writeFileSync(join(project.folder, "Pulumi.dev.yaml"), text);
  await project.commit(withRollout, "10 %");
  await project.passes(["sh scripts/up.sh"], { AGENT_PLATFORM_ACCESS_TOKEN: project.emulator.token });
  project.emulator.clearRequests();
}

export const withRollout = `
  import { NumberGroup } from "pulumi-agent-platform";
  new NumberGroup("support", { numbers: ["+15550000001", "+15550000002"], rollout: "front" });`;

/** The stack before the story: applied, and nothing was sent since. */
export async function applied(project: PipelineProject): Promise<void> {
  await project.merge(10);
  await project.passes(["sh scripts/up.sh"], {
    AGENT_PLATFORM_ACCESS_TOKEN: project.emulator.token,
  });
  project.emulator.clearRequests();
}
