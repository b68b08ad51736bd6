import assert from "node:assert/strict";
import { byTarget, withPlatformStack } from "../support/platformStack";
import { named, PLUGIN, program, withoutIds, withProgram } from "./nodeOnPluginProgram";

describe("a Node program on the plugin", () => {
  it("sends what it sends on the dynamic edge: created, changed, replaced and destroyed", async () => {
    const onEdge: Record<string, unknown> = {};
    for (const plugin of ["false", "true"]) {
      await withProgram({ [PLUGIN]: plugin }, async ({ stack, sent }, url, sentToSecond) => {
        const requests = () => [byTarget(sent()).map(withoutIds), sentToSecond()];
        await stack.up();
        const created = requests();
        stack.write(program(url, { percent: 50, pool: ["+15551230011", "+15551230012"], voiceName: "Stella" }));
        const { diagnostics } = await stack.up();
        const said = diagnostics.flatMap(({ message }) => /AGP-.*/.exec(message) ?? []).sort();
        const changed = requests();
        await stack.destroy();
        onEdge[plugin] = { created, changed, said, destroyed: requests() };
      });
    }
    assert.deepEqual(onEdge.true, onEdge.false);
    const { said, ...runs } = onEdge.true as Record<string, readonly [readonly unknown[], number]>;
    assert.deepEqual(
      Object.values(runs).map(([requests, toSecond]) => [requests.length, toSecond]),
      [
        [5, 3],
        [4, 3],
        [4, 6],
      ],
    );
    assert.equal(said?.length, 3);
  });

  it("updates without a request what a plugin saved that kept no text of the provider", async () => {
    const one = `import { NumberAssignment, split } from "pulumi-agent-platform";
      new NumberAssignment("support", { number: "+15551230001", inboundAgents: split({ agent_front: 1 }) });`;
    const config = { [PLUGIN]: "true" };
    await withPlatformStack({ program: one, plugin: "named", config }, async ({ stack, sent, sentNothing }) => {
      await stack.up();
      sent();
      stack.import(JSON.parse((await stack.exportText()).replace(/"__provider": "[^\n]*",/, "")));
      assert.doesNotMatch(stack.stateText(), /__provider/);
      stack.setConfig({ [PLUGIN]: undefined });
      assert.deepEqual((await stack.up()).steps.map(named), ["update support"]);
      assert.deepEqual((await stack.up()).steps.map(named), []);
      sentNothing();
      await stack.destroy();
      assert.equal(sent().length, 1);
    });
  });
});
