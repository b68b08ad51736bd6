import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { devDependencies } from "../package.json";
import { buildAndPack, livesUser, type Packed, run, writeUser } from "./support/packed";

describe("the package as it is published", () => {
  let packed: readonly Packed[] = [];
  before(async () => {
    packed = await Promise.all([buildAndPack(), buildAndPack()]);
  });
  after(() => {
    for (const { root } of packed) {
      rmSync(root, { recursive: true, force: true });
    }
  });

  it("is the same tarball, byte for byte, when it is built again somewhere else", () => {
    const [first, second] = packed.map(({ integrity }) => integrity);
    assert.equal(first, second);
  });

  it("works where npm has installed it, and what it needs", async () => {
    const [{ root, tarball } = assert.fail()] = packed;
    const cwd = join(root, "installed");
    writeUser(cwd, {
      "@pulumi/pulumi": devDependencies["@pulumi/pulumi"],
      "pulumi-agent-platform": `file:${tarball}`,
    });
    const quiet = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    await run("npm", ["install", ...quiet], { cwd });
    const { stdout } = await run("npx", ["--no-install", "pulumi-agent-platform", "--version"], { cwd });
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
    await livesUser(cwd);
  });
});
