import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { before, describe, it } from "mocha";
import { NumberAssignment, NumberGroup, SmsChat, split } from "../../provider";
import { dynamicProvider } from "../../provider/engine/provider";
import { startRun } from "../../provider/engine/world";
import { LIFECYCLES } from "../support/lifecycles";
import { namedIn } from "../support/named";

type Declare = new (name: string, args?: object, opts?: pulumi.CustomResourceOptions) => pulumi.CustomResource;

let registered: Record<string, unknown> = {};
const setMocks = () =>
  pulumi.runtime.setMocks({
    newResource({ name, inputs }) {
      registered = inputs;
      return { id: name, state: inputs };
    },
    call: () => ({}),
  });

async function declare(kind: unknown, args?: unknown, opts?: pulumi.CustomResourceOptions): Promise<void> {
  const { urn } = new (kind as Declare)("a", args as object, opts);
  await new Promise((resolve) => urn.apply(resolve));
}

/** Passes the arguments through the resource class, as a program does, and returns the error messages from `check`. */
async function reasons(kind: unknown, args?: unknown): Promise<string[]> {
  await declare(kind, args);
  const provider = dynamicProvider(LIFECYCLES[(kind as { name: keyof typeof LIFECYCLES }).name] as never, startRun);
  const config = { get: (key: string) => (key === "agent-platform:baseUrl" ? "http://127.0.0.1:9" : undefined) };
  await provider.configure?.({ config } as never);
  const { failures = [] } = (await provider.check?.({}, registered)) ?? {};
  return failures.map(({ reason }) => reason);
}

/** The facts in the error for a number with neither `rollout` nor `inboundAgents`, as `namedIn` returns them. */
const NO_SPLIT = "AGP-002 `rollout` `inboundAgents` `rollout` `inboundAgents` `inboundAgents: []`";
const chat = { agentId: "chat_agent_a", fromNumber: "+15551234566", toNumber: "+15551234567", workspaceId: 42 };

interface Row {
  readonly name: string;
  readonly kind: unknown;
  readonly args?: unknown;
  /**
   * What each refusal must say: either the start of its text after the label, or its code and all of its facts (see
   * `namedIn`).
   */
  readonly refusals: readonly string[];
}

const ROWS: readonly Row[] = [
  { name: "reports missing required arguments", kind: NumberAssignment, refusals: ["number ", NO_SPLIT] },
  {
    name: "reports all mistakes in a resource at once",
    kind: NumberAssignment,
    args: { number: "+44 20", colour: "blue" },
    refusals: ['number ("+44 20") ', "AGP-001 `colour`", NO_SPLIT],
  },
  {
    name: "reports a number without a label",
    kind: NumberGroup,
    args: { numbers: { "+15551000001": "London", "+15551000002": undefined }, inboundAgents: [] },
    refusals: [`numbers["+15551000002"]`],
  },
  {
    name: "reports a missing label even if the numbers are an output",
    kind: NumberGroup,
    // Without this check, the number would silently leave the group, because the SDK drops undefined map entries.
    args: { numbers: pulumi.output(Promise.resolve({ "4001": "London", "4002": undefined })), inboundAgents: [] },
    refusals: [`numbers["4002"]`],
  },
  {
    name: "reports an agent without a weight",
    kind: NumberGroup,
    args: { numbers: ["4001"], inboundAgents: { "agent_a@1": 50, "agent_b@2": undefined } },
    refusals: [`inboundAgents["agent_b@2"]`],
  },
  {
    name: "reports an agent passed to split() without a weight",
    kind: NumberGroup,
    args: { numbers: ["4001"], inboundAgents: split({ "agent_a@1": 50, "agent_b@2": undefined as never }) },
    refusals: ["inboundAgents[1].weight "],
  },
  {
    name: "reports null passed to split()",
    kind: NumberAssignment,
    args: { number: "4001", inboundAgents: split(null as never) },
    refusals: [NO_SPLIT],
  },
  {
    name: "reports a string passed to split()",
    kind: NumberAssignment,
    args: { number: "4001", inboundAgents: split("agent_a" as never) },
    refusals: ["inboundAgents"],
  },
  {
    name: "reports undefined values at any depth",
    kind: NumberGroup,
    args: {
      numbers: ["4001", undefined],
      inboundAgents: [],
      extraFields: { none: null, gone: undefined, outboundAgents: [{ agent_id: "agent_x", weight: undefined }] },
    },
    refusals: [`numbers[1]`, `extraFields.gone`, `extraFields.outboundAgents[0].weight`],
  },
  ...Object.entries({ "a Date": new Date(0), "a Set": new Set(["a"]), "a function": () => 1 }).map(
    ([label, value]) => ({
      name: `reports ${label} in metadata`,
      kind: SmsChat,
      args: { ...chat, metadata: { value, fine: [null, 1, { a: "b" }] } },
      refusals: [`metadata`],
    }),
  ),
  {
    name: "reports a Date in metadata that also contains an output",
    kind: SmsChat,
    args: { ...chat, metadata: { at: new Date(0), voiceId: pulumi.output("voice_1") } },
    refusals: [`metadata`],
  },
  {
    name: "reports a Date in triggers",
    kind: NumberAssignment,
    args: { number: "4001", inboundAgents: [], triggers: [new Date(0)] },
    refusals: [`triggers`],
  },
  {
    name: "accepts undefined optional arguments",
    kind: NumberAssignment,
    args: {
      number: "4001",
      inboundAgents: [{ agentId: "agent_a", agentVersion: undefined, weight: 1 }],
      colour: undefined,
      triggers: { a: undefined },
    },
    refusals: [],
  },
  {
    name: "accepts an undefined metadata entry",
    kind: SmsChat,
    args: { ...chat, metadata: { order: undefined } },
    refusals: [],
  },
];

describe("argument validation", () => {
  before(setMocks);

  for (const { name, kind, args, refusals } of ROWS) {
    it(name, async () => {
      const actual = await reasons(kind, args);
      const starts = actual.map((line, index) => {
        const text = line.replace(/^(AGP-00[12]) \w+ "a"(?: \([^)]*\))?: /, "$1 ");
        const isNamed = refusals[index]?.startsWith("AGP-");
        return isNamed ? namedIn(text) : text.slice("AGP-001 ".length).slice(0, refusals[index]?.length);
      });
      assert.deepEqual(starts, refusals);
    });
  }
});

describe("a resource class", () => {
  before(setMocks);

  const secondProvider = () => new (class extends pulumi.ProviderResource {})("pulumi-nodejs", "second", {});
  const numberArgs = { number: "4001", inboundAgents: [] };
  const namesProvider = /^AGP-001 .*"second"/;
  const team = () => new pulumi.ComponentResource("my:Team", "team", {}, { providers: [secondProvider()] });
  const rows: readonly {
    readonly name: string;
    readonly kind: unknown;
    readonly args: object;
    /** Creates the options while the test runs, because some of them contain resources. */
    readonly opts: () => pulumi.CustomResourceOptions;
    readonly message: RegExp;
  }[] = [
    {
      name: "the `provider` option",
      kind: NumberAssignment,
      args: numberArgs,
      opts: () => ({ provider: secondProvider() }),
      message: namesProvider,
    },
    {
      name: "a provider inherited from a parent",
      kind: NumberAssignment,
      args: numberArgs,
      opts: () => ({ parent: team() }),
      message: namesProvider,
    },
    {
      name: "the `import` option",
      kind: NumberAssignment,
      args: numberArgs,
      opts: () => ({ import: "4001" }),
      message: /^AGP-007 NumberAssignment "a" \(4001\): .*`import` .* `npx pulumi-agent-platform takeover --import`/s,
    },
    {
      name: "the `id` option of a group",
      kind: NumberGroup,
      args: numberArgs,
      opts: () => ({ id: "group-1" }),
      message: /^AGP-007 NumberGroup "a" \(4001\): .*`id` .* `npx pulumi-agent-platform takeover --import`/s,
    },
    {
      name: "the `id` option of a chat",
      kind: SmsChat,
      args: chat,
      opts: () => ({ id: "chat-1" }),
      message: /^AGP-007 SmsChat "a".*adopt: "chat-1"/s,
    },
    {
      name: "an output passed as the `id` option of a chat",
      kind: SmsChat,
      args: chat,
      opts: () => ({ id: pulumi.output("chat-1") }),
      message: /^AGP-007 SmsChat "a".*adopt: "<id>"/s,
    },
  ];
  for (const { name, kind, args, opts, message } of rows) {
    it(`rejects ${name}`, () => {
      const options = opts();
      assert.throws(
        () => new (kind as Declare)("a", args, options),
        (error: Error) =>
          pulumi.RunError.isInstance(error) && message.test(error.message) && error.stack === error.message,
      );
    });
  }
});
