import assert from "node:assert/strict";
import { readPreview } from "../../cli/pulumi/preview";
import { buildModel } from "../../cli/report/model";
import { plain } from "../../cli/report/text";
import { chat, single, step, told } from "./reportSteps";
import { previewOf } from "./reportSynthetic";

const hello = { toNumber: "+1", workspaceId: 1, sendKey: "1", agentId: "chat_agent_a", fromNumber: "+3" };
const isRetained = { retainOnDelete: true } as const;

describe("the report of a chat that is kept", () => {
  told(
    "does not say that it ends if retainOnDelete keeps it",
    chat("replace", "hello", hello, { ...hello, sendKey: "2" }, isRetained),
  )`
    ⚠ Sends an SMS again: +1 (hello)
    - The current chat (hello) continues, because of retainOnDelete.
    stops: replace: ⚠ Sends an SMS again: +1 (hello)
    sends: 1 POST that sends an SMS.
  `;

  told(
    "does not say so of one that got another name",
    chat("create", "new", undefined, hello),
    chat("delete", "old", hello, undefined, isRetained),
  )`
    ⚠ Renamed: the chat with +1 will be sent again (old → new)
    - Sends an SMS to +1 again, and keeps the first chat open, because of retainOnDelete.
    - To send nothing, write aliases: [{ name: "old" }] on new.
    stops: replace: the chat with +1: renamed, will be sent again
    sends: 1 POST that sends an SMS.
  `;

  told(
    "says that no SMS is sent if another chat is adopted in its place",
    chat("replace", "hello", hello, { ...hello, sendKey: "2", adopt: "chat_77" }),
  )`
    ⚠ Adopts chat_77 instead, nothing is sent: the chat with +1 (hello)
    - The current chat (hello) ends after the new one has started.
    stops: replace: ⚠ Adopts chat_77 instead, nothing is sent: the chat with +1 (hello)
    sends: 1 POST that ends a chat.
  `;
});

describe("the report of an option that says what a delete does", () => {
  const now = { retainsNow: true } as const;
  const voice = { workspaceId: 1, voiceName: "Nova" };
  const number = { number: "+1", inboundAgents: { "agent_a@1": 100 } };

  told(
    "speaks of agents for numbers alone",
    single("same", "line", number, number, now),
    chat("same", "hello", hello, hello, now),
    step("CommunityVoice")("same", "nova", voice, voice, now),
  )`
    retainOnDelete is set on hello: recorded, nothing is sent
    - From the next run on, a delete leaves the chat as it is.
    retainOnDelete is set on line: recorded, nothing is sent
    - From the next run on, a delete keeps the agents.
    retainOnDelete is set on nova: recorded, nothing is sent
    - From the next run on, a delete leaves the voice as it is.
    sends: 0 PUTs.
  `;

  told(
    "the same of an option that is taken away",
    single("same", "line", number, number, isRetained),
    chat("same", "hello", hello, hello, isRetained),
    step("CommunityVoice")("same", "nova", voice, voice, isRetained),
  )`
    retainOnDelete is taken away from hello: recorded, nothing is sent
    - From the next run on, a delete ends the chat.
    retainOnDelete is taken away from line: recorded, nothing is sent
    - From the next run on, a delete clears them.
    retainOnDelete is taken away from nova: recorded, nothing is sent
    - From the next run on, a delete leaves the voice as it is.
    sends: 0 PUTs.
  `;
});

describe("the report of a chat that moved into a component", () => {
  const inside = { parent: "acme:Office" };

  told(
    "names the alias that works: with another parent the name alone says nothing",
    chat("create", "hello", undefined, hello, inside),
    chat("delete", "hello", hello),
  )`
    ⚠ Moved in the program: the chat with +1 will be sent again (hello)
    - Sends an SMS to +1 again, and ends the first chat.
    - To send nothing in this stack, write aliases: ["urn:pulumi:dev::test::pulumi-nodejs:dynamic/agent-platform:SmsChat::hello"] on hello.
    stops: replace: the chat with +1: renamed, will be sent again
    sends: 1 POST that sends an SMS, 1 POST that ends a chat.
  `;

  told(
    "names it as well if the chat got another name",
    chat("create", "new", undefined, hello, inside),
    chat("delete", "old", hello),
  )`
    ⚠ Renamed: the chat with +1 will be sent again (old → new)
    - Sends an SMS to +1 again, and ends the first chat.
    - To send nothing in this stack, write aliases: ["urn:pulumi:dev::test::pulumi-nodejs:dynamic/agent-platform:SmsChat::old"] on new.
    stops: replace: the chat with +1: renamed, will be sent again
    sends: 1 POST that sends an SMS, 1 POST that ends a chat.
  `;
});

describe("the report of a replacement that an earlier run left unfinished", () => {
  const [first, second, third] = ["1", "2", "3"].map((sendKey) => ({ ...hello, sendKey }));
  const leftOver = chat("delete-replaced", "hello", first, undefined, { id: "chat_1" });

  told("says what is still to be deleted", leftOver)`
    Ends the chat with +1 (hello)
    stops: delete: Ends the chat with +1 (hello)
    sends: 1 POST that ends a chat.
  `;

  told(
    "says so of a resource that is replaced once more, and of that replacement once",
    leftOver,
    chat("create-replacement", "hello", second, third, { id: "chat_2" }),
    chat("replace", "hello", second, third, { id: "chat_2" }),
    chat("delete-replaced", "hello", second, undefined, { id: "chat_2" }),
  )`
    ⚠ Sends an SMS again: +1 (hello)
    - The current chat (chat_2) ends after the new one has started.
    Ends the chat with +1 (hello)
    stops: delete: Ends the chat with +1 (hello)
    stops: replace: ⚠ Sends an SMS again: +1 (hello)
    sends: 1 POST that sends an SMS, 2 POSTs that end a chat each.
  `;
});

// The id of a synthetic resource is its name.
describe("the report of a renamed chat", () => {
  const old = chat("delete", "welcome", hello);

  told(
    "says that it goes on if the new name adopts it",
    chat("create", "hello", undefined, { ...hello, adopt: "welcome" }),
    old,
  )`
    Forgets the chat with +1 (welcome)
    - Another resource of the program has it: nothing is sent, and the chat continues.
    Adopts the chat with +1 (hello): welcome. Nothing is sent
    stops: delete: Forgets the chat with +1 (welcome)
    sends: 0 PUTs.
  `;

  for (const [how, stays] of [
    [
      "by adopt",
      chat("same", "hello", { ...hello, adopt: "welcome" }, { ...hello, adopt: "welcome" }, { id: "another" }),
    ],
    ["without adopt", chat("same", "hello", hello, hello, { id: "welcome" })],
  ] as const) {
    told(`says that it goes on if a resource that stays as it is has it ${how}`, stays, old)`
      Forgets the chat with +1 (welcome)
      - Another resource of the program has it: nothing is sent, and the chat continues.
      stops: delete: Forgets the chat with +1 (welcome)
      sends: 0 PUTs.
    `;
  }

  told(
    "says that it ends if the new name adopts another one",
    chat("create", "hello", undefined, { ...hello, adopt: "chat_7" }),
    old,
  )`
    Ends the chat with +1 (welcome)
    Adopts the chat with +1 (hello): chat_7. Nothing is sent
    stops: delete: Ends the chat with +1 (welcome)
    sends: 1 POST that ends a chat.
  `;

  told("says that an SMS is sent if the new name adopts none", chat("create", "hello", undefined, hello), old)`
    ⚠ Renamed: the chat with +1 will be sent again (welcome → hello)
    - Sends an SMS to +1 again, and ends the first chat.
    - To send nothing, write aliases: [{ name: "welcome" }] on hello.
    stops: replace: the chat with +1: renamed, will be sent again
    sends: 1 POST that sends an SMS, 1 POST that ends a chat.
  `;
});

describe("the report of what has no id, or another account before", () => {
  it("says that a chat ends if the preview does not show its id, although another chat adopts none", () => {
    const preview = JSON.parse(
      previewOf([chat("delete", "old", hello), chat("create", "other", undefined, { ...hello, toNumber: "+2" })]),
    );
    preview.steps[0].oldState.id = undefined;
    const { cards } = buildModel(readPreview(JSON.stringify(preview)), undefined);
    assert.deepEqual(
      cards.map(({ title }) => plain(title)),
      ["⚠ Sends an SMS to +2 (other)", "Ends the chat with +1 (old)"],
    );
  });
});
