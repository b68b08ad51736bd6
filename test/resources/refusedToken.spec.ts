import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "mocha";
import { type Emulator, startEmulator } from "../../emulator";
import type { Session } from "../../provider/resources/lifecycle";
import { numberAssignment } from "../../provider/resources/numberAssignment";
import { numberGroup } from "../../provider/resources/numberGroup";
import { smsChat } from "../../provider/resources/smsChat";
import { rejectionOf } from "../support/rejected";
import { newRun } from "../support/session";

/** A program of single numbers, whose token is no good: what is true of the token is said once. */
describe("a run whose token the platform refuses", () => {
  let emulator: Emulator;
  let run: Session;
  beforeEach(async () => {
    emulator = await startEmulator();
    run = newRun(emulator.url, emulator.token, { attempts: 1 });
  });
  afterEach(() => emulator.close());

  const inboundAgents = { "agent_a@1": 1 };
  const numbers = Array.from({ length: 25 }, (_, index) => `+155512300${10 + index}`);
  const routing = (workspaceId: number) => ({ workspaceId, inboundAgents, endpoint: emulator.url });
  const create = (number: string, workspaceId = 42) =>
    numberAssignment.create({ number, ...routing(workspaceId) }, run).then(
      () => "applied",
      (error: unknown) => (error as Error).message,
    );
  const refuse = (status: number, times: number) =>
    emulator.inject({ kind: "status", status, body: { error: "not for you" }, times });
  const unsent = (code: string, number: string, why: string) =>
    `${code} NumberAssignment "${number}": create not sent: ${why}.\n  Nothing is saved.`;

  it("sends nothing after the first 401, and says so of each other number in two lines", async () => {
    refuse(401, Number.POSITIVE_INFINITY);
    const said: string[] = [];
    for (const number of numbers) {
      said.push(await create(number));
    }
    assert.equal(emulator.requests.length, 1);
    assert.match(said[0] ?? "", /^AGP-031 .* create rejected: the platform returned 401 /);
    const why = "the platform rejected the token earlier in this run (401)";
    assert.deepEqual(
      said.slice(1),
      numbers.slice(1).map((number) => unsent("AGP-031", number, why)),
    );
    const chat = { workspaceId: 42, agentId: "chat_agent_a", fromNumber: "+15551230001", toNumber: "+15551239999" };
    const error = await rejectionOf(smsChat.create(chat, run));
    assert.equal((error as Error).message, `AGP-031 SmsChat: create not sent: ${why}.\n  Nothing is saved.`);
    assert.equal(emulator.requests.length, 1);
  });

  it("stops at once what is not under way yet", async () => {
    refuse(401, Number.POSITIVE_INFINITY);
    const left = [...numbers];
    const worker = async () => {
      for (let number = left.shift(); number !== undefined; number = left.shift()) {
        await create(number);
      }
    };
    await Promise.all(Array.from({ length: 4 }, worker));
    assert.ok(emulator.requests.length <= 4, String(emulator.requests.length));
  });

  it("takes a 403 for the number's own, also if nothing was accepted before", async () => {
    refuse(403, 5);
    for (const number of numbers.slice(0, 5)) {
      assert.match(await create(number), /^AGP-032 .* create rejected: the platform returned 403 /);
    }
    assert.equal(await create(numbers[5] ?? ""), "applied");
  });

  it("leaves out a group that comes later", async () => {
    refuse(401, Number.POSITIVE_INFINITY);
    await create(numbers[0] ?? "");
    const text = numbers.map((number) => `${number}\n`).join("");
    const error = await rejectionOf(numberGroup.create({ numbers: text, ...routing(42) }, run));
    assert.equal(emulator.requests.length, 1);
    assert.equal(
      (error as Error).message,
      `AGP-070 NumberGroup: 0 of 25 applied, 25 not sent.
  25 × AGP-031 the platform rejected the token earlier in this run (401) (PUT /api/numbers/{number}/agent): +15551230010, +15551230011, +15551230012, +15551230013 and 21 more (routing unchanged)
  Nothing was applied, and nothing is saved.
  Fix the problem reported above, then rerun.`,
    );
  });
});
