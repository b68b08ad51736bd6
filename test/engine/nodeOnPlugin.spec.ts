import assert from "node:assert/strict";
import { byTarget, put, withPlatformStack } from "../support/platformStack";
import { named, PLUGIN, withoutIds, withProgram } from "./nodeOnPluginProgram";

const DYNAMIC_TYPE = /^pulumi-nodejs:dynamic\/agent-platform:/;
const PLUGIN_TYPE = /^agent-platform:index:/;

describe("a Node program that moves between the dynamic edge and the plugin", () => {
  it("changes one line, sends nothing, and shows every resource as unchanged, there and back", async () => {
    await withProgram({}, async ({ stack, sent, sentNothing }, _url, sentToSecond) => {
      await stack.up();
      assert.equal(sent().length, 5);
      assert.equal(sentToSecond(), 3);
      const unmoved = { same: 11 };
      // The entry of the explicit provider: its settings have other names.
      const moved = { same: 10, update: 1 };
      for (const [plugin, types, summary] of [
        ["true", PLUGIN_TYPE, moved],
        ["true", PLUGIN_TYPE, unmoved],
        ["false", DYNAMIC_TYPE, moved],
        [undefined, DYNAMIC_TYPE, unmoved],
      ] as const) {
        stack.setConfig({ [PLUGIN]: plugin });
        if (summary === moved) {
          const preview = await stack.preview();
          assert.deepEqual([preview.steps.map(named), preview.changeSummary], [[], moved]);
        }
        const { steps, diagnostics, changeSummary } = await stack.up();
        assert.deepEqual([steps.map(named), changeSummary], [[], summary]);
        // Said by the SDK of the component whose providers have the key of the other edge. Its child has the right provider all the same.
        assert.deepEqual(
          diagnostics.map(({ message }) => message),
          plugin === "true"
            ? ["provider resource map where key pulumi-nodejs doesn't match provider agent-platform"]
            : [],
        );
        sentNothing();
        assert.equal(sentToSecond(), 3);
        for (const { type, name } of stack.resources()) {
          assert.match(type, types, name);
        }
        assert.doesNotMatch(stack.stateText(), /pin-of-the-caller|agent_front/);
      }
    });
  });

  it("refreshes and destroys what the plugin has created", async () => {
    await withProgram({ [PLUGIN]: "true" }, async ({ stack, sent, sentNothing }, _url, sentToSecond) => {
      await stack.up();
      assert.equal(sent().length, 5);
      stack.setConfig({ [PLUGIN]: undefined });
      await stack.up();
      assert.deepEqual((await stack.refresh()).changeSummary, { same: 11 });
      sentNothing();
      await stack.destroy();
      assert.deepEqual(byTarget(sent()).map(withoutIds), [
        ["POST /api/chats/<chat>/end", { workspaceId: 42 }],
        [put("+15551230001"), { inboundAgents: null }],
        [put("+15551230010"), { inboundAgents: null }],
        [put("+15551230011"), { outboundAgentId: null, inboundAgents: null }],
      ]);
      assert.equal(sentToSecond(), 6);
    });
  });

  it("follows the aliases of a program that renames its resources in the same run", async () => {
    const numbers = ["+15551230001", "+15551230002", "+15551230003", "+15551230004"];
    const renamed = (aliases: readonly string[]) => `
      import * as pulumi from "@pulumi/pulumi";
      import { NumberAssignment, split } from "pulumi-agent-platform";
      const inboundAgents = split({ agent_front: 1 });
      const urn = (type: string, name: string) => "urn:pulumi:dev::test::" + type + ":NumberAssignment::" + name;
      const aliases: any[] = [${aliases.join(", ")}];
      ${JSON.stringify(numbers)}.forEach((number, index) => new NumberAssignment(
        (aliases.length ? "new" : "old") + index, { number, inboundAgents }, { aliases: aliases.slice(index, index + 1) },
      ));`;
    const aliases = (type: string) => [
      '{ name: "old0" }',
      `urn("${type}", "old1")`,
      `pulumi.output(urn("${type}", "old2"))`,
      `{ name: "old3", type: "${type}:NumberAssignment" }`,
    ];
    await withPlatformStack({ program: renamed([]), plugin: "named" }, async ({ stack, sent, sentNothing }) => {
      await stack.up();
      assert.equal(sent().length, numbers.length);
      stack.setConfig({ [PLUGIN]: "true" });
      // As the program would name them on its own edge.
      stack.write(renamed(aliases("agent-platform:index")));
      assert.deepEqual((await stack.up()).steps.map(named), []);
      stack.setConfig({ [PLUGIN]: undefined });
      stack.write(renamed(['{ type: "agent-platform:index:NumberAssignment" }']));
      assert.deepEqual((await stack.up()).steps.map(named), []);
      sentNothing();
    });
  });
});
