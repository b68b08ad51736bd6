import assert from "node:assert/strict";
import { readPreview } from "../../cli/pulumi/preview";
import { toMarkdown } from "../../cli/report/markdown";
import { buildModel } from "../../cli/report/model";
import { chat, reportOf, told } from "./reportSteps";
import { previewOf } from "./reportSynthetic";

const hello = { toNumber: "+1", workspaceId: 1, sendKey: "1", agentId: "chat_agent_a", fromNumber: "+3" };

describe("the report of a chat that is kept", () => {
  told(
    "does not say that it ends where retainOnDelete keeps it",
    [chat("replace", "hello", hello, { ...hello, sendKey: "2" }, { retainOnDelete: true })],
    {
      cards: [["⚠ Sends an SMS again: +1 (hello)", "The current chat (hello) continues, because of retainOnDelete."]],
      stops: ["replace: ⚠ Sends an SMS again: +1 (hello)"],
      onMerge: "1 POST that sends an SMS.",
    },
  );

  it("of one that moved into a component it names the alias that works: with another parent its name alone says nothing", () => {
    const inside = { parent: "acme:Office" };
    const moved = reportOf(chat("create", "hello", undefined, hello, inside), chat("delete", "hello", hello));
    const urn = "urn:pulumi:dev::test::pulumi-nodejs:dynamic/agent-platform:SmsChat::";
    assert.deepEqual(moved.cards, [
      [
        "⚠ Moved in the program: the chat with +1 will be sent again (hello)",
        "Sends an SMS to +1 again, and ends the first chat.",
        `To send nothing in this stack, write aliases: ["${urn}hello"] on hello.`,
      ],
    ]);
    const both = reportOf(chat("create", "new", undefined, hello, inside), chat("delete", "old", hello));
    assert.deepEqual(both.cards, [
      [
        "⚠ Renamed: the chat with +1 will be sent again (old → new)",
        "Sends an SMS to +1 again, and ends the first chat.",
        `To send nothing in this stack, write aliases: ["${urn}old"] on new.`,
      ],
    ]);
  });

  told(
    "does not say so of one that got another name",
    [chat("create", "new", undefined, hello), chat("delete", "old", hello, undefined, { retainOnDelete: true })],
    {
      cards: [
        [
          "⚠ Renamed: the chat with +1 will be sent again (old → new)",
          "Sends an SMS to +1 again, and keeps the first chat open, because of retainOnDelete.",
          'To send nothing, write aliases: [{ name: "old" }] on new.',
        ],
      ],
      stops: ["replace: the chat with +1: renamed, will be sent again"],
      onMerge: "1 POST that sends an SMS.",
    },
  );

  told(
    "says that no SMS is sent where another chat is adopted in its place",
    [chat("replace", "hello", hello, { ...hello, sendKey: "2", adopt: "chat_77" })],
    {
      cards: [
        [
          "⚠ Adopts chat_77 instead, nothing is sent: the chat with +1 (hello)",
          "The current chat (hello) ends after the new one has started.",
        ],
      ],
      stops: ["replace: ⚠ Adopts chat_77 instead, nothing is sent: the chat with +1 (hello)"],
      onMerge: "1 POST that ends a chat.",
    },
  );
});

describe("the report of a replacement that an earlier run left unfinished", () => {
  const [first, second, third] = ["1", "2", "3"].map((sendKey) => ({ ...hello, sendKey }));
  const leftOver = chat("delete-replaced", "hello", first, undefined, { id: "chat_1" });
  const ends = ["Ends the chat with +1 (hello)"];

  told("says what is still to be deleted", [leftOver], {
    cards: [ends],
    stops: [`delete: ${ends[0]}`],
    onMerge: "1 POST that ends a chat.",
  });

  it("says so of a resource that is replaced once more, and of that replacement once", () => {
    const once = [
      chat("create-replacement", "hello", second, third, { id: "chat_2" }),
      chat("replace", "hello", second, third, { id: "chat_2" }),
      chat("delete-replaced", "hello", second, undefined, { id: "chat_2" }),
    ];
    const again = "⚠ Sends an SMS again: +1 (hello)";
    assert.deepEqual(reportOf(leftOver, ...once), {
      cards: [[again, "The current chat (chat_2) ends after the new one has started."], ends],
      stops: [`delete: ${ends[0]}`, `replace: ${again}`],
      onMerge: "1 POST that sends an SMS, 2 POSTs that end a chat each.",
    });
  });
});

const renamedChat = {
  workspaceId: 42,
  agentId: "chat_agent_hello",
  fromNumber: "+15551230001",
  toNumber: "+15557654321",
  endpoint: "https://platform.example",
};

/** The old name's delete and the new name's create, with and without the id that the old one has. */
const renamed = (adopt: string | undefined): string =>
  markdownOf([
    { op: "create", kind: "SmsChat", name: "hello", new: { ...renamedChat, ...(adopt !== undefined && { adopt }) } },
    { op: "delete", kind: "SmsChat", name: "welcome", old: renamedChat },
  ]);
const markdownOf = (steps: Parameters<typeof previewOf>[0]): string =>
  toMarkdown(buildModel(readPreview(previewOf(steps)), undefined));

describe("the report of a renamed chat", () => {
  it("says that it goes on where the new name adopts it", () => {
    // The id of a synthetic resource is its name.
    const text = renamed("welcome");
    assert.match(text, /Adopts the chat with `\+15557654321` \(`hello`\): `welcome`\. Nothing is sent/);
    assert.match(text, /Forgets the chat with `\+15557654321` \(`welcome`\)/);
    assert.match(text, /Another resource of the program has it: nothing is sent, and the chat continues\./);
    assert.match(text, /On merge: 0 PUTs\. This preview sent nothing\./);
  });

  it("says that it goes on where a resource that stays as it is has it, by adopt or without", () => {
    const adopting = { ...renamedChat, adopt: "welcome" };
    for (const stays of [
      { id: "another", old: adopting, new: adopting },
      { id: "welcome", old: renamedChat, new: renamedChat },
    ]) {
      const text = markdownOf([
        { op: "same", kind: "SmsChat", name: "hello", ...stays },
        { op: "delete", kind: "SmsChat", name: "welcome", old: renamedChat },
      ]);
      assert.match(text, /Forgets the chat with `\+15557654321` \(`welcome`\)/);
      assert.match(text, /On merge: 0 PUTs\. This preview sent nothing\./);
    }
  });

  it("says that it ends where the new name adopts another one, and that an SMS is sent where it adopts none", () => {
    assert.match(renamed("chat_of_another"), /Ends the chat with `\+15557654321` \(`welcome`\)/);
    assert.match(renamed("chat_of_another"), /On merge: 1 POST that ends a chat\. This preview sent nothing\./);
    assert.match(renamed(undefined), /Sends an SMS to `\+15557654321` again, and ends the first chat\./);
  });
});
