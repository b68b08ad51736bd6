import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { type Emulator, startEmulator } from "../../emulator";
import { CommunityVoice, NumberAssignment, NumberGroup, SmsChat } from "../../provider";
import { newInlineStack } from "../support/inlineStack";
import { n } from "../support/movingNumbers";

/**
 * An inline program counts as done although something in it has failed, and the engine deletes what is not registered. To a provider this
 * looks like a destroy. So what the program sees to fail marks the run, and no delete of it sends anything.
 */

const lookup = (): never => {
  throw new Error("the lookup failed");
};
const rejected = async (): Promise<never> => lookup();
const failing = () => pulumi.output(1).apply(lookup) as pulumi.Output<never>;

interface Slip {
  /** An argument of every number. */
  readonly args?: () => object;
  /** An argument of the chat. */
  readonly chat?: () => object;
  readonly opts?: () => pulumi.CustomResourceOptions;
  /** What the program does before it declares anything. */
  readonly first?: () => unknown;
  /** What it does after it has declared the first number. */
  readonly midway?: () => unknown;
  /** What the run says of it. */
  readonly said?: RegExp;
  /** The program does not await its declarations. */
  readonly isForgotten?: boolean;
}

const VOICE = { workspaceId: 42, voiceProvider: "p", providerVoiceId: "v", voiceName: "Nova", publicUserId: "u" };
const inboundAgents = [{ agentId: "agent_a", weight: 100 }];
/** Of a number that is an output or an extension no process hears before the engine asks for it. */
const program = (slip: Slip = {}) => (slip.isForgotten ? async () => void declarations(slip)() : declarations(slip));
const declarations =
  ({ args, chat = args, opts, first, midway }: Slip) =>
  async () => {
    await first?.();
    const routed = () => ({ inboundAgents, ...args?.() });
    new NumberAssignment("output", { number: pulumi.output(n(1)), ...routed() }, opts?.());
    await midway?.();
    new NumberAssignment("second", { number: pulumi.output(n(2)), ...routed() }, opts?.());
    new NumberAssignment("extension", { number: "4001", ...routed() }, opts?.());
    new NumberGroup("group", { numbers: pulumi.output([n(3), n(4)]), ...routed() }, opts?.());
    new CommunityVoice("voice", VOICE, opts?.());
    new SmsChat(
      "chat",
      { workspaceId: 42, agentId: "chat_agent_1", fromNumber: n(8), toNumber: n(9), ...chat?.() },
      opts?.(),
    );
  };
const NUMBERS = [n(1), n(2), "4001", n(3), n(4)];

const SLIPS: Readonly<Record<string, Slip>> = {
  "arguments that reject: a webhook, metadata": {
    args: () => ({ inboundWebhookUrl: rejected() }),
    chat: () => ({ metadata: { a: failing() } }),
  },
  "a transform that throws": { opts: () => ({ transforms: [lookup] }) },
  "a throw after an await": {
    async midway() {
      await new Promise((resolve) => setImmediate(resolve));
      lookup();
    },
  },
  "a promise that the program does not await": {
    midway: () => {
      void rejected();
    },
  },
  "a weight below 0, as an output": {
    args: () => ({ inboundAgents: [{ agentId: "agent_a", weight: pulumi.output(-1) }] }),
    chat: () => ({}),
    // The engine asks about outputs in any order.
    said: /AGP-001 \w+ "\w+".*: inboundAgents\[0\]\.weight \(-1\) must not be negative\./,
  },
  "a promise that it does not await, and in which it declares all": { isForgotten: true, first: rejected },
};

describe("an inline program that fails", () => {
  let platform: Emulator;
  let inline: Awaited<ReturnType<typeof newInlineStack>>;
  before(async () => {
    platform = await startEmulator();
    inline = await newInlineStack(platform, "failed", program());
    await inline.stack.up();
    assert.equal(platform.requests.length, 7);
  });
  after(async () => {
    inline.remove();
    await platform.close();
  });

  for (const [what, slip] of Object.entries(SLIPS)) {
    it(`sends nothing and clears nothing: ${what}`, async () => {
      const before = platform.requests.length;
      inline.write(program(slip));
      const output = await inline.failedUp();
      assert.match(output, slip.said ?? /the lookup failed/);
      assert.deepEqual(
        NUMBERS.map((number) => platform.routing(number)),
        NUMBERS.map(() => ({ inboundAgents: { agent_a: 100 } })),
      );
      assert.deepEqual(
        platform.chats.map(({ ended }) => ended),
        [false],
      );
      assert.equal(platform.requests.length, before);
    });
  }

  it("goes on after that, as if nothing had been", async () => {
    const before = platform.requests.length;
    inline.write(program());
    const { summary } = await inline.stack.up();
    assert.equal(platform.requests.length, before);
    assert.equal(summary.resourceChanges?.same, 7);
  });
});
