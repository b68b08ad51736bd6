import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { devDependencies, peerDependencies } from "../../package.json";
import { npmInstall, type Packed, packBuilt } from "../support/packed";
import { platformStack, withPlatformStack } from "../support/platformStack";
import { defineLifecycleTests } from "./everyResource";
import { assertClearsNothing, FAILING_PROGRAMS, runInline } from "./inlineProcess";

const oldest = peerDependencies["@pulumi/pulumi"].replace("^", "");

// All other tests use the newest supported version.
describe(`the oldest supported Pulumi SDK (${oldest})`, () => {
  let packed: Packed;
  let packages = "";
  before(async () => {
    packed = await packBuilt();
    const folder = join(packed.root, "installed");
    // This version of the SDK loads the TypeScript compiler, but npm doesn't install the compiler with the SDK.
    await npmInstall(folder, packed, { "@pulumi/pulumi": oldest, typescript: devDependencies.typescript });
    packages = join(folder, "node_modules");
  });
  after(() => rmSync(packed.root, { recursive: true, force: true }));

  describe("with all resources", () => defineLifecycleTests(() => ({ packages })));

  describe("with the Automation API", () => {
    const opened = platformStack(() => ({ packages }));

    before(async () => {
      const { code, output } = await runInline(opened(), "declare();");
      assert.equal(code, 0, output);
      opened().sent();
    });

    for (const [failure, body] of Object.entries(FAILING_PROGRAMS)) {
      it(`does not unassign numbers if an inline program ${failure}`, () => assertClearsNothing(opened(), body));
    }
  });

  it("does not unassign numbers if the program throws halfway", () =>
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
