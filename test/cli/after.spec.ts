import assert from "node:assert/strict";
import { aftersIn } from "../../cli/report/stacks";
import { parseAfter } from "../../cli/rollout/after";
import { rollouts } from "../../provider/core/routing/rollouts";

/** What promote.after may name, and the stack of this project in it, before which the waiting one is not deployed. */
const NAMES: Record<string, [ReturnType<typeof parseAfter>, string[]]> = {
  canary: [{ folder: undefined, stack: "canary", name: undefined }, ["canary"]],
  "canary:front": [{ folder: undefined, stack: "canary", name: "front" }, ["canary"]],
  "acme/phones/canary": [{ folder: undefined, stack: "acme/phones/canary", name: undefined }, ["canary"]],
  "../desk/canary": [{ folder: "../desk", stack: "canary", name: undefined }, []],
  "../../desk/yaml/canary:front": [{ folder: "../../desk/yaml", stack: "canary", name: "front" }, []],
  "./desk/canary": [{ folder: "./desk", stack: "canary", name: undefined }, []],
  "../canary": [{ folder: "..", stack: "canary", name: undefined }, []],
};

describe("a stack that is to be first", () => {
  for (const [text, [named, ofThisProject]] of Object.entries(NAMES)) {
    it(`may be named as ${text}`, () => {
      assert.deepEqual(parseAfter(text), named);
      const front = { stable: "agent_front@12", promote: { after: text } };
      assert.deepEqual(rollouts.parse({ front }), { front });
      assert.deepEqual(aftersIn({ "agent-platform:rollouts": { front } }), ofThisProject);
    });
  }
});
