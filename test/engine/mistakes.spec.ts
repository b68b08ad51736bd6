import assert from "node:assert/strict";
import { withPlatformStack } from "../support/platformStack";

const header = `
  import * as pulumi from "@pulumi/pulumi";
  import { CommunityVoice, NumberAssignment, NumberGroup, SmsChat, split } from "pulumi-agent-platform";
  const any = (args: object): any => args;
  const inboundAgents = split({ agent_front: 1 });
  const chat = { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15551230001", toNumber: "+15551230009" };
`;

interface Mistake {
  readonly name: string;
  readonly program: string;
  /** The lines of the one error of ours. */
  readonly told: readonly string[];
}

const MISTAKES: readonly Mistake[] = [
  {
    name: "all mistakes of one resource",
    program: `
      new NumberAssignment("weights", any({ number: pulumi.output("+4420 7946"), inboundAgent: 1, inboundAgents: [
        { agentId: "agent_front", weight: -1 }, { agentId: "front", weight: 1 },
      ] }));`,
    told: [
      'AGP-001 NumberAssignment "weights" (+4420 7946): number ("+4420 7946") starts with `+`, so it must be in international format: `+`, the country code, 7 to 15 digits, nothing else.',
      'AGP-001 NumberAssignment "weights" (+4420 7946): inboundAgents[0].weight (-1) must not be negative.',
      'AGP-001 NumberAssignment "weights" (+4420 7946): inboundAgents[1].agentId ("front") must start with `agent_` and name an agent.',
      'AGP-001 NumberAssignment "weights" (+4420 7946): has no argument `inboundAgent` (did you mean `inboundAgents`?).',
    ],
  },
  {
    name: "the option import, without a stack trace",
    program: 'new SmsChat("imported", chat, { import: "chat_1" });',
    told: [
      'AGP-007 SmsChat "imported": the resource option `import` reads a resource by its id, and the API has no read endpoint. Declare it with adopt: "chat_1". That records it, and sends nothing.',
    ],
  },
];

describe("a mistake of the program", () => {
  for (const { name, program, told } of MISTAKES) {
    it(`is told at preview: ${name}`, () =>
      withPlatformStack({ program: header + program }, async ({ stack, sentNothing }) => {
        const { diagnostics, output } = await stack.preview({ expectFailure: true });
        const ours = diagnostics.filter(({ message }) => message.includes("AGP-"));
        assert.deepEqual(
          [
            ...new Set(
              ours.flatMap(({ message }) => message.split("\n").map((line) => line.replace(/^.*(?=AGP-)/, ""))),
            ),
          ],
          told,
        );
        assert.doesNotMatch(output, /^\s+at /m);
        sentNothing();
      }));
  }
});
