import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Emulator, startEmulator } from "../../emulator";
import { type Kind, type Properties, providerText, urnOf } from "../support/providerCalls";
import { type ProviderProcess, startProvider } from "../support/providerProcess";

/**
 * The folder with the mark of a failed program is removed while a request is under way. What was sent is saved, and what is declared goes on:
 * only the deletes of the run wait. In which other ways it may break is in test/edge/failedMark.spec.ts.
 */

const NUMBER = "+15551230001";
const args = {
  numberAssignment: { number: NUMBER, inboundAgents: [{ agentId: "agent_a", weight: 100 }] },
  smsChat: { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15550000001", toNumber: "+15550000002" },
};

describe("a run whose folder of marks breaks", () => {
  const temporary = mkdtempSync(join(tmpdir(), "agent-platform-broken-"));
  let platform: Emulator;
  let provider: ProviderProcess;
  before(async () => {
    platform = await startEmulator();
    provider = await startProvider({ env: { TMPDIR: temporary } });
    await provider.configure({ "agent-platform:baseUrl": platform.url, "agent-platform:accessToken": platform.token });
  });
  after(async () => {
    await provider.close();
    await platform.close();
    rmSync(temporary, { recursive: true });
  });

  async function created(kind: Kind & keyof typeof args, name: string, more: Properties = {}) {
    const own = { __provider: providerText(kind), __urn: urnOf(kind, name) };
    const { inputs, reasons } = await provider.check({ ...args[kind], ...more, ...own });
    assert.deepEqual(reasons, []);
    return provider.create({ ...inputs, ...own });
  }
  it("saves what is sent, goes on to send, and sends no delete", async () => {
    const number = await created("numberAssignment", "old");
    const held = platform.inject({ kind: "hold", operation: "createSmsChat" });
    const creating = created("smsChat", "hello");
    await platform.waitForRequests(2);
    rmSync(join(temporary, readdirSync(temporary)[0] ?? ""), { recursive: true });
    held.release();
    const chat = await creating;
    await created("numberAssignment", "new", { number: "4001" });
    assert.equal(platform.requests.length, 3);
    // Of resources that the program no longer declares.
    for (const deleting of [
      provider.delete("4002", { ...number.outs, number: "4002" }),
      provider.delete("chat_2", { ...chat.outs, chatId: "chat_2" }),
    ]) {
      await assert.rejects(deleting, { message: /AGP-076/ });
    }
    assert.equal(platform.requests.length, 3);
    assert.deepEqual(
      platform.chats.map(({ chatId }) => chatId),
      [chat.id],
    );
    assert.deepEqual(platform.routing(NUMBER), { inboundAgents: { agent_a: 100 } });
  });
});
