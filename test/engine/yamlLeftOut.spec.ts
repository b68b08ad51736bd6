import assert from "node:assert/strict";
import { describe, it } from "mocha";
import type { Result, YamlProgram } from "../support/engine";
import { ref } from "../support/engineProject";
import { withPlatformStack } from "../support/platformStack";

const NUMBER = "+15551230001";
const desk = { type: "agent-platform:NumberAssignment", properties: { number: "4001", inboundAgents: { agent_a: 1 } } };
const support = {
  type: "agent-platform:NumberGroup",
  properties: { numbers: { [NUMBER]: "London" }, inboundAgents: { agent_front: 1 } },
};
/** A key of the project's config, as `init` writes it. The output of the resource is then one of the config's value. */
const program = (resources: object, more: object = {}): YamlProgram => ({
  config: { numbers: { type: "object" } },
  resources,
  ...more,
});
const rest = { numbers: { "+15551230002": "Berlin" }, inboundAgents: { agent_new: 1 } };
const config = { "test:numbers": { inboundAgents: {} } };

const errorsOf = ({ diagnostics }: Result): string[] =>
  diagnostics.flatMap(({ severity, message }) => {
    const [, text] = /(AGP-[\s\S]*?)\s*$/.exec(message) ?? [];
    return severity === "error" && text !== undefined ? [text] : [];
  });

const KEY = '"numbers": it has the name of a key of the config: rename the resource or the key.';
const REMEDY =
  "Change the file so that Pulumi runs it, then rerun. Until then no number is cleared and no chat is ended.";
const refusal = (reason: string, who = "") =>
  `AGP-077 ${who === "" ? "" : `${who}: delete not sent: `}Pulumi leaves out a part of the program's file.\n  ${reason}\n  ${REMEDY}`;

describe("a resource in YAML that Pulumi leaves out", () => {
  it("is refused at preview if another one of ours stays, and its delete sends nothing, also in a destroy", async () => {
    const start = { program: program({ support, desk }), config };
    await withPlatformStack(start, async ({ stack, platform, sent, sentNothing }) => {
      await stack.up();
      sent();
      const isKept = () => {
        sentNothing();
        assert.deepEqual(platform.routing(NUMBER)?.inboundAgents, { agent_front: 1 });
      };
      stack.write(program({ numbers: support, desk }, { outputs: { split: ref("numbers.inboundAgents") } }));
      assert.deepEqual(errorsOf(await stack.preview({ expectFailure: true })), [refusal(KEY)]);
      assert.deepEqual(errorsOf(await stack.up({ expectFailure: true })), [refusal(KEY)]);
      isKept();
      // No resource is left that the engine would ask the provider to check.
      stack.write(program({ numbers: support }, { outputs: { split: ref("numbers.inboundAgents") } }));
      const group = 'NumberGroup "support"';
      for (const run of [stack.up, stack.destroy]) {
        const errors = errorsOf(await run({ expectFailure: true }));
        assert.ok(errors.includes(refusal(KEY, group)), errors.join("\n"));
        isKept();
      }
      stack.write(program({ desk, support: { ...support, type: "NumberGroup" } }));
      const type = '"support": the type of "support" has no package: write it, as in agent-platform:NumberGroup.';
      assert.ok(errorsOf(await stack.up({ expectFailure: true })).includes(refusal(type)));
      isKept();
      // A blank value of a map: the number would lose its agents, or the other agent get all calls.
      for (const [argument, key] of [
        ["numbers", NUMBER],
        ["inboundAgents", "agent_front"],
      ] as const) {
        const blank = { ...support.properties, [argument]: { [key]: null, ...rest[argument] } };
        stack.write(program({ support: { ...support, properties: blank }, desk }));
        const reason = `"support": ${argument}.${key} has no value: write one, or remove the key.`;
        assert.deepEqual(errorsOf(await stack.up({ expectFailure: true })), [refusal(reason)]);
        isKept();
      }
      stack.write(program({ lines: support, desk }));
      await stack.up();
      assert.deepEqual(platform.routing(NUMBER)?.inboundAgents, { agent_front: 1 });
      sent();
      await stack.destroy();
      assert.deepEqual(platform.routing(NUMBER)?.inboundAgents, {});
    });
  });
});
