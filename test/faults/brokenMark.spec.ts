import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Emulator, startEmulator } from "../../emulator";
import { type Kind, type Properties, type ProviderError, providerText, urnOf } from "../support/providerCalls";
import { type ProviderProcess, startProvider } from "../support/providerProcess";

/**
 * The folder with the mark of a failed program breaks while a request is under way. What was sent is saved, and what is declared goes on: only
 * the deletes of the run wait.
 */

const NUMBER = "+15551230001";
const args = {
  numberAssignment: { number: NUMBER, inboundAgents: [{ agentId: "agent_a", weight: 100 }] },
  smsChat: { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15550000001", toNumber: "+15550000002" },
};

const BREAKS: Readonly<Record<string, (folder: string) => void>> = {
  "is removed": (folder) => rmSync(folder, { recursive: true }),
  "is on a disk that is full": (folder) => symlinkSync("/dev/full", join(folder, "probe")),
  "can be read by others": (folder) => chmodSync(folder, 0o755),
};

describe("a run whose folder of marks breaks", () => {
  const temporary = mkdtempSync(join(tmpdir(), "agent-platform-broken-"));
  const folder = () => join(temporary, readdirSync(temporary)[0] ?? "");
  let platform: Emulator;
  let provider: ProviderProcess;
  beforeEach(async () => {
    platform = await startEmulator();
    provider = await startProvider({ edge: "dynamic", env: { TMPDIR: temporary } });
    await provider.configure({ "agent-platform:baseUrl": platform.url, "agent-platform:accessToken": platform.token });
  });
  afterEach(async () => {
    await provider.close();
    await platform.close();
    for (const name of readdirSync(temporary)) {
      rmSync(join(temporary, name), { recursive: true });
    }
  });
  after(() => rmSync(temporary, { recursive: true }));

  async function created(kind: Kind & keyof typeof args, name: string, more: Properties = {}) {
    const own = { __provider: providerText(kind), __urn: urnOf(kind, name) };
    const { inputs, failures } = await provider.check(undefined, { ...args[kind], ...more, ...own });
    assert.deepEqual(failures, []);
    return provider.create({ ...inputs, ...own });
  }
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => assert.fail("the delete was sent"),
      (error: ProviderError) => /AGP-\d{3}/.exec(error.message)?.[0],
    );

  for (const [what, breaks] of Object.entries(BREAKS)) {
    it(`saves what is sent, goes on to send, and sends no delete: it ${what}`, async () => {
      const number = await created("numberAssignment", "old");
      const held = platform.inject({ kind: "hold", operation: "createSmsChat" });
      const creating = created("smsChat", "hello");
      await platform.waitForRequests(2);
      breaks(folder());
      held.release();
      const chat = await creating;
      await created("numberAssignment", "new", { number: "4001" });
      const sent = platform.requests.length;
      assert.equal(sent, 3);
      // Of resources that the program no longer declares.
      assert.equal(await refusal(provider.delete("4002", { ...number.outs, number: "4002" })), "AGP-076");
      assert.equal(await refusal(provider.delete("chat_2", { ...chat.outs, chatId: "chat_2" })), "AGP-076");
      assert.equal(platform.requests.length, sent);
      assert.deepEqual(
        platform.chats.map(({ chatId }) => chatId),
        [chat.id],
      );
      assert.deepEqual(platform.routing(NUMBER), { inboundAgents: { agent_a: 100 } });
    });
  }
});
