import assert from "node:assert/strict";
import { readPreview } from "../../cli/pulumi/preview";
import { buildModel } from "../../cli/report/build";
import { toMarkdown } from "../../cli/report/formats/markdown";
import { previewOf } from "./reportSynthetic";

const chat = {
  workspaceId: 42,
  agentId: "chat_agent_hello",
  fromNumber: "+15551230001",
  toNumber: "+15557654321",
  endpoint: "https://platform.example",
};

/** The old name's delete and the new name's create, with and without the id that the old one has. */
const renamed = (adopt: string | undefined): string =>
  reportOf([
    { op: "create", kind: "SmsChat", name: "hello", new: { ...chat, ...(adopt !== undefined && { adopt }) } },
    { op: "delete", kind: "SmsChat", name: "welcome", old: chat },
  ]);
const reportOf = (steps: Parameters<typeof previewOf>[0]): string =>
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
    const adopting = { ...chat, adopt: "welcome" };
    for (const stays of [
      { id: "another", old: adopting, new: adopting },
      { id: "welcome", old: chat, new: chat },
    ]) {
      const text = reportOf([
        { op: "same", kind: "SmsChat", name: "hello", ...stays },
        { op: "delete", kind: "SmsChat", name: "welcome", old: chat },
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
