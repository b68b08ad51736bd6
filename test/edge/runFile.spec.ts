import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { hash, randomUUID } from "node:crypto";
import fs, {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  type StatSyncOptions,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { basename, join } from "node:path";
import { mock } from "node:test";
import { afterEach, describe, it } from "mocha";
import { cannotThrow } from "../../provider/core/common/cannotThrow";
import { readSettings } from "../../provider/core/config/readSettings";
import type { Settings } from "../../provider/core/config/settings";
import { POSTED } from "../../provider/core/platform/posted";
import { openRunFile, unsharedRun } from "../../provider/edge/runFile";
import { ResourceError } from "../../provider/resources/lifecycle";
import { newRun, type Run } from "../../provider/resources/run";

const ROOT = `${__dirname}/../..`;
const address = () => `127.0.0.1:${randomUUID()}`;
const urnOf = (name: string) => `urn:pulumi:dev::calls::agent-platform:index:NumberGroup::${name}`;
const [N1, N2, N3] = ["+15551230001", "+15551230002", "+15551230003"] as const;

function settings(baseUrl: string, accessToken: string): Settings {
  const read = readSettings({ get: (key) => ({ baseUrl, accessToken })[key], env: {}, readApproved: () => "" });
  assert.ok("settings" in read);
  return read.settings;
}
const main = settings("https://one.example", "token-one");

const quiet = cannotThrow(() => {});
const process1 = (run: string, of = main): Run => newRun(of, openRunFile(run), quiet);
const declare = (run: Run, numbers: readonly string[], name = "one") =>
  run.declare({ urn: urnOf(name), isSecret: false, keys: numbers });
/** What a delete would do with a number that has an agent and a webhook. */
const held = { inboundAgents: { agent_a: 100 }, inboundWebhookUrl: "https://hooks.invalid/in" };
const released = (run: Run, number: string) => {
  const release = run.release(number, held, {});
  return release.does === "postpone" ? release.why : release.does;
};
const ENDED = "the process of the provider that declares this number has ended";

/** What a Node program writes into the file of a run. */
function programOf(run: string) {
  const program = openRunFile(run, true);
  return {
    starts: () => program.announce({ starts: true }),
    fails: () => program.report({ failed: true }),
  };
}

/** By a process that fails and ends. */
const declareElsewhere = (run: string, numbers: readonly string[] = [N1]): void =>
  inOtherProcess(`
    const { newRun } = require("./provider/resources/run");
    const run = newRun(${JSON.stringify(main)}, openRunFile(${JSON.stringify(run)}), () => {});
    run.declare({ urn: ${JSON.stringify(urnOf("elsewhere"))}, isSecret: false, keys: ${JSON.stringify(numbers)} });
    run.failed();`);

/** A program of a process of its own, which then ends. */
const runElsewhere = (run: string, { fails }: { readonly fails: boolean }): void =>
  inOtherProcess(`
    const program = openRunFile(${JSON.stringify(run)}, true);
    program.announce({ starts: true });
    if (${fails}) program.report({ failed: true });`);

function inOtherProcess(work: string): void {
  const script = `
    require("tsx/cjs");
    const { openRunFile } = require("./provider/edge/runFile");
    ${work}
    process.exit(0);`;
  assert.equal(spawnSync(process.execPath, ["-e", script], { cwd: ROOT, stdio: "inherit" }).status, 0);
}

describe("what the processes of a run tell each other", () => {
  it("is heard by the processes of this run, also later, and by those of no other run", () => {
    const run = address();
    const [one, other] = [process1(run), process1(run)];
    assert.equal(released(other, N1), "clear");
    declare(one, [N1, "4001"]);
    assert.deepEqual(
      [N1, "4001", N2].map((number) => released(other, number)),
      [ENDED, ENDED, "clear"],
    );
    declare(one, [N2], "two");
    assert.equal(released(other, N2), ENDED);
    assert.equal(released(process1(address()), N1), "clear");
  });

  it("tells two resources that declare one number: the second in the file is refused, whichever process asks", () => {
    const run = address();
    const [one, other] = [process1(run), process1(run)];
    assert.equal(declare(one, [N1], "one"), undefined);
    assert.equal(declare(other, [N2, N1], "two")?.by.urn, urnOf("one"));
    assert.equal(declare(one, [N1], "three")?.number, N1);
    // Checked again, as a replacement is, and by a name that is no ASCII.
    assert.equal(declare(one, [N1], "one"), undefined);
    assert.equal(declare(one, [N3], "Zürich"), undefined);
    assert.equal(declare(one, [N3], "Zürich"), undefined);
    assert.equal(declare(other, [N3], "Wien")?.by.urn, urnOf("Zürich"));
  });

  it("is about one number in the world in international format, one an account as an extension; a chat is one on its platform", () => {
    const run = address();
    declare(process1(run), [N1, "4001", "chat\nchat_1"]);
    const second = process1(run, settings("https://one.example", "token-two"));
    assert.deepEqual([released(second, N1), released(second, "4001")], [ENDED, "clear"]);
    assert.equal(second.keepsPosted(POSTED.SmsChat, "chat_1"), "continues");
    assert.equal(second.keepsPosted(POSTED.SmsChat, "chat_2"), undefined);
    const elsewhere = process1(run, settings("https://two.example", "token-one"));
    assert.deepEqual([released(elsewhere, N1), elsewhere.keepsPosted(POSTED.SmsChat, "chat_1")], ["clear", undefined]);
  });

  it("is found for each of 500 numbers, whatever their keys begin with", () => {
    const run = address();
    const here = process1(run);
    const numbers = Array.from({ length: 500 }, (_, index) => `+1555123${String(index).padStart(4, "0")}`);
    declareElsewhere(run, numbers);
    assert.deepEqual(
      numbers.filter((number) => declare(here, [number], "here")?.by.urn !== urnOf("elsewhere")),
      [],
    );
  });

  it("is known of a process that has ended, whether it ended before or after the one that asks began", () => {
    const run = address();
    const before = process1(run);
    declareElsewhere(run);
    const after = process1(run);
    assert.deepEqual([released(before, N1), released(after, N1)], [ENDED, ENDED]);
    // A failure of an earlier run at the same address does not count for this one, and neither does a number that it declared.
    assert.deepEqual([before.heard().hasFailed, after.heard().hasFailed], [true, false]);
    assert.equal(declare(after, [N1]), undefined);
  });

  it("is known of a program that failed and ended before the first delete, until another program begins", () => {
    const run = address();
    const failed = () => process1(run).heard().hasFailed;
    runElsewhere(run, { fails: true });
    assert.equal(failed(), true);
    assert.equal(
      released(process1(run), N1),
      "the program or another resource failed in this run, so it is not known what the program declares",
    );
    // A later run, whose engine has the same address.
    runElsewhere(run, { fails: false });
    assert.equal(failed(), false);
    const program = programOf(run);
    program.starts();
    program.fails();
    program.starts();
    assert.equal(failed(), true);
  });

  it("is known behind a line that a full disk has cut", () => {
    const run = address();
    const other = process1(run);
    const folder = join(tmpdir(), `agent-platform-${process.getuid?.() ?? userInfo().username}`);
    appendFileSync(join(folder, hash("sha256", run).slice(0, 16)), `{"pid":${process.pid},"decl`);
    declare(process1(run), [N1]);
    assert.deepEqual([released(other, N1), released(other, N2)], [ENDED, "clear"]);
  });

  it("says that a delete comes before a create that was checked, in whichever process", () => {
    const run = address();
    const [one, other] = [process1(run), process1(run)];
    declare(one, [N1], "one");
    assert.equal(one.isMidway(), false);
    one.awaitCreate(urnOf("one"));
    assert.deepEqual([one.isMidway(), other.isMidway()], [true, true]);
    one.begin(urnOf("one"));
    assert.deepEqual([one.isMidway(), other.isMidway()], [false, false]);
  });

  it("counts the numbers that deletes let go, and knows a destroy by that no resource was checked", () => {
    const run = address();
    const [one, other] = [process1(run), process1(run)];
    assert.deepEqual([one.heard().isDeclaring, other.heard().isDeclaring], [false, false]);
    declare(one, [N1]);
    one.noteRemoved(3);
    other.noteRemoved(2);
    assert.deepEqual([one.heard().removed, other.heard().removed, other.heard().isDeclaring], [5, 5, true]);
  });

  it("stays in one process if no engine is known", () => {
    const alone = newRun(main, unsharedRun(), quiet);
    declare(alone, [N1]);
    assert.equal(declare(alone, [N1], "two")?.number, N1);
    assert.equal(released(newRun(main, unsharedRun(), quiet), N1), "clear");
  });
});

describe("the file of a run, and its folder", () => {
  const given = process.env.TMPDIR;
  const own = mkdtempSync(join(tmpdir(), "declared-"));
  const folder = join(own, `agent-platform-${process.getuid?.() ?? userInfo().username}`);
  afterEach(() => {
    if (given === undefined) {
      delete process.env.TMPDIR;
    } else {
      process.env.TMPDIR = given;
    }
    rmSync(folder, { recursive: true, force: true });
  });
  after(() => rmSync(own, { recursive: true, force: true }));

  const refusal = (why: string, where: string) =>
    `AGP-076 No number is cleared, because it is not known which numbers the program still declares: ${where} ${why}.` +
    "\n  Make it a folder that you own, with mode 0700 and free disk space, or set TMPDIR to another folder. Then rerun.";
  const messageOf = (work: () => unknown): string => {
    try {
      return `passed: ${work()}`;
    } catch (error) {
      assert.ok(error instanceof ResourceError);
      assert.equal(error.code, "AGP-076");
      return error.message;
    }
  };

  it("of an earlier run whose processes have all ended is removed after an hour, and that of a living one is not", () => {
    process.env.TMPDIR = own;
    const [ended, living] = [address(), address()];
    declareElsewhere(ended);
    declare(process1(living), [N1]);
    assert.equal(released(process1(ended), N1), ENDED);
    const anHourAgo = Date.now() / 1000 - 3601;
    for (const name of readdirSync(folder)) {
      utimesSync(join(folder, name), anHourAgo, anHourAgo);
    }
    assert.equal(released(process1(ended), N1), "clear");
    assert.equal(released(process1(living), N1), ENDED);
  });

  it("can be used although another process removes the same earlier run at the same moment", () => {
    process.env.TMPDIR = own;
    declareElsewhere(address());
    const [earlier = ""] = readdirSync(folder).map((name) => join(folder, name));
    const anHourAgo = Date.now() / 1000 - 3601;
    utimesSync(earlier, anHourAgo, anHourAgo);
    const { statSync } = fs;
    // This one has looked at the file, and before it reads it the other one has removed it.
    const looked = mock.method(fs, "statSync", (path: string, options?: StatSyncOptions) => {
      const stats = statSync(path, options);
      rmSync(earlier, { force: true });
      return stats;
    });
    try {
      assert.equal(released(process1(address()), N1), "clear");
    } finally {
      looked.mock.restore();
    }
  });

  const inFile = join(own, "file");
  const named = (parent: string) => join(parent, basename(folder));
  const useless: [string, string, string, () => void][] = [
    ["it is a file", inFile, "cannot be used (ENOTDIR)", () => writeFileSync(inFile, "")],
    ["a file has our folder's name", own, "cannot be used (EEXIST)", () => writeFileSync(folder, "")],
    [
      "a dangling link has our folder's name",
      own,
      "cannot be used (ENOENT)",
      () => symlinkSync(join(own, "gone"), folder),
    ],
    ["others may read our folder", own, "has mode 755", () => makeFolder(0o755)],
    ["others may write to our folder", own, "has mode 777", () => makeFolder(0o777)],
  ];
  function makeFolder(mode: number): void {
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, mode);
  }

  for (const [name, path, why, prepare] of useless) {
    it(`makes deletes clear nothing and say so, if ${name}`, () => {
      prepare();
      process.env.TMPDIR = path;
      const run = process1(address());
      // What is declared here is known without the folder, and assigning goes on.
      declare(run, [N1]);
      run.assigned(N1, held);
      assert.equal(released(run, N1), "keep");
      assert.equal(declare(run, [N1], "two")?.number, N1);
      assert.equal(
        messageOf(() => released(run, N2)),
        refusal(why, named(path)),
      );
    });
  }

  it("makes deletes clear nothing and say so, if it may not be written", function () {
    if (process.getuid?.() === 0) {
      // For root every folder can be written to.
      this.skip();
    }
    makeFolder(0o500);
    process.env.TMPDIR = own;
    assert.equal(
      messageOf(() => released(process1(address()), N2)),
      refusal("cannot be used (EACCES)", folder),
    );
  });

  it("stops a process that cannot tell the others what it declares, as if the disk is full", () => {
    process.env.TMPDIR = own;
    const run = address();
    const [one, other] = [process1(run), process1(run)];
    declare(one, [N1]);
    one.assigned(N1, held);
    const [file = ""] = readdirSync(folder);
    rmSync(join(folder, file));
    mkdirSync(join(folder, file));
    const said = refusal("cannot be used (EISDIR)", folder);
    assert.equal(
      messageOf(() => declare(one, [N2], "two")),
      said,
    );
    // Its own numbers are safe from its own deletes.
    assert.equal(released(one, N1), "keep");
    assert.notEqual(released(one, N2), "clear");
    // The folder may have the number on the disk that the file had.
    const saidByOther = messageOf(() => released(other, N1));
    assert.ok([said, refusal("lost the file of this run", folder)].includes(saidByOther), saidByOther);
  });

  it("is not taken for empty if it is lost after the run began", () => {
    process.env.TMPDIR = own;
    const run = address();
    const [one, other] = [process1(run), process1(run)];
    declare(one, [N1]);
    rmSync(folder, { recursive: true });
    assert.match(
      messageOf(() => released(other, N1)),
      /^AGP-076 No number is cleared, /,
    );
    assert.match(
      messageOf(() => declare(one, [N3], "three")),
      /^AGP-076 No number is cleared, /,
    );
  });

  it("is shared under a user id without a name, as in a container that is run with -u", function () {
    if (process.getuid?.() !== 0) {
      this.skip();
    }
    const run = address();
    const open = mkdtempSync(join(tmpdir(), "declared-"));
    chmodSync(open, 0o777);
    // The modules are read first: a user without a name may have no right to the folder of this repository.
    const script = `
      require("tsx/cjs");
      const { openRunFile } = require("./provider/edge/runFile");
      process.setgid(54321);
      process.setuid(54321);
      process.env.TMPDIR = ${JSON.stringify(open)};
      try { require("node:os").userInfo(); process.exit(2); } catch {}
      openRunFile(${JSON.stringify(run)}).announce({ removes: 1 });
      process.exit(openRunFile(${JSON.stringify(run)}).heard().removed === 1 ? 0 : 1);`;
    const { status } = spawnSync(process.execPath, ["-e", script], { cwd: ROOT, stdio: "inherit" });
    rmSync(open, { recursive: true, force: true });
    assert.equal(status, 0);
  });
});
