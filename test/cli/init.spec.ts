import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { initCommand } from "../../cli/commands/init";
import { main } from "../../cli/main";
import { pipelineFiles } from "../../cli/start/pipelines";
import { projectName } from "../../cli/start/project";
import * as provider from "../../provider";
import { repository } from "../support/repository";
import { checkRows } from "../support/rows";
import { PHONES } from "./pipelineFiles";
import { projectFolder } from "./projectFolder";
import { runWith } from "./terminal";

/** Returns the printed commands that start with `word`, which can be a regular expression. */
const commandsIn = (stdout: string, word: string): string[] =>
  [...stdout.matchAll(new RegExp(`^  (${word} .*)$`, "gm"))].map(([, command = ""]) => command);

const PROJECT = [
  ".gitignore",
  "AGENTS.md",
  "Pulumi.dev.yaml",
  "Pulumi.yaml",
  "index.ts",
  "package.json",
  "tsconfig.json",
];

describe("agent-platform init", () => {
  const folder = projectFolder();
  const init = (...argv: string[]) => runWith(initCommand.run, argv, { cwd: folder.path });

  it("prints the next steps in at most 80 columns", async () => {
    const { code, stdout, stderr } = await init("my phones", "--pipelines", "none", "--stack", "prod");
    assert.equal(code, 0, stderr);
    assert.deepEqual(
      [...commandsIn(stdout, "cd"), ...commandsIn(stdout, "pulumi"), ...commandsIn(stdout, "AGENT_PLATFORM.*")],
      [
        "cd 'my phones' && npm install",
        "pulumi login --local",
        "pulumi stack init prod",
        "pulumi preview",
        "AGENT_PLATFORM_ACCESS_TOKEN=local-token pulumi up",
      ],
    );
    assert.deepEqual(
      stdout.split("\n").filter((line) => line.length > 80),
      [],
    );
    assert.match(folder.read("my phones/Pulumi.yaml"), /^name: my-phones\n/);
    assert.deepEqual(JSON.parse(folder.read("my phones/package.json")).scripts, {
      check: "tsc --noEmit",
      emulator: "pulumi-agent-platform emulator --port 8080 --token local-token",
    });
  });

  it("avoids export names that the package already uses", () => {
    const names = [
      ...readFileSync(join(repository, "templates/index.ts"), "utf8").matchAll(/^export const (\w+)/gm),
    ].map(([, name = ""]) => name);
    assert.deepEqual(names, ["inboundAgents"]);
    assert.deepEqual(
      names.filter((name) => name in provider),
      [],
    );
  });

  it("gives a new project the tool versions this package is tested with", () => {
    const [ours, theirs] = ["package.json", "templates/package.json"].map((file) =>
      JSON.parse(readFileSync(join(repository, file), "utf8")),
    );
    for (const [tool, version] of Object.entries(theirs.devDependencies)) {
      assert.equal(version, `^${ours.devDependencies[tool]}`);
    }
  });

  it("writes a version to package.json for Yarn 1 workspaces", async () => {
    await init("--pipelines", "none");
    const { private: isPrivate, version } = JSON.parse(folder.read("package.json"));
    assert.equal(isPrivate, true);
    assert.match(version, /^\d+\.\d+\.\d+$/);
  });

  it("writes an AGENTS.md that names only existing files and commands", async () => {
    await init("--pipelines", "none", "--stack", "prod");
    const rules = folder.read("AGENTS.md");
    for (const phrase of ["AGENT_PLATFORM_BYPASS", "edit the guards", "sends an SMS to a person", "--target"]) {
      assert.match(rules.slice(rules.indexOf("## Never")), new RegExp(phrase));
    }
    assert.deepEqual(rules.match(/(?<=`)[\w.*]+\.(?:json|ts|ya?ml)(?=`)/g), ["Pulumi.*.yaml"]);
    assert.ok(
      folder.files().some((path) => /^Pulumi\..+\.yaml$/.test(path)),
      "there is no stack file",
    );
    const sentences = (rules.match(/(?:package's|do not run) .*/g) ?? []).join("\n");
    const commands = [...rules.matchAll(/npx pulumi-agent-platform (\w+)/g), ...sentences.matchAll(/`(\w+)`/g)].map(
      ([, name = ""]) => name,
    );
    assert.deepEqual([...new Set(commands)].sort(), ["abort", "doctor", "probe", "promote", "report", "show"]);
    for (const name of commands) {
      assert.equal((await runWith(main, ["help", name])).code, 0, name);
    }
  });

  it("does not suggest or set up the emulator if a base URL is given", async () => {
    const { code, stdout, stderr } = await init(".", "--base-url", "https://platform.example.com/");
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stdout, /emulator/);
    assert.match(folder.read("Pulumi.dev.yaml"), /^ {2}agent-platform:baseUrl: https:\/\/platform\.example\.com$/m);
    assert.doesNotMatch(folder.read("package.json") + folder.read("Pulumi.dev.yaml"), /emulator/);
  });

  it("inserts the project's name, folder and stacks into the pipelines", () => {
    const project = { name: "voices", stacks: ["qa", "live"], folder: "infra/voices", install: "pnpm install" };
    const files = Object.entries(pipelineFiles("all", project));
    const leftovers = files.filter(([path, content]) => path.includes("phones") || /@\w+@/.test(content));
    assert.deepEqual(leftovers, []);
    const lines = files.flatMap(([path, content]) => content.split("\n").map((line) => `${path}: ${line.trim()}`));
    assert.deepEqual(
      lines.filter((line) =>
        /["'.](voices|infra\/voices|qa|live|pnpm install)\b|-\d\b.*:$/.test(line.replace(/^\S+ /, "")),
      ),
      [
        '.github/workflows/voices.yml: name: "voices"',
        '.github/workflows/voices.yml: paths: ["infra/voices/**"]',
        '.github/workflows/voices.yml: options: ["qa", "live"]',
        '.github/workflows/voices.yml: default: "live"',
        '.github/workflows/voices.yml: FOLDER: "infra/voices"',
        '.github/workflows/voices.yml: STACKS: "qa live"',
        `.github/workflows/voices.yml: STACK: $\{{ inputs.stack || 'live' }}`,
        '.github/workflows/voices.yml: INSTALL: "pnpm install"',
        ".github/workflows/voices.yml: deploy-1:",
        '.github/workflows/voices.yml: stack: "qa"',
        '.github/workflows/voices.yml: folder: "infra/voices"',
        '.github/workflows/voices.yml: install: "pnpm install"',
        ".github/workflows/voices.yml: deploy-2:",
        '.github/workflows/voices.yml: stack: "live"',
        '.github/workflows/voices.yml: folder: "infra/voices"',
        '.github/workflows/voices.yml: install: "pnpm install"',
        '.gitlab-ci.yml: project: "voices"',
        '.gitlab-ci.yml: folder: "infra/voices/"',
        '.gitlab-ci.yml: stacks: "qa live"',
        '.gitlab-ci.yml: install: "pnpm install"',
        '.gitlab-ci.yml: "voices deploy qa":',
        '.gitlab-ci.yml: extends: ".voices deploy"',
        '.gitlab-ci.yml: variables: { DEPLOY: "qa" }',
        '.gitlab-ci.yml: "voices deploy live":',
        '.gitlab-ci.yml: extends: ".voices deploy"',
        '.gitlab-ci.yml: variables: { DEPLOY: "live" }',
        '.gitlab-ci.yml: needs: [{ job: "voices deploy qa", optional: true }]',
      ],
    );
  });

  it("writes a settings file for each of several stacks", async () => {
    const { code, stdout, stderr } = await init(...["dev", "canary", "prod"].flatMap((stack) => ["--stack", stack]));
    assert.equal(code, 0, stderr);
    const stages = pipelineFiles("all", { ...PHONES, stacks: ["dev", "canary", "prod"] });
    const settings = ["canary", "prod"].map((stack) => `Pulumi.${stack}.yaml`);
    assert.deepEqual(folder.files(), [...PROJECT, ...settings, ...Object.keys(stages)].sort());
    // The rollout starts in the first stack only, so it is at 0% in the others. Each stack has its own numbers.
    const later = (index: number) =>
      folder.read("Pulumi.dev.yaml").replace("percent: 10", "percent: 0").replaceAll("+15551230", `+1555123${index}`);
    assert.deepEqual([folder.read("Pulumi.canary.yaml"), folder.read("Pulumi.prod.yaml")], [later(1), later(2)]);
    assert.match(stdout, /^npx pulumi-agent-platform help pipelines$/m);
  });

  it("prints a command that selects the first of several stacks", async () => {
    const { stdout } = await init(...["dev", "prod"].flatMap((stack) => ["--stack", stack]));
    // `pulumi stack init` selects the new stack. Selecting dev again makes it the default for `pulumi up`.
    assert.deepEqual(commandsIn(stdout, "pulumi"), [
      "pulumi login --local",
      "pulumi stack init dev",
      "pulumi stack init prod",
      "pulumi stack select dev",
      "pulumi preview --stack dev",
    ]);
  });

  it("prints commands for the repository's package manager", async () => {
    mkdirSync(join(folder.path, ".git"));
    writeFileSync(join(folder.path, "package.json"), JSON.stringify({ packageManager: "pnpm@10.4.1" }));
    const { stdout } = await init("infra/phones", "--pipelines", "none");
    assert.deepEqual(commandsIn(stdout, "cd"), ["cd infra/phones && pnpm install"]);
    assert.match(stdout, /`pnpm run emulator`/);
    assert.match(stdout, /\.\.\/\.\.\/pnpm-lock\.yaml/);
  });

  it("adds pipelines to a repository without overwriting existing files", async () => {
    mkdirSync(join(folder.path, ".git"));
    writeFileSync(join(folder.path, ".gitlab-ci.yml"), "mine");
    const { code, stdout, stderr } = await init("teams/phones", "--stack", "dev", "--stack", "prod");
    assert.equal(code, 0, stderr);
    assert.ok(
      stdout.includes('\n\ninclude:\n  - local: .gitlab/agent-platform.yml\n    inputs:\n      project: "phones"\n'),
      stdout,
    );
    assert.equal(folder.read(".gitlab-ci.yml"), "mine");
    assert.equal(existsSync(join(folder.path, "teams/phones/scripts/deploy.sh")), true, "scripts/deploy.sh exists");
    const shared = folder.read(".github/workflows/agent-platform-deploy.yml");
    // A second project in the repository gets its own workflow, and reuses the shared ones.
    const second = await init("teams/voices", "--stack", "dev", "--stack", "prod");
    assert.equal(second.code, 0, second.stderr);
    assert.doesNotMatch(second.stdout, /^ {2}\S*\/agent-platform(-deploy)?\.yml$/m);
    assert.equal(folder.read(".github/workflows/agent-platform-deploy.yml"), shared);
    assert.equal(existsSync(join(folder.path, ".github/workflows/voices.yml")), true, "voices.yml exists");
  });

  it("writes no files if a target file already exists", async () => {
    writeFileSync(join(folder.path, "index.ts"), "mine");
    mkdirSync(join(folder.path, "tsconfig.json"));
    assert.equal((await init()).code, 2);
    assert.deepEqual([folder.files(), folder.read("index.ts")], [["index.ts"], "mine"]);
  });

  for (const { name, file, make } of [
    {
      name: "a target file is a dangling link",
      file: "tsconfig.json",
      make: (path: string) => symlinkSync("nowhere", join(path, "tsconfig.json")),
    },
    {
      name: "a target folder is a dangling link",
      file: "scripts/abort.sh",
      make: (path: string) => symlinkSync("nowhere", join(path, "scripts")),
    },
    {
      name: "a target folder is a file",
      file: ".github/workflows/agent-platform-deploy.yml",
      make: (path: string) => writeFileSync(join(path, ".github"), ""),
    },
  ]) {
    it(`writes no files if ${name}`, async () => {
      make(folder.path);
      const before = readdirSync(folder.path, { recursive: true });
      const { code, stderr } = await init();
      assert.equal(code, 2);
      assert.ok(stderr.startsWith(`pulumi-agent-platform init: ${file} `), stderr);
      assert.deepEqual(readdirSync(folder.path, { recursive: true }), before);
    });
  }

  it("rejects a folder that already has a Pulumi.json or Pulumi.yml", async () => {
    for (const file of ["Pulumi.json", "Pulumi.yml"]) {
      writeFileSync(join(folder.path, file), '{ "name": "mine" }');
      assert.equal((await init("--pipelines", "none")).code, 2, file);
      assert.deepEqual(folder.files(), [file]);
      rmSync(join(folder.path, file));
    }
  });

  for (const [problem, ...argv] of [
    ["more than one folder argument", "a", "b"],
    ["an invalid stack name", "--stack", "../dev"],
    ["the same stack twice", "--stack", "dev", "--stack", "dev"],
    ["a base URL that does not use HTTPS", "--base-url", "http://platform.example.com"],
    ["an unknown value for --pipelines", "--pipelines", "nope"],
    ["a package file that does not exist", "--package", "./gone.tgz"],
  ]) {
    it(`rejects ${problem}`, async () => {
      assert.equal((await init(...argv)).code, 2);
      assert.deepEqual(folder.files(), []);
    });
  }

  const names = [
    ["Phones", "phones"],
    ["my phones!", "my-phones"],
    ["../..", "agents"],
    ["agent-platform", "agents"],
  ] as const;
  it("derives a valid project name from the folder's name", () =>
    checkRows(
      names,
      ([name]) => name,
      ([name, expected]) => assert.equal(projectName(name), expected),
    ));
});
