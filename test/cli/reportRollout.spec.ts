import assert from "node:assert/strict";
import { run } from "./reportSupport";
import { previewOf } from "./reportSynthetic";

const at = (percent: number) => ({
  endpoint: "https://platform.example",
  number: "+1",
  rollout: { stable: "agent_a@1", candidate: "agent_a@2", percent },
  inboundAgents: { "agent_a@1": 100 - percent, "agent_a@2": percent },
});

const preview = (config: Readonly<Record<string, string>>) =>
  previewOf([{ op: "update", kind: "NumberAssignment", name: "support", old: at(10), new: at(50) }], { config });

describe("a gate on the size of a change", () => {
  it("does not block a step of a rollout, which the guard steps has judged", async () => {
    const steps = preview({ "agent-platform:steps": "[1, 10, 50, 100]" });
    assert.equal((await run(["--fail-on", "shift>25"], steps)).exitCode, 0);
  });

  it("blocks the same change without steps", async () => {
    const { exitCode, stderr } = await run(["--fail-on", "shift>25"], preview({}));
    assert.deepEqual([exitCode, stderr], [1, "agent-platform report: shift>25: +1 (support): 40 percentage points\n"]);
  });
});
