import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { devDependencies } from "../package.json";
import { buildAndPack, livesUser, npmInstall, type Packed, run } from "./support/packed";

describe("the published package", () => {
  let packed: readonly Packed[] = [];
  before(async () => {
    packed = await Promise.all([buildAndPack(), buildAndPack()]);
  });
  after(() => {
    for (const { root } of packed) {
      rmSync(root, { recursive: true, force: true });
    }
  });

  it("builds the same tarball in two different folders", () => {
    const [first, second] = packed.map(({ integrity }) => integrity);
    assert.equal(first, second);
  });

  it("works in a project after `npm install`", async () => {
    const [first = assert.fail()] = packed;
    const cwd = join(first.root, "installed");
    await npmInstall(cwd, first, { "@pulumi/pulumi": devDependencies["@pulumi/pulumi"] });
    const { stdout } = await run("npx", ["--no-install", "pulumi-agent-platform", "--version"], { cwd });
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
    await livesUser(cwd);
  });
});
