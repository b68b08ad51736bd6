import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import type { UpOptions } from "@pulumi/pulumi/automation";
import { type Emulator, startEmulator } from "../../emulator";
import { CommunityVoice, NumberAssignment, NumberGroup, SmsChat } from "../../provider";
import { nameOf } from "../../provider/base/engine";
import { withPlatformStack } from "../support/platformStack";
import { CHAT, VOICE } from "../support/posts";
import { newInlineStack } from "./inlineStack";
import { n } from "./movingNumbers";

/**
 * An inline program counts as done although something in it has failed, and the engine deletes what is not registered. To a provider this
 * looks like a destroy. So what the program sees to fail marks the run, and no delete of it sends anything.
 */

export const lookup = (): never => {
  throw new Error("the lookup failed");
};
export const rejected = async (): Promise<never> => lookup();
export const failing = () => pulumi.output(1).apply(lookup) as pulumi.Output<never>;

/** A resource of another provider, which fails. */
export class Broken extends pulumi.dynamic.Resource {
  constructor(name: string, inputs: object) {
    const create = async (): Promise<never> => {
      throw new Error("an outage");
    };
    super({ create }, name, inputs);
  }
}

export interface Slip {
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
  /** Where the program declares it all. */
  readonly within?: (declare: () => Promise<void>) => unknown;
  readonly up?: UpOptions;
}

const inboundAgents = [{ agentId: "agent_a", weight: 100 }];
/** Of a number that is an output or an extension no process hears before the engine asks for it. */
export const program = (slip: Slip = {}) => {
  const { within = (declare) => declare() } = slip;
  return async () => within(declarations(slip));
};
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
    new SmsChat("chat", { ...CHAT, ...chat?.() }, opts?.());
  };
const NUMBERS = [n(1), n(2), "4001", n(3), n(4)];

export interface InlineRun {
  readonly platform: Emulator;
  readonly inline: Awaited<ReturnType<typeof newInlineStack>>;
}

/** A stack whose inline program has declared everything once. */
export async function withInline(test: (run: InlineRun) => Promise<void>): Promise<void> {
  const platform = await startEmulator();
  const inline = await newInlineStack(platform, "failed", program());
  try {
    await inline.stack.up();
    assert.equal(platform.requests.length, 7);
    await test({ platform, inline });
  } finally {
    inline.remove();
    await platform.close();
  }
}

/** Nothing is sent, and callers have what they had. */
export async function clearsNothing({ platform, inline }: InlineRun, slip: Slip): Promise<void> {
  const before = platform.requests.length;
  inline.write(program(slip));
  const output = await inline.failedUp(slip.up);
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
}

/**
 * A run that continues although a resource of another provider fails. The SDK makes its outputs unknown, so what stands in an `apply` over them is
 * not declared, and the program ends well.
 */
const flags = `
  import * as pulumi from "@pulumi/pulumi";
  import { NumberAssignment, NumberGroup } from "pulumi-agent-platform";
  const broken = (inputs: any) => {
    if (inputs.isBroken) throw new Error("503");
  };
  class Flag extends pulumi.dynamic.Resource {
    declare readonly on: pulumi.Output<boolean>;
    constructor(name: string, isBroken: boolean, opts?: pulumi.CustomResourceOptions) {
      super({
        async create(inputs: any) { broken(inputs); return { id: name, outs: { on: true } }; },
        async diff(_: string, olds: any, news: any) { return { changes: olds.isBroken !== news.isBroken }; },
        async update(_: string, __: any, news: any) { broken(news); return { outs: { on: true, isBroken: news.isBroken } }; },
      }, name, { isBroken, on: undefined }, opts);
    }
  }
  const isBroken = new pulumi.Config().requireBoolean("isBroken");
  const flag = new Flag("flag", isBroken);
  const inboundAgents = { "agent_front@12": 100 };`;

interface Continued {
  readonly program: string;
  readonly numbers: readonly string[];
  /** The resources whose delete waits. */
  readonly waiting: readonly string[];
}

const args = ["--continue-on-error"];

/** Nothing of what the program then does not declare is cleared, and the next run that works sends nothing. */
export const clearsNothingSkipped = ({ program, numbers, waiting }: Continued, packages?: string): Promise<void> =>
  withPlatformStack({ program: flags + program, config: { "test:isBroken": false }, packages }, async (both) => {
    const { stack, platform, sent, sentNothing } = both;
    await stack.up({ args });
    assert.equal(sent().length, numbers.length);
    stack.setConfig({ "test:isBroken": true });
    const { diagnostics } = await stack.up({ args, expectFailure: true });
    sentNothing();
    const told = diagnostics.filter(({ urn, message }) => urn && message.includes("AGP-074"));
    assert.deepEqual(told.map(({ urn }) => nameOf(urn as string)).sort(), waiting);
    for (const number of numbers) {
      assert.deepEqual(platform.routing(number), { inboundAgents: { "agent_front@12": 100 } });
    }
    stack.setConfig({ "test:isBroken": false });
    await stack.up({ args });
    sentNothing();
  });

/** In an apply, in one over all, in a group, over what was skipped, and behind an await. */
export const CONTINUED: Continued = {
  program: `
  const office = new pulumi.ComponentResource("phones:index:Office", "office");
  const inOffice = new Flag("inOffice", isBroken, { parent: office });
  const skipped = new Flag("skipped", false, { dependsOn: [inOffice] });
  new NumberAssignment("always", { number: "4001", inboundAgents });
  flag.on.apply(() => new NumberAssignment("apply", { number: "4002", inboundAgents }));
  pulumi.all([flag.on, "x"]).apply(() => new NumberAssignment("all", { number: "4003", inboundAgents }));
  inOffice.on.apply(() => new NumberGroup("group", { numbers: ["4004", "4005"], inboundAgents }));
  skipped.on.apply(() => new NumberAssignment("skipped", { number: "4006", inboundAgents }));
  module.exports = (async () => {
    // It never goes on if the value stays unknown.
    await new Promise((resolve) => flag.on.apply(resolve));
    new NumberAssignment("awaited", { number: "4007", inboundAgents });
  })();`,
  numbers: ["4001", "4002", "4003", "4004", "4005", "4006", "4007"],
  waiting: ["all", "apply", "awaited", "group", "skipped"],
};
