import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

/** The form that README, the guide, `init` and the example write. */
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
});
