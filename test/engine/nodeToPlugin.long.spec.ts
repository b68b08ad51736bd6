import assert from "node:assert/strict";
import { byTarget, put } from "../support/platformStack";
import { named, PLUGIN, program, withoutIds, withProgram } from "./nodeOnPluginProgram";

const DYNAMIC = "pulumi-nodejs:dynamic/agent-platform";
const OF_PLUGIN = "agent-platform:index";
const TYPES = { [DYNAMIC]: /^pulumi-nodejs:dynamic\/agent-platform:/, [OF_PLUGIN]: /^agent-platform:index:/ } as const;

const renamedNumbers = ["+15551230021", "+15551230022", "+15551230023", "+15551230024"];

/** Four numbers whose resources are renamed while they move. */
const renamed = (name: string, aliases: readonly string[]) => `
  const urn = (type: string, name: string) => "urn:pulumi:dev::test::" + type + ":NumberAssignment::" + name;
  const aliases: any[] = [${aliases.join(", ")}];
  ${JSON.stringify(renamedNumbers)}.forEach((number, index) => new NumberAssignment(
    "${name}" + index, { number, inboundAgents: split({ agent_desk: 1 }) }, { aliases: aliases.slice(index, index + 1) },
  ));`;

/** As the program would name them on the edge to which it moves. */
const onPlugin = renamed("new", [
  '{ name: "old0" }',
  `urn("${OF_PLUGIN}", "old1")`,
  `pulumi.output(urn("${OF_PLUGIN}", "old2"))`,
  `{ name: "old3", type: "${OF_PLUGIN}:NumberAssignment" }`,
]);
const onDynamic = renamed("new", [`{ type: "${OF_PLUGIN}:NumberAssignment" }`]);

/** What the plugin creates. */
const made = `
  new NumberAssignment("made", { number: "+15551230031", inboundAgents: split({ agent_desk: 1 }) });
  new NumberGroup("mades", { numbers: ["+15551230032"], inboundAgents: split({ agent_desk: 1 }) });
  new SmsChat("made", { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15551230001", toNumber: "+15551238888" });`;

describe("a Node program that moves between the dynamic edge and the plugin", () => {
  it("changes one line, sends nothing, shows every resource as unchanged, there and back, and follows aliases", async () => {
    await withProgram({}, async ({ stack, sent, sentNothing }, url, sentToSecond) => {
      const write = (...more: readonly string[]) => stack.write(program(url) + more.join("\n"));
      /** Said by the SDK of the component whose providers have the key of the other edge. Its child has the right provider all the same. */
      const saysOn = (plugin: string) =>
        plugin === "true"
          ? ["provider resource map where key pulumi-nodejs doesn't match provider agent-platform"]
          : [];
      const are = (type: keyof typeof TYPES) => {
        for (const resource of stack.resources()) {
          assert.match(resource.type, TYPES[type], resource.name);
        }
        assert.doesNotMatch(stack.stateText(), /pin-of-the-caller|agent_front/);
      };
      const moves = async (plugin: string, count: number) => {
        stack.setConfig({ [PLUGIN]: plugin });
        const preview = await stack.preview();
        const { steps, diagnostics, changeSummary } = await stack.up();
        // The entry of the explicit provider: its settings have other names.
        for (const one of [preview, { steps, changeSummary }]) {
          assert.deepEqual([one.steps.map(named), one.changeSummary], [[], { same: count, update: 1 }]);
        }
        assert.deepEqual(
          diagnostics.map(({ message }) => message),
          saysOn(plugin),
        );
        sentNothing();
        assert.equal(sentToSecond(), 3);
      };

      write(renamed("old", []));
      await stack.up();
      assert.deepEqual([sent().length, sentToSecond()], [9, 3]);
      write(onPlugin);
      await moves("true", 14);
      are(OF_PLUGIN);

      write(onPlugin, made);
      const { changeSummary } = await stack.up();
      assert.deepEqual([changeSummary, sent().length, sentToSecond()], [{ same: 15, create: 3 }, 3, 3]);

      write(onDynamic, made);
      await moves("false", 17);
      are(DYNAMIC);

      stack.setConfig({ [PLUGIN]: undefined });
      assert.deepEqual((await stack.up({ args: ["--refresh"] })).changeSummary, { same: 18 });
      are(DYNAMIC);
      sentNothing();

      await stack.destroy();
      const cleared = (number: string, more = {}) => [put(number), { ...more, inboundAgents: null }];
      assert.deepEqual(byTarget(sent()).map(withoutIds), [
        ["POST /api/chats/<chat>/end", { workspaceId: 42 }],
        ["POST /api/chats/<chat>/end", { workspaceId: 42 }],
        cleared("+15551230001"),
        cleared("+15551230010"),
        cleared("+15551230011", { outboundAgentId: null }),
        ...renamedNumbers.map((number) => cleared(number)),
        cleared("+15551230031"),
        cleared("+15551230032"),
      ]);
      assert.equal(sentToSecond(), 6);
    });
  });
});
