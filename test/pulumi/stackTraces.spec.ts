import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, it } from "mocha";
import { CommunityVoice, NumberAssignment, NumberGroup, SmsChat, split } from "../../provider";

type Options = pulumi.CustomResourceOptions;
interface Registering {
  registerResource(
    request: { getSourceposition(): { getUri(): string; getLine(): number } },
    ...rest: unknown[]
  ): unknown;
}

describe("a resource of the program", () => {
  const useMocks = () =>
    pulumi.runtime.setMocks({ newResource: ({ name, inputs }) => ({ id: name, state: inputs }), call: () => ({}) });
  beforeEach(useMocks);

  const inboundAgents = split({ "agent_front@12": 1 });
  const voice = { workspaceId: 42, voiceProvider: "p", providerVoiceId: "v", voiceName: "Nova", publicUserId: "u" };
  const chat = { workspaceId: 42, agentId: "chat_agent_a", fromNumber: "+15550000001", toNumber: "+15550000002" };
  const kinds: Readonly<Record<string, (name: string, opts?: Options) => pulumi.CustomResource>> = {
    NumberAssignment: (name, opts) => new NumberAssignment(name, { number: "4001", inboundAgents }, opts),
    NumberGroup: (name, opts) => new NumberGroup(name, { numbers: ["4002"], inboundAgents }, opts),
    CommunityVoice: (name, opts) => new CommunityVoice(name, voice, opts),
    SmsChat: (name, opts) => new SmsChat(name, chat, opts),
  };

  /** How many stacks are written down by a call. */
  function tracesOf(call: () => void): number {
    const before = Error.prepareStackTrace;
    let traces = 0;
    Error.prepareStackTrace = (error, frames) => {
      traces += frames.length > 0 ? 1 : 0;
      return before ? before(error, frames) : String(error.stack);
    };
    try {
      call();
    } finally {
      Error.prepareStackTrace = before;
    }
    return traces;
  }

  for (const [kind, declare] of Object.entries(kinds)) {
    it(`takes no stack for each of its outputs, unless open promises are looked for: ${kind}`, async () => {
      const limit = Error.stackTraceLimit;
      // Once for the line that declares it, and for the promises of its registration alone.
      const few = tracesOf(() => declare("few"));
      assert.ok(few <= 5, `${few} stacks`);
      process.env.PULUMI_DEBUG_PROMISE_LEAKS = "true";
      await useMocks();
      const all = tracesOf(() => declare("all"));
      delete process.env.PULUMI_DEBUG_PROMISE_LEAKS;
      assert.ok(all > 30, `${all} stacks`);
      assert.equal(Error.stackTraceLimit, limit);
    });

    it(`that the SDK refuses, points to where it was declared: ${kind}`, () => {
      const limit = Error.stackTraceLimit;
      assert.throws(
        () => declare(""),
        ({ message, stack }: Error) => {
          assert.match(message, /^Missing resource name argument/);
          assert.match(stack?.split("\n")[1] ?? "", new RegExp(`${kind} .*stackTraces\\.spec\\.ts:`));
          return true;
        },
      );
      assert.equal(Error.stackTraceLimit, limit);
    });
  }

  it("says to the engine where it was declared", async () => {
    const monitor = pulumi.runtime.getMonitor() as unknown as Registering;
    const register = monitor.registerResource.bind(monitor);
    const seen: string[] = [];
    monitor.registerResource = (request, ...rest) => {
      const position = request.getSourceposition();
      seen.push(`${position.getUri().split("/").at(-1)}:${position.getLine()}`);
      return register(request, ...rest);
    };
    const here = Number(/stackTraces\.spec\.ts:(\d+)/.exec(String(new Error().stack))?.[1]);
    const { urn } = new NumberAssignment("here", { number: "4001", inboundAgents });
    await new Promise((resolve) => urn.apply(resolve));
    assert.deepEqual(seen, [`stackTraces.spec.ts:${here + 1}`]);
  });
});
