import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Emulator, startEmulator } from "../../emulator";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { built } from "../support/built";
import { type Config, newStack, type Stack } from "../support/engine";
import { quickStart } from "../support/engineProject";
import { repository } from "../support/repository";
import { type HostServer, withHost } from "./hostServer";
import { transpileOnly } from "./projectFolder";

/**
 * Sets up a Git repository like a team's, with a Pulumi project, the scripts from examples/pipelines and a remote. The
 * project runs with the real Pulumi engine.
 */

const pipelines = join(repository, "examples/pipelines");

export interface TestProject extends Shell {
  readonly emulator: Emulator;
  readonly stack: Stack;
  readonly folder: string;
  /** Writes the program, then commits all changes and pushes them to main. Resolves to the commit's hash. */
  commit(source: string, message: string): Promise<string>;
  /** Runs `pulumi up`, and then clears the requests that the emulator recorded. */
  apply(): Promise<void>;
}

interface Shell {
  /** Runs shell lines as a CI runner does, in order, until one of them fails. */
  job(lines: readonly string[], env?: Env): Promise<{ readonly code: number; readonly output: string }>;
  /** Like `job`, but asserts that every line succeeds. Resolves to the output. */
  passes(lines: readonly string[], env?: Env): Promise<string>;
  git(...args: readonly string[]): Promise<string>;
  read(file: string): string;
}

export type Env = Readonly<Record<string, string>>;

/** Runs a test with a new project and a fake of the GitHub and GitLab APIs. */
export const withTestProject = (config: Config, test: (project: TestProject, host: HostServer) => Promise<void>) =>
  withHost(async (host) => {
    const emulator = await startEmulator();
    const stack = await newStack({ program: "", config: { "agent-platform:baseUrl": emulator.url, ...config } });
    try {
      await test(await layOut(emulator, stack), host);
    } finally {
      await stack.remove();
      await emulator.close();
    }
  });

async function layOut(emulator: Emulator, stack: Stack): Promise<TestProject> {
  const { root, directory: folder, configFile, env } = stack.project;
  const remote = join(root, "origin.git");
  const shell = shellIn(folder, await environment(env));
  const { git, passes } = shell;
  renameSync(configFile, join(folder, "Pulumi.dev.yaml"));
  cpSync(join(pipelines, "scripts"), join(folder, "scripts"), { recursive: true });
  installCli(folder);
  const generated = ["node_modules", "preview*.json", "report.*", "promoted.txt", "board.html"];
  writeFileSync(join(folder, ".gitignore"), `${generated.join("\n")}\n`);
  await git("init", "--quiet", "--bare", "--initial-branch=main", remote);
  await git("--git-dir", remote, "config", "receive.advertisePushOptions", "true");
  await git("init", "--quiet", "--initial-branch=main");
  await git("remote", "add", "origin", remote);
  return {
    ...shell,
    emulator,
    stack,
    folder,
    async commit(source, message) {
      stack.write(source);
      await git("add", "--all");
      await git("commit", "--quiet", "--message", message);
      await git("push", "--quiet", "origin", "HEAD:main");
      return git("rev-parse", "HEAD");
    },
    async apply() {
      const up = 'pulumi up --stack "$STACK" --yes --skip-preview --non-interactive';
      await passes([up], { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token });
      emulator.clearRequests();
    },
  };
}

function shellIn(folder: string, env: Env): Shell {
  const job: Shell["job"] = (lines, extra) =>
    new Promise((resolve, reject) => {
      let output = "";
      const options = { cwd: folder, env: { ...env, ...extra } };
      const child = spawn("sh", ["-e", "-c", lines.join("\n")], options);
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (chunk) => {
          output += chunk;
        });
      }
      child.on("error", reject);
      child.on("close", (code) => resolve({ code: code ?? 1, output }));
    });
  const passes: Shell["passes"] = async (lines, extra) => {
    const { code, output } = await job(lines, extra);
    assert.equal(code, 0, output);
    return output;
  };
  return {
    job,
    passes,
    git: async (...args) => (await passes([`git ${args.map((arg) => `'${arg}'`).join(" ")}`])).trim(),
    read: (file) => readFileSync(join(folder, file), "utf8"),
  };
}

/** Puts our CLI where `npm install` would put it in the project. */
function installCli(folder: string): void {
  const bin = join(folder, "node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  const script = `#!/bin/sh\nexec "${process.execPath}" "${built("cli/main.js")}" "$@"\n`;
  writeFileSync(join(bin, "pulumi-agent-platform"), script, { mode: 0o755 });
}

/**
 * Returns the environment of a CI runner. It doesn't contain the platform's access token, which only some jobs receive.
 */
async function environment(stackEnv: Env): Promise<Env> {
  const { directory } = await findOrInstallEngine();
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(PULUMI_|AGENT_PLATFORM_|GIT|CI$|CI_)/.test(name),
  );
  return {
    ...(Object.fromEntries(inherited) as Record<string, string>),
    ...stackEnv,
    ...quickStart,
    ...transpileOnly,
    PATH: [directory, process.env.PATH].join(delimiter),
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_AUTHOR_NAME: "Kim",
    GIT_AUTHOR_EMAIL: "kim@example.com",
    GIT_COMMITTER_NAME: "Kim",
    GIT_COMMITTER_EMAIL: "kim@example.com",
    PROJECT: "test",
    STACK: "dev",
    STACKS: "dev",
    BRANCH: "main",
  };
}
