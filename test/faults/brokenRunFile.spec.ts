import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Emulator, type FaultFilter, startEmulator } from "../../emulator";
import { EDGES, type EdgeName } from "../support/edges";
import { type Kind, type Properties, ProviderError, providerText, urnOf } from "../support/providerCalls";
import { type ProviderProcess, startProvider } from "../support/providerProcess";

/**
 * The folder of temporary files is emptied, or its disk is full, while a request is under way. What was sent is saved all the same: else the
 * next run would send a message a second time. Only the deletes of the run wait.
 */

const NUMBER = "+15551230001";
const ELSEWHERE = "+15551230002";
const inboundAgents = [{ agentId: "agent_a", weight: 100 }];
const args: Record<Kind, Properties> = {
  numberAssignment: { number: NUMBER, inboundAgents },
  numberGroup: { numbers: [NUMBER, "4001"], inboundAgents },
  communityVoice: {
    workspaceId: 42,
    voiceProvider: "provider_a",
    providerVoiceId: "voice-1",
    voiceName: "Nova",
    publicUserId: "user",
  },
  smsChat: { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15550000001", toNumber: "+15550000002" },
};
const inputsOf = (kind: Kind, name = "it", more: Properties = {}): Properties => ({
  ...args[kind],
  ...more,
  __provider: providerText(kind),
  __urn: urnOf(kind, name),
});

/** How the file breaks. */
const BREAKS: Readonly<Record<string, (folder: string) => void>> = {
  "the folder is removed": (folder) => rmSync(folder, { recursive: true }),
  "the folder is emptied": (folder) => eachFile(folder, (file) => rmSync(file)),
  "the folder is emptied, and another process has made the file again": (folder) =>
    eachFile(folder, (file) => {
      // The old one is kept elsewhere, so that the new one cannot get its inode.
      renameSync(file, join(folder, "..", "kept"));
      writeFileSync(file, "", { mode: 0o600 });
    }),
  "the disk is full": (folder) =>
    eachFile(folder, (file) => {
      rmSync(file);
      symlinkSync("/dev/full", file);
    }),
};

function eachFile(folder: string, work: (file: string) => void): void {
  for (const name of readdirSync(folder)) {
    work(join(folder, name));
  }
}

for (const edge of Object.keys(EDGES) as EdgeName[]) {
  describe(`a run whose file breaks while a request is under way, on the ${edge} edge`, () => {
    const temporary = mkdtempSync(join(tmpdir(), "agent-platform-broken-"));
    const folder = () =>
      join(temporary, readdirSync(temporary).find((name) => name.startsWith("agent-platform-")) ?? "");
    let platform: Emulator;
    let processes: ProviderProcess[];
    beforeEach(async () => {
      platform = await startEmulator();
      processes = [];
    });
    afterEach(async () => {
      await Promise.all(processes.map((process) => process.close()));
      await platform.close();
      for (const name of readdirSync(temporary)) {
        rmSync(join(temporary, name), { recursive: true });
      }
    });
    after(() => rmSync(temporary, { recursive: true }));

    async function newProcess(): Promise<ProviderProcess> {
      const process = await startProvider({ edge, env: { TMPDIR: temporary } });
      processes.push(process);
      await process.configure({
        "agent-platform:baseUrl": platform.url,
        "agent-platform:accessToken": platform.token,
        "agent-platform:attempts": 1,
      });
      return process;
    }
    async function checked(process: ProviderProcess, kind: Kind, name = "it", more: Properties = {}) {
      const { inputs, failures } = await process.check(undefined, inputsOf(kind, name, more));
      assert.deepEqual(failures, []);
      return { ...inputs, __provider: providerText(kind), __urn: urnOf(kind, name) };
    }
    /** Creates it, and breaks the file while its request is at the platform. */
    async function createdWhile(breaks: (folder: string) => void, kind: Kind, filter: FaultFilter = {}) {
      const process = await newProcess();
      const inputs = await checked(process, kind);
      platform.pause(filter);
      const creating = process.create(inputs);
      await platform.waitForRequests(1);
      breaks(folder());
      platform.release();
      return { process, made: await creating.catch((error: ProviderError) => error) };
    }
    const warned = ({ stderr }: ProviderProcess) =>
      [...stderr.matchAll(/^warning: (AGP-078 .*)$/gm)].map(([, line]) => line);
    const refusal = async (work: Promise<unknown>) => {
      const error = await work.then(
        () => assert.fail("the delete was sent"),
        (thrown: unknown) => thrown,
      );
      assert.ok(error instanceof ProviderError);
      return /AGP-\d{3}/.exec(error.message)?.[0];
    };

    for (const [how, breaks] of Object.entries(BREAKS)) {
      it(`saves the message that was sent, and tells it: ${how}`, async () => {
        const { process, made } = await createdWhile(breaks, "smsChat");
        assert.ok(!(made instanceof Error), String(made));
        assert.deepEqual(
          platform.chats.map(({ chatId }) => chatId),
          [made.id],
        );
        const [warning, ...more] = warned(process);
        assert.match(
          String(warning),
          /^AGP-078 The provider processes of this run cannot tell each other any more what they send: \S+ (cannot be used \(\w+\)|lost the file of this run)\. What was sent is saved\.$/,
        );
        assert.deepEqual(more, []);
      });
    }

    const gone = BREAKS["the folder is removed"] as (folder: string) => void;

    it("saves a message whose response is lost as unresolved", async () => {
      const process = await newProcess();
      const inputs = await checked(process, "smsChat");
      platform.pause();
      const creating = process.create(inputs).catch((error: ProviderError) => error);
      await platform.waitForRequests(1);
      gone(folder());
      await platform.stopListening();
      const failed = await creating;
      assert.ok(failed instanceof ProviderError);
      assert.match(failed.initFailed?.reasons.join() ?? failed.message, /AGP-042/);
      assert.equal(failed.initFailed?.properties.unresolved, true);
      assert.equal(platform.requests.length, 1);
    });

    it("saves a voice that was added", async () => {
      const { made } = await createdWhile(gone, "communityVoice");
      assert.ok(!(made instanceof Error), String(made));
      assert.deepEqual(
        platform.voices.map(({ voiceId }) => voiceId),
        [made.id],
      );
    });

    for (const kind of ["numberAssignment", "numberGroup"] as const) {
      it(`saves what was assigned: a ${kind}`, async () => {
        const { process, made } = await createdWhile(gone, kind);
        assert.ok(!(made instanceof Error), String(made));
        assert.equal(warned(process).length, 1);
        assert.deepEqual(platform.routing(NUMBER), { inboundAgents: { agent_a: 100 } });
      });
    }

    it("saves what a group knows of the number that was not applied", async () => {
      platform.inject({ kind: "status", status: 503, number: "4001", times: 9 });
      const { made } = await createdWhile(gone, "numberGroup", { number: NUMBER });
      assert.ok(made instanceof ProviderError);
      assert.match(
        made.initFailed?.reasons.join() ?? made.message,
        /AGP-070 NumberGroup "it": 1 of 2 applied, 1 failed/,
      );
    });

    it("saves the message that is under way beside a number whose request meets the breakage", async () => {
      const process = await newProcess();
      const [chat, number] = [await checked(process, "smsChat"), await checked(process, "numberAssignment", "number")];
      platform.pause();
      const making = [process.create(chat), process.create(number)];
      await platform.waitForRequests(2);
      gone(folder());
      platform.release();
      const [made] = await Promise.all(making);
      assert.deepEqual(
        platform.chats.map(({ chatId }) => chatId),
        [made?.id],
      );
      assert.equal(warned(process).length, 1);
    });

    /** An earlier run, which has ended. */
    async function lastRun(kind: Kind, more: Properties = {}) {
      const process = await newProcess();
      const made = await process.create(await checked(process, kind, "old", more));
      await process.close();
      gone(folder());
      return made;
    }

    it("ends the chat whose end was under way, and forgets it", async () => {
      const { id, outs } = await lastRun("smsChat");
      const process = await newProcess();
      platform.pause();
      const ending = process.delete(id, outs);
      await platform.waitForRequests(2);
      gone(folder());
      platform.release();
      await ending;
      assert.deepEqual(
        platform.chats.map(({ ended }) => ended),
        [true],
      );
    });

    it("sends no delete from then on: not in that process, not in one that runs, and not in one that begins later", async () => {
      const number = await lastRun("numberAssignment", { number: ELSEWHERE });
      const chat = await lastRun("smsChat");
      platform.clearRequests();
      const running = await newProcess();
      await checked(running, "communityVoice", "other");
      const { process } = await createdWhile(gone, "smsChat");
      const sent = platform.requests.length;
      for (const asked of [process, running, await newProcess()]) {
        assert.equal(await refusal(asked.delete(number.id, number.outs)), "AGP-076");
        assert.equal(await refusal(asked.delete(chat.id, chat.outs)), "AGP-076");
      }
      assert.equal(platform.requests.length, sent);
      assert.deepEqual(platform.routing(ELSEWHERE), { inboundAgents: { agent_a: 100 } });
    });

    it("sends nothing new, because the others cannot be told before a request", async () => {
      const { process } = await createdWhile(gone, "smsChat");
      const sent = platform.requests.length;
      assert.equal(await refusal(process.check(undefined, inputsOf("smsChat", "second"))), "AGP-076");
      assert.equal(platform.requests.length, sent);
    });
  });
}
