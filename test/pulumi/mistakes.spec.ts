import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, it } from "mocha";
import { NumberAssignment, NumberGroup, SmsChat, split } from "../../provider";

type Declare = new (name: string, args?: object, opts?: pulumi.CustomResourceOptions) => pulumi.CustomResource;

/** Without an engine no one hears of more than one resource: the first one with mistakes throws. */
const UNDEFINED = "is undefined: write its value, or remove its key.";

describe("mistakes in arguments, under mocks", () => {
  beforeEach(() =>
    pulumi.runtime.setMocks({ newResource: ({ name, inputs }) => ({ id: name, state: inputs }), call: () => ({}) }),
  );
  const declare = (kind: unknown, args?: object, opts?: pulumi.CustomResourceOptions) =>
    new (kind as Declare)("a", args, opts);

  const NoSplit = "nothing says who answers: both arguments are missing or blank.";
  const refused: readonly (readonly [kind: unknown, args: object | undefined, ...mistakes: string[]])[] = [
    [NumberAssignment, undefined, "number must be given.", NoSplit],
    [
      NumberAssignment,
      { number: "+44 20", colour: "blue" },
      'number ("+44 20") starts with `+`',
      "has no argument `colour`: remove it.",
      NoSplit,
    ],
    [
      NumberGroup,
      { numbers: { "+15551000001": "London", "+15551000002": undefined }, inboundAgents: [] },
      `numbers["+15551000002"] ${UNDEFINED}`,
    ],
    [
      NumberGroup,
      { numbers: ["4001"], inboundAgents: { "agent_a@1": 50, "agent_b@2": undefined } },
      `inboundAgents["agent_b@2"] ${UNDEFINED}`,
    ],
    [
      NumberGroup,
      {
        numbers: ["4001"],
        inboundAgents: split({ "agent_a@1": 50, "agent_b@2": undefined as unknown as number }),
      },
      "inboundAgents[1].weight must be given.",
    ],
    [
      NumberGroup,
      {
        numbers: ["4001", undefined],
        inboundAgents: [],
        extraFields: { none: null, gone: undefined, outboundAgents: [{ agent_id: "agent_x", weight: undefined }] },
      },
      `numbers[1] ${UNDEFINED}`,
      `extraFields.gone ${UNDEFINED}`,
      `extraFields.outboundAgents[0].weight ${UNDEFINED}`,
    ],
    [
      SmsChat,
      {
        agentId: "chat_agent_a",
        fromNumber: "+15551234566",
        toNumber: "+15551234567",
        metadata: { at: new Date(0), list: [{ day: new Date(0) }], seen: new Set(["a"]), fine: [null, 1, { a: "b" }] },
      },
      "metadata must be JSON: texts, numbers, lists and maps; write a Date as text, with toISOString().",
    ],
  ];
  for (const [kind, args, ...mistakes] of refused) {
    it(`are thrown all at once: ${(kind as { name: string }).name} ${JSON.stringify(args)}`, () => {
      const isNamed = args !== undefined && "number" in args && typeof args.number === "string";
      const label = `${(kind as { name: string }).name} "a"${isNamed ? ` (${args.number})` : ""}`;
      assert.throws(
        () => declare(kind, args),
        ({ message }: Error) => {
          const lines = message.split("\n");
          assert.equal(lines.length, mistakes.length, message);
          for (const [index, line] of lines.entries()) {
            const code = mistakes[index] === NoSplit ? "AGP-002" : "AGP-001";
            assert.ok(line.startsWith(`${code} ${label}: ${mistakes[index] ?? "?"}`), line);
          }
          return true;
        },
      );
    });
  }

  it("are an explicit provider, its own or its parent's: a stack has one account", () => {
    const second = new (class extends pulumi.ProviderResource {})("pulumi-nodejs", "second", {});
    const parent = new pulumi.ComponentResource("my:Team", "team", {}, { providers: [second] });
    const refusal = /^Error: AGP-001 the explicit provider "second" is refused, because a stack has one account/;
    for (const opts of [{ provider: second }, { parent }]) {
      assert.throws(() => declare(NumberAssignment, { number: "4001", inboundAgents: [] }, opts), refusal);
    }
  });

  const passed: Readonly<Record<string, [args: object, opts?: pulumi.CustomResourceOptions]>> = {
    "an output": [{ number: pulumi.output("+44 20"), inboundAgents: [] }],
    "a promise": [{ number: Promise.resolve(5), inboundAgents: [] }],
    "a secret": [{ number: pulumi.secret("+44 20"), inboundAgents: [] }],
    "an output in a list": [{ number: "4001", inboundAgents: [{ agentId: pulumi.output("front"), weight: -1 }] }],
    "what the engine takes from the state": [{ number: "+44 20" }, { ignoreChanges: ["number"] }],
    "what a transformation may change": [{ number: "+44 20" }, { transformations: [() => undefined] }],
    "a rollout alone": [{ number: "4001", rollout: "front" }],
    "an entry of a list without its version": [
      { number: "4001", inboundAgents: [{ agentId: "agent_a", agentVersion: undefined, weight: 1 }] },
    ],
    "an argument that is undefined": [{ number: "4001", inboundAgents: [], colour: undefined, workspaceId: undefined }],
  };
  for (const [what, [args, opts]] of Object.entries(passed)) {
    it(`are left to the provider in ${what}`, () => void declare(NumberAssignment, args, opts));
  }
});
