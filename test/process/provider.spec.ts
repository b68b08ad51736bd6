import assert from "node:assert/strict";
import { mock } from "node:test";
import type { dynamic } from "@pulumi/pulumi";
import { describe, it } from "mocha";
import { dynamicProvider } from "../../provider/engine/provider";
import { startRun } from "../../provider/engine/world";
import { numberAssignment } from "../../provider/numbers/lifecycle";
import { namedIn } from "../support/named";
import { urnOf } from "../support/providerCalls";
import type { DynamicProvider } from "../support/providers";

const url = "http://127.0.0.1:9";
const __provider = "the provider's text";
const __urn = urnOf("numberAssignment", "line");
const inputs = { __provider, __urn, number: "4001", inboundAgents: { agent_a: 1 }, endpoint: url };

function configured(config: Readonly<Record<string, string>>): DynamicProvider {
  const handler = dynamicProvider(numberAssignment, startRun);
  const get = (key: string) => config[key];
  void handler.configure({ config: { get, require: get } as dynamic.Config });
  return handler;
}

/** Returns everything that these calls write to standard error. */
async function printed(calls: () => Promise<void>): Promise<unknown[]> {
  const texts: unknown[] = [];
  const write = mock.method(process.stderr, "write", (text: unknown) => texts.push(text) > 0);
  await calls().finally(() => write.mock.restore());
  return texts;
}

const validConfig = { "agent-platform:baseUrl": url, "agent-platform:accessToken": "an-access-token" };

describe("the dynamic provider", () => {
  it("rejects a secret argument without quoting its value", async () => {
    const { failures } = await configured(validConfig).check(
      {},
      { __urn, number: "+1 hush", inboundAgents: "hush", secretArguments: ["number", "inboundAgents"] },
    );
    assert.deepEqual(
      failures?.map(({ property, reason }) => [property, namedIn(reason)]),
      [["", 'AGP-001 NumberAssignment "line" inboundAgents']],
    );
    assert.doesNotMatch(JSON.stringify(failures), /hush/);
  });

  it("reports invalid settings on every call except `configure`", async () => {
    const handler = configured({ ...validConfig, "agent-platform:requestTimeout": "none" });
    const { failures } = await handler.check({}, inputs);
    const message = failures?.[0]?.reason ?? "";
    assert.equal(namedIn(message), "AGP-015 agent-platform:requestTimeout 0 86400");
    assert.deepEqual(failures, [{ property: "", reason: message }]);
    for (const call of [
      () => handler.diff("4001", inputs, inputs),
      () => handler.create(inputs),
      () => handler.update("4001", inputs, inputs),
      () => handler.read("4001", inputs),
      () => handler.delete("4001", inputs),
    ]) {
      await assert.rejects(call, (error: Error) => error.message === message && error.stack === message);
    }
  });

  it("rejects a delete before `configure` is called", async () => {
    const handler = dynamicProvider(numberAssignment, startRun);
    await assert.rejects(
      () => handler.delete("4001", inputs),
      (error: Error) => error.message.startsWith("AGP-010 "),
    );
  });

  it("returns the saved state unchanged on refresh", async () => {
    const props = {
      ...inputs,
      previousInboundAgents: { agent_b: 1 },
      unapplied: [{ numbers: "4001\n", reason: "unknown" }],
    };
    await printed(async () =>
      assert.deepEqual(await configured(validConfig).read("4001", props), { id: "4001", props }),
    );
  });

  it("overwrites the endpoint with the configured base URL", async () => {
    const { inputs: checked } = await configured(validConfig).check(
      {},
      {
        __provider,
        __urn,
        number: "4001",
        inboundAgents: [],
        outboundAgentId: null,
        endpoint: "https://another.example",
      },
    );
    assert.deepEqual(checked, { __urn, number: "4001", inboundAgents: {}, outboundAgentId: null, endpoint: url });
  });
});
