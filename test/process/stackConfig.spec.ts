import assert from "node:assert/strict";
import { mock } from "node:test";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, it } from "mocha";
import { NumberAssignment } from "../../provider";
import { noSuchSettings } from "../../provider/config/messages";
import { guardsOfProject } from "../../provider/engine/messages";
import { render } from "../../provider/words/message";

describe("stack config validation", () => {
  const newRun = (project: string) =>
    pulumi.runtime.setMocks(
      { newResource: ({ name, inputs }) => ({ id: name, state: inputs as object }), call: ({ inputs }) => inputs },
      project,
    );
  beforeEach(() => newRun("phones"));
  afterEach(() => pulumi.runtime.setAllConfig({}));
  const declare = () => new NumberAssignment("a", { number: "4001", inboundAgents: [] });
  /** Returns the warnings that a program with two resources prints. */
  function warnings(config: Record<string, string>): unknown[] {
    pulumi.runtime.setAllConfig(config);
    const printed: unknown[] = [];
    const warned = mock.method(process.stderr, "write", (text: string) => printed.push(text));
    declare();
    new NumberAssignment("b", { number: "4002", inboundAgents: [] });
    warned.mock.restore();
    return printed;
  }

  it("rejects an unknown config key and suggests a similar one", () => {
    pulumi.runtime.setAllConfig({
      "agent-platform:baseUrl": "https://platform.example.com",
      "agent-platform:maxshift": "20",
      "agent-platform:frezee": "until Monday",
      "agent-platform:colour": "blue",
      "phones:maxshift": "20",
    });
    const message = render(
      noSuchSettings([
        { key: "agent-platform:colour", meant: undefined },
        { key: "agent-platform:frezee", meant: "agent-platform:freeze" },
        { key: "agent-platform:maxshift", meant: "agent-platform:maxShift" },
      ]),
    );
    assert.throws(declare, { message });
    // Even if the program catches the error, the next resource throws it again.
    assert.throws(declare, { message });
  });

  it("rejects config keys in a misspelled namespace", () => {
    const misspelled = ["agentplatform:maxRemove", "agent_platform:freze", "Agent-Platforms:steps"];
    const others = ["agent:maxRemove", "aws:freeze", "agent-platforms:colour", "agent-platform2:baseUrl"];
    void newRun("agent-platform2");
    pulumi.runtime.setAllConfig(Object.fromEntries([...misspelled, ...others].map((key) => [key, "20"])));
    const message = render(
      noSuchSettings([
        { key: "Agent-Platforms:steps", meant: "agent-platform:steps" },
        { key: "agent_platform:freze", meant: "agent-platform:freeze" },
        { key: "agentplatform:maxRemove", meant: "agent-platform:maxRemove" },
      ]),
    );
    assert.throws(declare, { message });
  });

  it("warns if a guard is set in the project's own namespace", () => {
    const config = {
      "agent-platform:maxRemove": "3",
      "phones:maxRemove": "5",
      "phones:maxShift": "20",
      "phones:freeze": "until Monday",
      "phones:baseUrl": "https://own.example.com",
      "phones:maxshift": "20",
      "aws:maxShift": "1",
    };
    const message = render(guardsOfProject("phones", ["maxShift", "freeze"]));
    assert.deepEqual(warnings(config), [`warning: [runtime] ${message}\n`]);
  });
});
