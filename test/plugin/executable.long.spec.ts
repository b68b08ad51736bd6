import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { after, before, describe, it } from "mocha";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { executableArchive, pluginArchive } from "../../tools/plugin";
import { root } from "../../tools/reference/declarations";
import { needYaml } from "../support/engine";
import { put, withPlatformStack } from "../support/platformStack";

const run = promisify(execFile);
const NAME = "pulumi-resource-agent-platform";

const program = (plugin: string) => `name: calls
runtime: yaml
packages:
  agent-platform: ${plugin}
resources:
  support:
    type: agent-platform:NumberAssignment
    properties:
      number: "+15551230001"
      inboundAgents: {agent_front@12: 1}
`;

/** The engine's own folder has the CLI and its hosts, and no Node. */
async function pathWithoutNode(): Promise<string> {
  const { directory } = await findOrInstallEngine();
  assert.ok(!existsSync(join(directory, "node")));
  return directory;
}

describe("the plugin on a machine without Node", function () {
  this.timeout(30 * 60_000);
  let folder: string;
  const unpack = async (name: string, archive: Buffer): Promise<string> => {
    const target = join(folder, name);
    mkdirSync(target);
    writeFileSync(join(folder, `${name}.tar.gz`), archive);
    await run("tar", ["xzf", join(folder, `${name}.tar.gz`), "-C", target]);
    return target;
  };
  before(async () => {
    await needYaml();
    folder = realpathSync(mkdtempSync(join(tmpdir(), "agent-platform-executable-test-")));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  async function inProject(plugin: string, test: Parameters<typeof withPlatformStack>[1]): Promise<void> {
    const existing = mkdtempSync(join(folder, "project-"));
    writeFileSync(join(existing, "Pulumi.yaml"), program(plugin));
    await withPlatformStack({ existing, env: { PATH: await pathWithoutNode() } }, test);
  }

  it("runs as one executable, from the first up to destroy", async () => {
    const plugin = await unpack("executable", await executableArchive());
    await inProject(plugin, async ({ stack, sent, sentNothing, platform }) => {
      assert.deepEqual((await stack.up()).changeSummary, { create: 2 });
      assert.deepEqual(
        sent().map(([request]) => request),
        [put("+15551230001")],
      );
      assert.deepEqual((await stack.up()).changeSummary, { same: 2 });
      sentNothing();
      await stack.destroy();
      assert.deepEqual(platform.routing("+15551230001"), { inboundAgents: {} });
    });
    const terms = readFileSync(join(plugin, "THIRD-PARTY-LICENSES.txt"), "utf8");
    assert.match(terms, new RegExp(`^Node\\.js ${process.versions.node.replaceAll(".", "\\.")}$`, "m"));
  });

  it("is told by the launcher what it needs", async () => {
    const plugin = await unpack("launcher", pluginArchive());
    const failed = run(join(plugin, NAME), [], { env: { PATH: await pathWithoutNode() } });
    await assert.rejects(
      failed,
      /^Error: [^\n]*\npulumi-resource-agent-platform needs Node\.js 20\.19 or newer on PATH\.$/m,
    );
  });
});

describe("the release", () => {
  it("makes the executable on each platform that the CLI downloads for", () => {
    const workflow = readFileSync(join(root, ".github/workflows/release.yml"), "utf8");
    const platforms = [...workflow.matchAll(/^ {10}- \{ platform: (\S+), runner: \S+ \}$/gm)].map(([, name]) => name);
    assert.deepEqual(platforms, [
      "linux-amd64",
      "linux-arm64",
      "darwin-amd64",
      "darwin-arm64",
      "windows-amd64",
      "windows-arm64",
    ]);
  });
});
