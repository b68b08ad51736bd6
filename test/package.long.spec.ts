import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { devDependencies } from "../package.json";
import { buildAndPack, livesUser, npmInstall, type Packed, run } from "./support/packed";

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

  it("builds an identical tarball in another folder", () => {
    const [first, second] = packed.map(({ integrity }) => integrity);
    assert.equal(first, second);
  });

  it("can be used after npm installs it with its dependencies", async () => {
    const [one = assert.fail()] = packed;
    const cwd = join(one.root, "installed");
    await npmInstall(cwd, one, { "@pulumi/pulumi": devDependencies["@pulumi/pulumi"] });
    const { stdout } = await run("npx", ["--no-install", "pulumi-agent-platform", "--version"], { cwd });
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
    await livesUser(cwd);
  });
});
