import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../../package.json";
import { pluginArchive } from "../../tools/plugin";
import { needYaml, withStack } from "../support/engine";
import { repository } from "../support/repository";

const HEAD = "name: calls\nruntime: yaml\n";
const RESOURCES = `resources:
  support:
    type: agent-platform:NumberAssignment
    properties:
      number: "+15551230001"
      inboundAgents: {agent_front@12: 1}
`;
const FOLDER = "packages:\n  agent-platform: ./node_modules/pulumi-agent-platform/plugin\n";
const CONFIG = { "agent-platform:baseUrl": "https://platform.example.com" };

/** The form that README, the guide, `init` and the example write, and the one for a project without npm. */
describe("the packages section of a Pulumi.yaml", () => {
  let folder: string;
  before(needYaml);
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "agent-platform-packages-")));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const write = (text: string) => writeFileSync(join(folder, "Pulumi.yaml"), text);

  it("is written by `pulumi package add` of the folder in node_modules, and is all that a program needs", async () => {
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(repository, join(folder, "node_modules/pulumi-agent-platform"), "dir");
    write(HEAD);
    await withStack({ existing: folder, config: CONFIG }, async (stack) => {
      const { stdout, stderr } = await stack.run(["package", "add", "./node_modules/pulumi-agent-platform/plugin"]);
      assert.equal(
        stdout.trim(),
        `Successfully generated an SDK for the agent-platform package at ${join(folder, "sdks")}`,
      );
      assert.equal(stderr.trim(), "Added package Agent Platform");
      assert.equal(readFileSync(join(folder, "Pulumi.yaml"), "utf8"), HEAD + FOLDER);
      write(HEAD + FOLDER + RESOURCES);
      // As in a clone: what was generated is in no repository.
      rmSync(join(folder, "sdks"), { recursive: true });
      assert.deepEqual((await stack.preview()).changeSummary, { create: 2 });
    });
  });

  it("downloads a release from its address by `pulumi install`, where there is no npm", async () => {
    const asked: string[] = [];
    const archive = pluginArchive();
    const server = createServer(({ url = "" }, response) => {
      asked.push(url.replace(/-[a-z]+-[a-z0-9]+\.tar\.gz$/, "-<platform>.tar.gz"));
      response.end(archive);
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      write(
        `${HEAD}packages:\n  agent-platform:\n    source: agent-platform\n    version: ${version}\n    pluginDownloadURL: ${address}\n${RESOURCES}`,
      );
      await withStack({ existing: folder, config: CONFIG }, async (stack) => {
        await stack.run(["install"], { env: { PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "false" } });
        assert.deepEqual(asked, [`/pulumi-resource-agent-platform-v${version}-<platform>.tar.gz`]);
        assert.deepEqual((await stack.preview()).changeSummary, { create: 2 });
      });
    } finally {
      server.close();
    }
  });
});
