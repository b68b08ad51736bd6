import assert from "node:assert/strict";
import { mock } from "node:test";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, it } from "mocha";
import { NumberAssignment } from "../../provider";

describe("an unknown key in the stack's config", () => {
  const newRun = (project: string) =>
    pulumi.runtime.setMocks(
      { newResource: ({ name, inputs }) => ({ id: name, state: inputs as object }), call: ({ inputs }) => inputs },
      project,
    );
  beforeEach(() => newRun("phones"));
  afterEach(() => pulumi.runtime.setAllConfig({}));
  const declare = () => new NumberAssignment("a", { number: "4001", inboundAgents: [] });
  /** What two resources of one program print. */
  function warnings(config: Record<string, string>): unknown[] {
    pulumi.runtime.setAllConfig(config);
    const printed: unknown[] = [];
    const warned = mock.method(process.stderr, "write", (text: string) => printed.push(text));
    declare();
    new NumberAssignment("b", { number: "4002", inboundAgents: [] });
    warned.mock.restore();
    return printed;
  }

  it("rejects an unknown config key and suggests a similar one without quoting its value", () => {
    pulumi.runtime.setAllConfig({
      "agent-platform:baseUrl": "https://platform.example.com",
      "agent-platform:maxshift": "20",
      "agent-platform:frezee": "until Monday",
      "agent-platform:colour": "blue",
      "phones:maxshift": "20",
    });
    const message = [
      "AGP-015 agent-platform:colour, agent-platform:frezee, agent-platform:maxshift are not settings, so nothing reads them.",
      "  Run `pulumi config rm agent-platform:colour`.",
      "  Did you mean agent-platform:freeze? Set that, and run `pulumi config rm agent-platform:frezee`.",
      "  Did you mean agent-platform:maxShift? Set that, and run `pulumi config rm agent-platform:maxshift`.",
    ].join("\n");
    assert.throws(declare, { message });
    // If the program catches it, it is thrown again.
    assert.throws(declare, { message });
  });

  it("rejects a key in a misspelled namespace but not in another package's", () => {
    const slips = ["agentplatform:maxRemove", "agent_platform:freze", "Agent-Platforms:steps"];
    const others = ["agent:maxRemove", "aws:freeze", "agent-platforms:colour", "agent-platform2:baseUrl"];
    void newRun("agent-platform2");
    pulumi.runtime.setAllConfig(Object.fromEntries([...slips, ...others].map((key) => [key, "20"])));
    const message = [
      "AGP-015 Agent-Platforms:steps, agent_platform:freze, agentplatform:maxRemove are not settings, so nothing reads them.",
      "  Did you mean agent-platform:steps? Set that, and run `pulumi config rm Agent-Platforms:steps`.",
      "  Did you mean agent-platform:freeze? Set that, and run `pulumi config rm agent_platform:freze`.",
      "  Did you mean agent-platform:maxRemove? Set that, and run `pulumi config rm agentplatform:maxRemove`.",
    ].join("\n");
    assert.throws(declare, { message });
  });

  it("warns about a guard's name in the project's own namespace", () => {
    const config = {
      "agent-platform:maxRemove": "3",
      "phones:maxRemove": "5",
      "phones:maxShift": "20",
      "phones:freeze": "until Monday",
      "phones:baseUrl": "https://own.example.com",
      "phones:maxshift": "20",
      "aws:maxShift": "1",
    };
    assert.deepEqual(warnings(config), [
      "warning: [runtime] AGP-015 phones:maxShift has no effect as a guard: the setting is called agent-platform:maxShift.\n" +
        "  phones:freeze has no effect as a guard: the setting is called agent-platform:freeze.\n" +
        "  Set agent-platform:maxShift, agent-platform:freeze, unless your program reads phones:maxShift, phones:freeze itself.\n",
    ]);
  });
});
