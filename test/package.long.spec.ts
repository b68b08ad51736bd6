import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { devDependencies } from "../package.json";
import { buildAndPack, install, livesUser, type Packed, run, writeUser } from "./support/packed";
import { repository } from "./support/repository";

describe("the package as it is published", () => {
  let packed: readonly Packed[] = [];
  let consumer: string;
  before(async () => {
    const [first, second] = await Promise.all([buildAndPack(), buildAndPack()]);
    packed = [first, second];
    consumer = await install(first);
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

  for (const [module, moduleResolution, ...files] of [
    ["commonjs", "node10", "use.ts"],
    ["nodenext", "nodenext", "use.cts", "use.mts"],
  ] as const) {
    it(`compiles with every declaration checked, with moduleResolution ${moduleResolution}, without esModuleInterop: ${files.join(", ")}`, async () => {
      const entries = ["pulumi-agent-platform", "pulumi-agent-platform/emulator", "pulumi-agent-platform/handlers"];
      const program = entries.map((entry, index) => `export * as of${index} from "${entry}";\n`).join("");
      for (const file of files) {
        writeFileSync(join(consumer, file), program);
      }
      const options = [
        "--noEmit",
        "--strict",
        "--target",
        "ES2022",
        "--module",
        module,
        "--moduleResolution",
        moduleResolution,
      ];
      const tsc = join(repository, "node_modules/typescript/bin/tsc");
      const { stdout } = await run(process.execPath, [tsc, ...options, "--types", "node", ...files], { cwd: consumer });
      assert.equal(stdout, "");
    });
  }

  it("works where npm has installed it, and what it needs", async () => {
    const [{ root, tarball } = assert.fail()] = packed;
    const cwd = join(root, "installed");
    writeUser(cwd, {
      "@pulumi/pulumi": devDependencies["@pulumi/pulumi"],
      "pulumi-agent-platform": `file:${tarball}`,
    });
    const quiet = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    await run("npm", ["install", ...quiet], { cwd });
    const { stdout } = await run("npx", ["--no-install", "agent-platform", "--version"], { cwd });
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
    await livesUser(cwd);
  });
});
