import { chat, single, step, told, UNKNOWN } from "./reportSteps";

const hello = { toNumber: "+1", workspaceId: 1, sendKey: "1", agentId: "chat_agent_a", fromNumber: "+3" };
const [again, third] = ["2", "3"].map((sendKey) => ({ ...hello, sendKey }));
const isRetained = { retainOnDelete: true } as const;
const nova = { workspaceId: 1, voiceName: "Nova", voiceProvider: "labs", providerVoiceId: "v-1" };
const voice = step("CommunityVoice");

describe("the report of voices and chats", () => {
  told("a voice is added again, and stays when its resource goes", [
    voice("replace", "nova", nova, { ...nova, providerVoiceId: "v-2" }),
    voice("delete", "ada", { ...nova, voiceName: "Ada" }),
  ])`
    ⚠ Adds a voice again: Nova (nova)
    - The current voice nova stays: the API cannot delete it.
    Forgets the voice Ada (ada)
    - The voice stays: the API cannot delete it. Nothing is sent.
    stops: delete: Forgets the voice Ada (ada)
    stops: replace: ⚠ Adds a voice again: Nova (nova)
    sends: 1 new voice.
  `;

  told("a chat is sent again; retainOnDelete keeps the old one open", [
    chat("replace", "a", hello, again, { id: "chat_1" }),
    chat(
      "replace",
      "b",
      { ...hello, toNumber: "+2" },
      { ...hello, toNumber: UNKNOWN },
      { ...isRetained, id: "chat_2" },
    ),
  ])`
    ⚠ Sends an SMS again: +1 (a)
    - The current chat chat_1 ends after the new one has started.
    ⚠ Sends an SMS again: known after apply (b)
    - The current chat chat_2 continues: retainOnDelete.
    stops: replace: ⚠ Sends an SMS again: +1 (a)
    stops: replace: ⚠ Sends an SMS again: known after apply (b)
    sends: 2 SMS, 1 chat ended.
  `;

  told("a chat with another name is sent again: with another parent the name alone is no alias", [
    chat("create", "new", undefined, hello),
    chat("delete", "old", hello),
    chat("create", "same", undefined, { ...hello, toNumber: "+2" }, { parent: "acme:Office" }),
    chat("delete", "same", { ...hello, toNumber: "+2" }, undefined, isRetained),
  ])`
    ⚠ Renamed, so it sends an SMS again: +1 (new)
    - To send nothing, write aliases: [{ name: "old" }] on new, with the old parent if that changes too.
    ⚠ Renamed, so it sends an SMS again: +2 (same)
    - To send nothing, write aliases: [{ name: "same" }] on same, with the old parent if that changes too.
    Ends the chat +1 (old)
    Forgets the chat +2 (same)
    - The chat continues: retainOnDelete. Nothing is sent.
    stops: delete: Ends the chat +1 (old)
    stops: delete: Forgets the chat +2 (same)
    stops: replace: ⚠ Renamed, so it sends an SMS again: +1 (new)
    stops: replace: ⚠ Renamed, so it sends an SMS again: +2 (same)
    sends: 2 SMS, 1 chat ended.
  `;

  told("adopted in place of another, under a new name, and as it was", [
    chat("replace", "a", hello, { ...again, adopt: "chat_77" }, { id: "chat_1" }),
    chat("create", "b", undefined, { ...hello, adopt: "chat_2" }),
    chat("delete", "c", hello, undefined, { id: "chat_2" }),
    chat("update", "d", { ...hello, metadata: { x: "1" } }, { ...hello, metadata: { x: "2" } }),
  ])`
    ⚠ Adopts chat_77 instead, nothing is sent: the chat +1 (a)
    - The current chat chat_1 ends after the new one has started.
    Forgets the chat +1 (c)
    - The chat continues: another resource of the program has it. Nothing is sent.
    Adopts chat_2, nothing is sent: the chat +1 (b)
    Recorded, not sent: metadata of the chat +1 (d)
    stops: delete: Forgets the chat +1 (c)
    stops: replace: ⚠ Adopts chat_77 instead, nothing is sent: the chat +1 (a)
    sends: 1 chat ended.
  `;

  told("a replacement that an earlier run left unfinished, and that is replaced once more", [
    chat("delete-replaced", "hello", hello, undefined, { id: "chat_1" }),
    chat("replace", "hello", again, third, { id: "chat_2" }),
  ])`
    ⚠ Sends an SMS again: +1 (hello)
    - The current chat chat_2 ends after the new one has started.
    Ends the chat +1 (hello)
    stops: delete: Ends the chat +1 (hello)
    stops: replace: ⚠ Sends an SMS again: +1 (hello)
    sends: 1 SMS, 2 chats ended.
  `;

  told("unresolved: not sent again, sent once more, adopted, forgotten", [
    chat("update", "a", { ...hello, unresolved: true }, hello, { id: "unresolved-1" }),
    chat("replace", "b", { ...hello, unresolved: true }, { ...hello, retryUnresolved: "unresolved-2" }),
    chat("replace", "c", { ...hello, unresolved: true }, { ...hello, adopt: "chat_3" }),
    chat("delete", "d", { ...hello, unresolved: true }),
  ])`
    ⚠ Resolves the chat +1 (b): sent once more, as retryUnresolved allows
    ⚠ Unresolved since an earlier run: the chat +1 (a) may or may not be in workspace 1
    - This pull request does not send it again.
    - Look for it in the web application. Then set ONE of: adopt: "<chatId>" if it exists, retryUnresolved: "unresolved-1" if it does not (sends once).
    ⚠ Unresolved since an earlier run: the chat +1 (d) may or may not be in workspace 1
    - It is removed from the state without being resolved: look for it in the web application.
    Resolves the chat +1 (c): adopts chat_3, nothing is sent
    stops: unresolved: ⚠ Unresolved since an earlier run: the chat +1 (a) may or may not be in workspace 1
    stops: unresolved: ⚠ Unresolved since an earlier run: the chat +1 (d) may or may not be in workspace 1
    sends: 1 SMS.
  `;

  const number = { number: "+1", inboundAgents: { "agent_a@1": 100 } };
  told("an option that says what a delete does, on resources that stay as they are", [
    single("same", "line", number, number, { retainsNow: true }),
    chat("same", "hello", hello, hello, isRetained),
  ])`
    retainOnDelete is set on line: recorded, nothing is sent
    - From the next run on, a delete of them sends nothing.
    retainOnDelete is taken away from hello: recorded, nothing is sent
    - From the next run on, a delete of them clears numbers and ends chats.
    sends: 0 PUTs.
  `;
});
