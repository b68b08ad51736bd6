import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { repository } from "../support/engine";
import { withPlatformStack } from "../support/platformStack";

const run = promisify(execFile);

/** What a user has after `npm install` of the published tarball: an empty folder elsewhere, and nothing of this repository. */
describe("the packed tarball", () => {
  let root = "";
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "agent-platform-package-")));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  async function pack(): Promise<{ tarball: string; files: string[] }> {
    // Without scripts: `npm test` has built dist before.
    const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", root], {
      cwd: repository,
    });
    const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
    return { tarball: join(root, packed.filename), files: packed.files.map(({ path }) => path) };
  }

  async function install(tarball: string): Promise<string> {
    const project = join(root, "project");
    mkdirSync(project);
    const manifest = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
      devDependencies: Record<string, string>;
    };
    const dependencies = {
      "@pulumi/pulumi": manifest.devDependencies["@pulumi/pulumi"],
      "pulumi-agent-platform": `file:${tarball}`,
    };
    writeFileSync(
      join(project, "package.json"),
      JSON.stringify({ name: "user", private: true, main: "index.js", dependencies }),
    );
    writeFileSync(join(project, "Pulumi.yaml"), "name: user\nruntime: nodejs\n");
    writeFileSync(
      join(project, "index.js"),
      `const { canary, NumberAssignment } = require("pulumi-agent-platform");
       new NumberAssignment("support", { number: "+15550000001", inboundAgents: canary("agent_front@12", "agent_front@13", 10) });`,
    );
    const quiet = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    await run("npm", ["install", ...quiet], { cwd: project });
    return project;
  }

  it("holds what runs and what is read, and works in an empty project elsewhere", async () => {
    const { tarball, files } = await pack();
    const isCode = (path: string) => /^dist\/(provider|emulator|cli)\/.+\.(js|d\.ts|js\.map)$/.test(path);
    const others = files.filter((path) => !isCode(path) && !path.startsWith("examples/pipelines/"));
    assert.deepEqual(others.sort(), [
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "dist/provider/plugin/schema.json",
      "package.json",
      "plugin/pulumi-resource-agent-platform",
      "plugin/pulumi-resource-agent-platform.cmd",
    ]);

    const project = await install(tarball);
    const { stdout } = await run("npx", ["--no-install", "agent-platform", "--version"], { cwd: project });
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
    const exported = `console.log(typeof require("pulumi-agent-platform").createClient, typeof require("pulumi-agent-platform/emulator").startEmulator)`;
    assert.equal((await run(process.execPath, ["-e", exported], { cwd: project })).stdout, "function function\n");

    await withPlatformStack({ existing: project }, async ({ stack, sent, platform }) => {
      await stack.up();
      assert.deepEqual(platform.routing("+15550000001"), {
        inboundAgents: { "agent_front@12": 90, "agent_front@13": 10 },
      });
      assert.equal(sent().length, 1);
      await stack.destroy();
      assert.deepEqual(platform.routing("+15550000001"), { inboundAgents: {} });
    });
  });
});
