import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { devDependencies, peerDependencies } from "../../package.json";
import { npmInstall, type Packed, packBuilt } from "../support/packed";
import { withPlatformStack } from "../support/platformStack";
import { everyResourceLives } from "./everyResource";
import { CONTINUED, clearsNothingSkipped } from "./failingPrograms";

const oldest = peerDependencies["@pulumi/pulumi"].replace("^", "");

/** The newest one is that of all other tests. */
describe(`the oldest SDK of the peer range, ${oldest}`, () => {
  let packed: Packed;
  let packages = "";
  before(async () => {
    packed = await packBuilt();
    const folder = join(packed.root, "installed");
    // It loads the compiler, which npm does not install with it.
    await npmInstall(folder, packed, { "@pulumi/pulumi": oldest, typescript: devDependencies.typescript });
    packages = join(folder, "node_modules");
  });
  after(() => rmSync(packed.root, { recursive: true, force: true }));

  describe("has resources that", () => everyResourceLives(() => ({ packages })));

  it("clears nothing if another provider failed in a run that continues", () =>
    // This SDK gives the saved outputs of a resource that was skipped, so what stands in an apply over it is declared.
    clearsNothingSkipped({ ...CONTINUED, waiting: CONTINUED.waiting.filter((name) => name !== "skipped") }, packages));

  it("clears nothing if the program fails half-way", () =>
    withPlatformStack({ packages, program: halfway(false) }, async ({ stack, platform, sentNothing, sent }) => {
      await stack.up();
      assert.equal(sent().length, 2);
      stack.write(halfway(true));
      await stack.up({ expectFailure: true });
      sentNothing();
      assert.deepEqual(platform.routing("4002"), { inboundAgents: { agent_a: 100 } });
    }));
});

const halfway = (fails: boolean): string => `
  import { NumberAssignment } from "pulumi-agent-platform";
  new NumberAssignment("first", { number: "4001", inboundAgents: { agent_a: 100 } });
  if (${fails}) throw new Error("the lookup failed");
  new NumberAssignment("second", { number: "4002", inboundAgents: { agent_a: 100 } });`;
