import assert from "node:assert/strict";
import { UNKNOWN } from "../../provider/base/engine";
import { withPlatformStack } from "../support/platformStack";

/**
 * Responses with values that the engine can't save or would mistake for its own markers. If the engine didn't save a
 * chat, the next `up` would send its SMS again.
 */
const SIGNATURE = "4dabf18193072939515e22adb298388d";
const signed = (signature: string) => `"customAttributes":{"${SIGNATURE}":"${signature}","kept":1}`;
const ODD_FIELDS: Readonly<Record<string, string>> = {
  "half a character": String.raw`"transcript":"half \ud83d"`,
  "a key with half a character": String.raw`"customAttributes":{"half \ud83d":1}`,
  "an infinite number": '"chatCost":{"total":1e999}',
  "the signature of a secret": signed("1b47061264138c4ac30d75fd1eb44270"),
  "the signature of an asset": signed("c44067f5952c0a294b673a41bacd8c17"),
  "the signature of a resource": signed("5cf8f73096256a8f31e491e813e4eb8e"),
  "a signature that the engine does not know": signed("none"),
  "the marker of an unknown value": `"transcript":"${UNKNOWN}"`,
  "a null character": String.raw`"transcript":"a\u0000b"`,
};
const bodies = [
  ...Object.values(ODD_FIELDS).map((field, index) => `{"chatId":"chat_${index}",${field}}`),
  String.raw`{"chatId":"half \ud83d"}`,
  `{"chatId":"${UNKNOWN}"}`,
];

const args = { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15550000001", toNumber: "+15550000002" };
const names = bodies.map((_, index) => `chat${index}`);
const program = `
  import { SmsChat } from "pulumi-agent-platform";
  for (const name of ${JSON.stringify(names)}) new SmsChat(name, ${JSON.stringify(args)});`;

describe("responses that Pulumi can't save", () => {
  it("does not resend a chat whose response can't be saved in full", async () => {
    await withPlatformStack({ program }, async ({ platform, stack, sent, sentNothing }) => {
      for (const body of bodies) {
        platform.inject({ kind: "status", status: 200, body, times: 1 });
      }
      // One response has an ID that the engine can't save, so its chat is unresolved.
      const { output } = await stack.up({ expectFailure: true });
      assert.equal(sent().length, bodies.length);
      assert.equal(output.match(/AGP-04\d SmsChat/g)?.length, 1, output);
      const { changeSummary } = await stack.up();
      assert.equal(changeSummary.same, bodies.length, JSON.stringify(changeSummary));
      sentNothing();
    });
  });
});
