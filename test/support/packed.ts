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
  /** Everything of it is below; who asked for it removes it. */
  readonly root: string;
  readonly tarball: string;
  readonly integrity: string;
  readonly size: number;
  readonly files: readonly { readonly path: string; readonly size: number; readonly mode: number }[];
}

/** Builds the sources into a folder of its own and packs that, as a release does from a fresh clone. */
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
  // Types are checked by `npm run check`; here it is about what is written.
  assert.equal(build(["--noCheck"], repository, join(folder, "dist")), undefined);
  return pack(folder, root);
}

/** What `npm run build` left in the repository. */
export const packBuilt = (): Promise<Packed> => pack(repository, newRoot());

const newRoot = (): string => realpathSync(mkdtempSync(join(tmpdir(), "agent-platform-packed-")));

async function pack(cwd: string, root: string): Promise<Packed> {
  const { stdout } = await run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", root], { cwd });
  const [packed] = JSON.parse(stdout) as [Omit<Packed, "tarball" | "root"> & { filename: string }];
  return { ...packed, root, tarball: join(root, packed.filename) };
}

/** A project of a user, without its packages. */
export function writeUser(folder: string, dependencies: Readonly<Record<string, string>> = {}): void {
  const program = `const { NumberAssignment, split } = require("pulumi-agent-platform");
new NumberAssignment("support", { number: "+15550000001", inboundAgents: split({ "agent_front@12": 90, "agent_front@13": 10 }) });`;
  const manifest = { name: "user", private: true, main: "index.js", dependencies };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "Pulumi.yaml"), "name: user\nruntime: nodejs\n");
  writeFileSync(join(folder, "index.js"), program);
}

/** A user's project with the packages that npm installs for it. */
export async function npmInstall(
  folder: string,
  { tarball }: Packed,
  others: Readonly<Record<string, string>>,
): Promise<void> {
  writeUser(folder, { ...others, "pulumi-agent-platform": `file:${tarball}` });
  const quiet = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  await run("npm", ["install", ...quiet], { cwd: folder });
}

/** Its program, applied and taken away by the real engine. */
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

/** Unpacks the tarball into the folder in which a program finds it, beside the packages that npm would have installed with it. */
export async function install({ root, tarball }: Packed): Promise<string> {
  // Not inside the package's own folder: Node would take the package's name for that folder.
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
