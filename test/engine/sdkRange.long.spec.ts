import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { devDependencies, peerDependencies } from "../../package.json";
import { npmInstall, type Packed, packBuilt } from "../support/packed";
import { platformStack, withPlatformStack } from "../support/platformStack";
import { everyResourceLives } from "./everyResource";
import { clearsNothing, FAILING, runInline } from "./inlineProcess";

const oldest = peerDependencies["@pulumi/pulumi"].replace("^", "");

/** The newest one is that of all other tests. */
describe(`the oldest supported Pulumi SDK (${oldest})`, () => {
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

  describe("with all resources", () => everyResourceLives(() => ({ packages })));

  describe("with the Automation API", () => {
    const life = platformStack(() => ({ packages }));

    before(async () => {
      const { code, output } = await runInline(life(), "declare();");
      assert.equal(code, 0, output);
      life().sent();
    });

    for (const [what, body] of Object.entries(FAILING)) {
      it(`does not unassign numbers if an inline program ${what}`, () => clearsNothing(life(), body));
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
