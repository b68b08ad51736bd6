import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { build } from "../../tools/build";
import "./built";
import { withPlatformStack } from "./platformStack";
import { repository } from "./repository";

export const run = promisify(execFile);

export interface Packed {
  /** The temporary folder for the tarball and everything else. The caller must remove it. */
  readonly root: string;
  readonly tarball: string;
  readonly integrity: string;
  readonly size: number;
  readonly files: readonly { readonly path: string; readonly size: number; readonly mode: number }[];
}

/** Builds and packs the package in a temporary folder, as a release does from a fresh clone. */
export async function buildAndPack(): Promise<Packed> {
  const root = newRoot();
  const folder = join(root, "package");
  mkdirSync(folder);
  for (const name of [
    "package.json",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "docs",
    "examples/pipelines",
    "templates",
  ]) {
    cpSync(join(repository, name), join(folder, name), { recursive: true });
  }
  // Skip the type check, which `npm run check` does. These tests are about the files in the package.
  assert.equal(build(["--noCheck"], repository, join(folder, "dist")), undefined);
  return pack(folder, root);
}

/** Packs the repository with its current `dist`. */
export const packBuilt = (): Promise<Packed> => pack(repository, newRoot());

const newRoot = (): string => realpathSync(mkdtempSync(join(tmpdir(), "agent-platform-packed-")));

async function pack(cwd: string, root: string): Promise<Packed> {
  const { stdout } = await run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", root], { cwd });
  const [packed] = JSON.parse(stdout) as [Omit<Packed, "tarball" | "root"> & { filename: string }];
  return { ...packed, root, tarball: join(root, packed.filename) };
}

/** Writes a user's project, without installing its packages. */
export function writeUser(folder: string, dependencies: Readonly<Record<string, string>> = {}): void {
  const program = `const { NumberAssignment, split } = require("pulumi-agent-platform");
new NumberAssignment("support", { number: "+15550000001", inboundAgents: split({ "agent_front@12": 90, "agent_front@13": 10 }) });`;
  const manifest = { name: "user", private: true, main: "index.js", dependencies };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "Pulumi.yaml"), "name: user\nruntime: nodejs\n");
  writeFileSync(join(folder, "index.js"), program);
}

/** Writes a user's project and installs its packages with npm. */
export async function npmInstall(
  folder: string,
  { tarball }: Packed,
  dependencies: Readonly<Record<string, string>>,
): Promise<void> {
  writeUser(folder, { ...dependencies, "pulumi-agent-platform": `file:${tarball}` });
  const quiet = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  await run("npm", ["install", ...quiet], { cwd: folder });
}

/** Deploys and destroys the user's program with the real engine, and asserts that the platform ends up as expected. */
export const livesUser = (existing: string): Promise<void> =>
  withPlatformStack({ existing }, async ({ stack, sent, platform }) => {
    await stack.up();
    assert.deepEqual(platform.routing("+15550000001"), {
      inboundAgents: { "agent_front@12": 90, "agent_front@13": 10 },
    });
    assert.equal(sent().length, 1);
    await stack.destroy();
    assert.deepEqual(platform.routing("+15550000001"), { inboundAgents: {} });
  });

/**
 * Unpacks the tarball into a `node_modules` folder, and adds links to the other packages that a program needs.
 * @returns the folder for a program that uses the package
 */
export async function install({ root, tarball }: Packed): Promise<string> {
  // Don't use the package's own folder: Node would resolve the package's name to that folder.
  const folder = join(root, "consumer");
  const modules = join(folder, "node_modules");
  const target = join(modules, "pulumi-agent-platform");
  mkdirSync(target, { recursive: true });
  await run("tar", ["xzf", tarball, "-C", target, "--strip-components=1"]);
  for (const name of [
    "@pulumi/pulumi",
    "@types/node",
    "csv-parse",
    "got",
    "hpagent",
    "proxy-from-env",
    "yaml",
    "zod",
  ]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(repository, "node_modules", name), join(modules, name), "dir");
  }
  return folder;
}
