import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { initCommand } from "../../cli/commands/init";
import { type Printed, runWith } from "./terminal";

interface InitCase {
  readonly name: string;
  readonly argv: readonly string[];
  /** Of the repository, by their paths from its top. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Everything that init may say, once. */
export const INIT_CASES: readonly InitCase[] = [
  { name: "one stack, without pipelines", argv: ["my phones", "--pipelines", "none", "--stack", "prod"] },
  { name: "two stacks of a platform", argv: ["--stack", "dev", "--stack", "prod", "--base-url", "https://p.example"] },
  {
    name: "a workspace of pnpm",
    argv: ["infra/phones", "--pipelines", "none"],
    files: { "pnpm-lock.yaml": "" },
  },
  {
    name: "a yarn that Pulumi cannot use",
    argv: ["--pipelines", "none"],
    files: { ".yarnrc.yml": "", "yarn.lock": "" },
  },
  {
    name: "devEngines that stop npx",
    argv: ["infra/phones", "--pipelines", "none"],
    files: { "package.json": '{"devEngines":{"packageManager":{"name":"pnpm","version":"^10.0.0"}}}' },
  },
  {
    name: "a file of GitLab that is there",
    argv: ["phones", "--pipelines", "gitlab"],
    files: { ".gitlab-ci.yml": "" },
  },
  { name: "files that are there", argv: [], files: { "index.ts": "", "tsconfig.json": "" } },
  { name: "a project that is there", argv: [], files: { "Pulumi.yml": "" } },
  { name: "two folders", argv: ["a", "b"] },
  { name: "a strange name of a stack", argv: ["--stack", "../dev"] },
  { name: "a stack twice", argv: ["--stack", "dev", "--stack", "dev"] },
  { name: "a platform without TLS", argv: ["--base-url", "http://p.example"] },
  { name: "pipelines of no host", argv: ["--pipelines", "nope"] },
  { name: "a package that is not there", argv: ["--package", "./gone.tgz"] },
];

/** Runs init in a new repository. */
export async function initIn({ argv, files = {} }: InitCase): Promise<Printed> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "agent-platform-init-")));
  const cwd = join(root, "repository");
  for (const [path, text] of Object.entries({ ".git/HEAD": "", ...files })) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  try {
    return await runWith(initCommand.run, argv, { cwd });
  } finally {
    rmSync(root, { recursive: true });
  }
}
