import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageManagerOf } from "../../cli/start/packageManager";
import { projectFolder } from "./projectFolder";

/** The repository's files, keyed by path relative to its root. The project's folder is `infra/phones`. */
type Repository = Readonly<Record<string, string | object>>;

interface Row {
  readonly title: string;
  readonly repository: Repository;
  readonly install: string;
  readonly cleanInstall: string;
  readonly lockFile: string;
}

const npm = { install: "npm install", cleanInstall: "npm ci" };
const pnpm = { install: "pnpm install", cleanInstall: "npx --yes pnpm@10 install --frozen-lockfile" };
const bun = { install: "bun install", cleanInstall: "npx --yes bun@1 install --frozen-lockfile" };
const yarn1 = {
  install: "yarn --cwd ../.. install",
  cleanInstall: "npx --yes yarn@1 --cwd ../.. install --frozen-lockfile",
};
const yarn4 = { install: "yarn install", cleanInstall: "npx --yes @yarnpkg/cli-dist@4 install --immutable" };

const ROWS: readonly Row[] = [
  { title: "defaults to npm in an empty repository", repository: {}, ...npm, lockFile: "package-lock.json" },
  {
    title: "detects npm from a lock file at the repository's root",
    repository: { "package-lock.json": {} },
    ...npm,
    lockFile: "../../package-lock.json",
  },
  {
    title: "detects pnpm from a lock file at the repository's root",
    repository: { "pnpm-lock.yaml": "" },
    ...pnpm,
    lockFile: "../../pnpm-lock.yaml",
  },
  {
    title: "detects pnpm from a lock file in the project's folder",
    repository: { "infra/phones/pnpm-lock.yaml": "" },
    ...pnpm,
    lockFile: "pnpm-lock.yaml",
  },
  { title: "detects bun from a lock file", repository: { "bun.lock": "" }, ...bun, lockFile: "../../bun.lock" },
  {
    title: "detects bun from a bun.lockb file",
    repository: { "bun.lockb": "" },
    ...bun,
    lockFile: "../../bun.lockb",
  },
  {
    title: "detects Yarn 1 from an empty lock file",
    repository: { "yarn.lock": "" },
    ...yarn1,
    lockFile: "../../yarn.lock",
  },
  {
    title: "detects Yarn 4 from a lock file",
    repository: { "yarn.lock": "# yarn\n\n__metadata:\n  version: 8\n" },
    ...yarn4,
    lockFile: "../../yarn.lock",
  },
  {
    title: "detects Yarn 4 from a .yarnrc.yml file",
    repository: { "yarn.lock": "", ".yarnrc.yml": "" },
    ...yarn4,
    lockFile: "../../yarn.lock",
  },
  {
    title: "detects pnpm from a packageManager field with a hash",
    repository: { "package.json": { packageManager: "pnpm@9.15.4+sha512.b2dc20e2fc72b3e18848459b37359a32064663e5" } },
    ...pnpm,
    cleanInstall: "npx --yes pnpm@9.15.4 install --frozen-lockfile",
    lockFile: "../../pnpm-lock.yaml",
  },
  {
    title: "prefers the packageManager field over a .yarnrc.yml file",
    repository: { "package.json": { packageManager: "yarn@1.22.22" }, ".yarnrc.yml": "" },
    ...yarn1,
    cleanInstall: "npx --yes yarn@1.22.22 --cwd ../.. install --frozen-lockfile",
    lockFile: "../../yarn.lock",
  },
  {
    title: "detects Yarn 1 from a lock file in the project's folder",
    repository: { "infra/phones/yarn.lock": "" },
    install: "yarn install",
    cleanInstall: "npx --yes yarn@1 install --frozen-lockfile",
    lockFile: "yarn.lock",
  },
  {
    title: "detects Yarn 3 from the packageManager field",
    repository: { "package.json": { packageManager: "yarn@3.8.7" } },
    ...yarn4,
    cleanInstall: "npx --yes @yarnpkg/cli-dist@3.8.7 install --immutable",
    lockFile: "../../yarn.lock",
  },
  {
    title: "detects bun from devEngines with a version range",
    repository: { "package.json": { devEngines: { packageManager: { name: "bun", version: ">=1.2.0 <2" } } } },
    ...bun,
    lockFile: "../../bun.lock",
  },
  {
    title: "detects pnpm from devEngines with several package managers",
    repository: {
      "package.json": { devEngines: { packageManager: [{ name: "vlt" }, { name: "pnpm", version: "^9.1.0" }] } },
    },
    ...pnpm,
    cleanInstall: "npx --yes pnpm@9 install --frozen-lockfile",
    lockFile: "../../pnpm-lock.yaml",
  },
  {
    title: "detects pnpm from a packageManager field in the project's folder",
    repository: { "infra/phones/package.json": { packageManager: "pnpm@10.0.0" }, "pnpm-lock.yaml": "" },
    ...pnpm,
    cleanInstall: "npx --yes pnpm@10.0.0 install --frozen-lockfile",
    lockFile: "../../pnpm-lock.yaml",
  },
  {
    title: "prefers a lock file over a packageManager field farther up",
    repository: { "infra/package-lock.json": {}, "package.json": { packageManager: "pnpm@10.0.0" } },
    ...npm,
    lockFile: "../package-lock.json",
  },
  {
    title: "prefers the packageManager field over an npm lock file",
    repository: { "package.json": { packageManager: "bun@1.2.2" }, "package-lock.json": {} },
    ...bun,
    cleanInstall: "npx --yes bun@1.2.2 install --frozen-lockfile",
    lockFile: "../../bun.lock",
  },
  {
    title: "detects Yarn from a lock file if package.json is invalid",
    repository: { "package.json": "{", "yarn.lock": "" },
    ...yarn1,
    lockFile: "../../yarn.lock",
  },
  {
    title: "defaults to npm if packageManager names an unknown tool",
    repository: { "package.json": { packageManager: "vlt@1.0.0" } },
    ...npm,
    lockFile: "package-lock.json",
  },
];

describe("a repository's package manager", () => {
  const folder = projectFolder();
  /** Writes the repository's files, and returns the package manager detected for the project's folder. */
  const detect = (repository: Repository) => {
    mkdirSync(join(folder.path, ".git"));
    for (const [path, content] of Object.entries(repository)) {
      mkdirSync(dirname(join(folder.path, path)), { recursive: true });
      writeFileSync(join(folder.path, path), typeof content === "string" ? content : JSON.stringify(content));
    }
    return packageManagerOf(join(folder.path, "infra/phones"));
  };

  for (const { title, repository, ...expected } of ROWS) {
    it(title, () => {
      const { install, cleanInstall, lockFile } = detect(repository);
      assert.deepEqual({ install, cleanInstall, lockFile }, expected);
    });
  }

  it("ignores lock files above the repository", () => {
    writeFileSync(join(folder.path, "../yarn.lock"), "");
    assert.equal(detect({}).name, "npm");
  });

  for (const { name, devEngines, refuses } of [
    {
      name: "warns if devEngines does not allow npm",
      devEngines: { name: "pnpm" },
      refuses: true,
    },
    {
      name: "warns if devEngines sets onFail to error",
      devEngines: { name: "bun", onFail: "error" },
      refuses: true,
    },
    {
      name: "does not warn if devEngines sets onFail to warn",
      devEngines: { name: "pnpm", onFail: "warn" },
      refuses: false,
    },
    {
      name: "does not warn if devEngines allows both pnpm and npm",
      devEngines: [{ name: "pnpm" }, { name: "npm" }],
      refuses: false,
    },
  ]) {
    it(name, () => {
      const { note } = detect({ "package.json": { devEngines: { packageManager: devEngines } } });
      assert.equal(note?.includes("onFail") ?? false, refuses);
    });
  }

  it("warns if Yarn does not use a node_modules folder", () => {
    assert.match(String(detect({ "yarn.lock": "__metadata:\n" }).note), /nodeLinker/);
    writeFileSync(join(folder.path, ".yarnrc.yml"), "nodeLinker: node-modules\n");
    assert.equal(packageManagerOf(folder.path).note, undefined);
  });
});
