import assert from "node:assert/strict";
import { built } from "../support/built";
import { failedWith, n } from "../support/movingNumbers";
import { withPlatformStack } from "../support/platformStack";

/** A program that loads two copies of this package, for example because a library of components has its own. */
const program = (body: string): string => `
  const first = require("pulumi-agent-platform");
  for (const file of Object.keys(require.cache)) if (file.startsWith(${JSON.stringify(built(""))})) delete require.cache[file];
  const second = require("pulumi-agent-platform");
  if (first.NumberAssignment === second.NumberAssignment) throw new Error("it is one copy");
  const one = (copy, name, number, more) =>
    new copy.NumberAssignment(name, { number, inboundAgents: [{ agentId: "agent_a", weight: 100 }], ...more });
  ${body}`;

const target = (name: string) => [
  "--target",
  `urn:pulumi:dev::test::pulumi-nodejs:dynamic/agent-platform:NumberAssignment::${name}`,
];

describe("a program with two copies of this package", () => {
  it("clears no number that it declares over one of them in a resource that a run leaves out", async () => {
    const before = program(`one(first, "old", "${n(1)}"); one(second, "other", "${n(2)}");`);
    await withPlatformStack({ program: before }, async ({ stack, sent, sentNothing, platform }) => {
      await stack.up();
      sent();
      stack.write(program(`one(first, "new", "${n(1)}"); one(second, "other", "${n(2)}", { weightTotal: 100 });`));
      const failed = await stack.up({ args: [...target("old"), ...target("other")], expectFailure: true });
      assert.match(
        failedWith(failed).join("\n"),
        /^AGP-074 NumberAssignment "old" .*: delete not sent: the program still declares this number, but this run leaves out its resource/,
      );
      sentNothing();
      assert.deepEqual(platform.routing(n(1)), { inboundAgents: { agent_a: 100 } });
    });
  });
});
