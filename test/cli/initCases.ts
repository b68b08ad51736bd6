import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { initCommand } from "../../cli/commands/init";
import { type Printed, runWith } from "./terminal";

interface InitCase {
  readonly name: string;
  readonly argv: readonly string[];
  /** The repository's files, keyed by path relative to its root. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A case for each message that init can print. */
export const INIT_CASES: readonly InitCase[] = [
  { name: "one stack, without pipelines", argv: ["my phones", "--pipelines", "none", "--stack", "prod"] },
  {
    name: "two stacks with a base URL",
    argv: ["--stack", "dev", "--stack", "prod", "--base-url", "https://p.example"],
  },
  {
    name: "a pnpm workspace",
    argv: ["infra/phones", "--pipelines", "none"],
    files: { "pnpm-lock.yaml": "" },
  },
  {
    name: "Yarn without node_modules, which Pulumi cannot use",
    argv: ["--pipelines", "none"],
    files: { ".yarnrc.yml": "", "yarn.lock": "" },
  },
  {
    name: "devEngines that keep npx from running",
    argv: ["infra/phones", "--pipelines", "none"],
    files: { "package.json": '{"devEngines":{"packageManager":{"name":"pnpm","version":"^10.0.0"}}}' },
  },
  {
    name: "an existing GitLab pipeline",
    argv: ["phones", "--pipelines", "gitlab"],
    files: { ".gitlab-ci.yml": "" },
  },
  { name: "a file in place of a folder", argv: [], files: { ".github": "" } },
  { name: "existing files", argv: [], files: { "index.ts": "", "tsconfig.json": "" } },
  { name: "an existing project", argv: [], files: { "Pulumi.yml": "" } },
  { name: "two folders", argv: ["a", "b"] },
  { name: "an invalid stack name", argv: ["--stack", "../dev"] },
  { name: "the same stack twice", argv: ["--stack", "dev", "--stack", "dev"] },
  { name: "a base URL without TLS", argv: ["--base-url", "http://p.example"] },
  { name: "pipelines for an unknown host", argv: ["--pipelines", "nope"] },
  { name: "a package file that does not exist", argv: ["--package", "./gone.tgz"] },
];

/** Runs init in a temporary repository that contains only the case's files. */
export async function initIn({ argv, files = {} }: InitCase): Promise<Printed> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "agent-platform-init-")));
  const cwd = join(root, "repository");
  for (const [path, content] of Object.entries({ ".git/HEAD": "", ...files })) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), content);
  }
  try {
    return await runWith(initCommand.run, argv, { cwd });
  } finally {
    rmSync(root, { recursive: true });
  }
}
