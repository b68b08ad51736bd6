import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, it } from "mocha";
import { AgentPlatform, NumberAssignment, NumberGroup, split } from "../../provider";

/** The program's half: what a resource refuses when it is constructed, before the engine has heard of it. */
describe("a number in one program", () => {
  // Each run has a monitor of its own.
  beforeEach(() =>
    pulumi.runtime.setMocks({
      newResource: ({ name, inputs }) => ({ id: name, state: inputs }),
      call: ({ inputs }) => inputs,
    }),
  );

  const inboundAgents = split({ "agent_front@12": 1 });
  const number = "+15551234567";
  const twice = (first: string, second: string) => ({
    message: `AGP-003 number ${number} is declared twice under the same account: by "${first}" and by "${second}". Remove one of them: the last PUT would win, run after run.`,
  });

  it("is declared by one assignment alone", () => {
    new NumberAssignment("a", { number, inboundAgents });
    assert.throws(() => new NumberAssignment("b", { number, inboundAgents }), twice("a", "b"));
  });

  it("is declared by an assignment or by a group, as a list or with labels", () => {
    new NumberGroup("group", { numbers: ["4001", number], inboundAgents });
    assert.throws(() => new NumberAssignment("one", { number, inboundAgents }), twice("group", "one"));
    assert.throws(
      () => new NumberGroup("other", { numbers: { [number]: "London" }, inboundAgents }),
      twice("group", "other"),
    );
  });

  it("may be declared once for each account, and again in another run", async () => {
    const second = new AgentPlatform("second", { baseUrl: "https://platform.example.com", accessTokenEnv: "TOKEN" });
    new NumberAssignment("a", { number, inboundAgents });
    new NumberAssignment("b", { number, inboundAgents }, { provider: second });
    assert.throws(() => new NumberAssignment("c", { number, inboundAgents }, { provider: second }), twice("b", "c"));
    await pulumi.runtime.setMocks({
      newResource: ({ name, inputs }) => ({ id: name, state: inputs }),
      call: () => ({}),
    });
    new NumberAssignment("a", { number, inboundAgents });
  });

  it("that is not known while the program is built is not judged", () => {
    const output = pulumi.output(number);
    new NumberAssignment("a", { number: output, inboundAgents });
    new NumberAssignment("b", { number: output, inboundAgents });
    new NumberGroup("c", { numbers: pulumi.output([number]), inboundAgents });
  });
});

describe("an explicit provider", () => {
  it("takes exactly one of a token and the name of its variable", () => {
    const baseUrl = "https://platform.example.com";
    const message =
      'AGP-013 AgentPlatform "second": give exactly one of accessToken and accessTokenEnv. An explicit provider never takes the token of the environment.';
    assert.throws(() => new AgentPlatform("second", { baseUrl }), { message });
    assert.throws(() => new AgentPlatform("second", { baseUrl, accessToken: "t", accessTokenEnv: "T" }), { message });
  });

  it("marks its token as a secret, whatever it was given as", async () => {
    const seen: Record<string, unknown>[] = [];
    await pulumi.runtime.setMocks({
      newResource: ({ name, inputs }) => {
        seen.push(inputs);
        return { id: name, state: inputs };
      },
      call: () => ({}),
    });
    const { urn } = new AgentPlatform("second", { baseUrl: "https://platform.example.com", accessToken: "plain" });
    await new Promise((resolve) => urn.apply(resolve));
    const marked = seen[0]?.["agent-platform:accessToken"];
    assert.deepEqual(marked, {
      "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
      value: "plain",
    });
  });
});
