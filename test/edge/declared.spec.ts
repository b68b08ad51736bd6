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
import { readSettings } from "../../provider/core/readSettings";
import type { Settings } from "../../provider/core/settings";
import { declaredBy, declaredByProgram } from "../../provider/edge/declared/declared";
import { answerWith } from "../../provider/edge/declared/neighbours";
import { ResourceError } from "../../provider/resources/lifecycle";

const ROOT = `${__dirname}/../..`;
const address = () => `127.0.0.1:${randomUUID()}`;

function settings(baseUrl: string, accessToken: string): Settings {
  const read = readSettings({ get: (key) => ({ baseUrl, accessToken })[key], env: {}, readApproved: () => "" });
  assert.ok("settings" in read);
  return read.settings;
}

const main = settings("https://one.example", "token-one");
const silent = async () => undefined;

/** By a process that fails and ends. */
function declareElsewhere(run: string): void {
  const script = `
    require("tsx/cjs");
    const { declaredBy } = require("./provider/edge/declared/declared");
    const declared = declaredBy(${JSON.stringify(main)}, ${JSON.stringify(run)}, () => {});
    declared.declareAll(["+15551230001"]);
    declared.noteFailure();
    process.exit(declared.whereIs("+15551230001") === "here" ? 0 : 1);`;
  assert.equal(spawnSync(process.execPath, ["-e", script], { cwd: ROOT, stdio: "inherit" }).status, 0);
}

describe("declared numbers", () => {
  it("are shared by the provider processes of one run, and by no other run", () => {
    const run = address();
    declaredBy(main, run, silent).declareAll(["+15551230001", "4001"]);
    const other = declaredBy(main, run, silent);
    assert.ok(other.whereIs("+15551230001") && other.whereIs("4001"));
    assert.ok(!other.whereIs("+15551230002"));
    assert.ok(!declaredBy(main, address(), silent).whereIs("+15551230001"));
  });

  it("are one in the world in international format, and one an account as an extension; a chat is one on its platform", () => {
    const run = address();
    declaredBy(main, run, silent).declareAll(["+15551230001", "4001", "chat\nchat_1"]);
    const second = declaredBy(settings("https://one.example", "token-two"), run, silent);
    assert.ok(second.whereIs("+15551230001"));
    assert.ok(second.whereIs("chat\nchat_1"));
    assert.ok(!second.whereIs("4001"));
  });

  it("are found by every other process, whatever their keys begin with", () => {
    const run = address();
    const here = declaredBy(main, run, silent);
    const numbers = Array.from({ length: 500 }, (_, index) => `+1555123${String(index).padStart(4, "0")}`);
    const script = `
      require("tsx/cjs");
      const { declaredBy } = require("./provider/edge/declared/declared");
      const by = { urn: "urn:pulumi:dev::calls::index:NumberGroup::one", isSecret: false };
      declaredBy(${JSON.stringify(main)}, ${JSON.stringify(run)}, () => {}).declareAll(${JSON.stringify(numbers)}, by);
      process.exit(0);`;
    assert.equal(spawnSync(process.execPath, ["-e", script], { cwd: ROOT, stdio: "inherit" }).status, 0);
    const two = { urn: "urn:pulumi:dev::calls::index:NumberGroup::two", isSecret: false };
    assert.deepEqual(
      numbers.filter((number) => here.declaredBefore([number], two)?.first.urn.endsWith("::one") !== true),
      [],
    );
  });

  it("are another platform's business under another base URL", () => {
    const run = address();
    declaredBy(main, run, silent).declareAll(["+15551230001"]);
    assert.ok(!declaredBy(settings("https://two.example", "token-one"), run, silent).whereIs("+15551230001"));
  });

  it("are known as those of a process that has ended, whether it ended before or after the one that asks began", async () => {
    const run = address();
    const before = declaredBy(main, run, silent);
    declareElsewhere(run);
    const after = declaredBy(main, run, silent);
    for (const other of [before, after]) {
      assert.equal(other.whereIs("+15551230001"), "gone");
      assert.equal(
        await other.askDeclarer("+15551230001", {}, "it"),
        "the process of the provider that declares this number has ended, or does not respond",
      );
    }
    // A failure of an earlier run at the same address is none of this one.
    assert.deepEqual([before.hasFailed(), after.hasFailed()], [true, false]);
  });

  it("are known behind a line that a full disk has cut", () => {
    const run = address();
    const other = declaredBy(main, run, silent);
    const folder = join(tmpdir(), `agent-platform-${process.getuid?.() ?? userInfo().username}`);
    appendFileSync(join(folder, hash("sha256", run).slice(0, 16)), `${process.pid} =8NDN`);
    declaredBy(main, run, silent).declareAll(["+15551230001"]);
    assert.equal(other.whereIs("+15551230001"), "elsewhere");
    assert.equal(other.whereIs("+15551230002"), undefined);
  });

  it("are left out where the program declares them and no provider process was asked for them", async () => {
    const run = address();
    const tell = declaredByProgram(run);
    const own = ["+15551230001", "+15551230002", "4001"];
    tell(main.endpoint, own, own);
    // A transform has changed it: what it holds, a provider process declares.
    tell(main.endpoint, ["+15551230003"], ["+15551230002"]);
    tell(main.endpoint, ["+15551230004"], ["4001"]);
    tell("https://two.example", ["+15551230005"], ["+15551230005"]);
    await Promise.resolve();
    const declared = declaredBy(main, run, silent);
    const places = () => [1, 2, 3, 4, 5].map((digit) => declared.whereIs(`+1555123000${digit}`));
    // A destroy that runs the program asks no provider process for anything, and clears what the program declares.
    assert.deepEqual(places(), Array(5).fill(undefined));
    declared.declareAll(["+15551230002"]);
    assert.deepEqual(places(), ["left out", "here", undefined, undefined, undefined]);
    assert.equal(declared.whereIs("4001"), undefined);
  });

  it("are asked for at the process that declares them, which alone knows what they hold", async () => {
    const run = address();
    const asked: unknown[] = [];
    const answers = [undefined, "the platform fails", new Error("no token")];
    const holder = declaredBy(main, run, async (...question) => {
      asked.push(question);
      const answer = answers.shift();
      if (answer instanceof Error) {
        throw answer;
      }
      return answer;
    });
    const other = declaredBy(main, run, silent);
    holder.declareAll(["+15551230001"]);
    assert.equal(other.whereIs("+15551230001"), "elsewhere");
    // By now it has said where it listens.
    await answerWith(() => undefined);
    const before = { inboundWebhookUrl: "https://hooks.invalid/in" };
    const ask = () => other.askDeclarer("+15551230001", before, "a group");
    assert.deepEqual(
      [await ask(), await ask(), await ask()],
      [
        undefined,
        "the platform fails",
        "another resource declares this number, and sending its routing again failed: no token",
      ],
    );
    assert.deepEqual(asked, Array(3).fill(["+15551230001", before, "a group"]));
  });

  it("are told to nobody who does not know the word of the private file", async () => {
    const asked: unknown[] = [];
    const { port } = await answerWith(async (question) => void asked.push(question));
    const ask = (authorization: string) =>
      fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers: { authorization }, body: "{}" });
    assert.deepEqual([(await ask("")).status, (await ask("word")).status, asked], [400, 400, []]);
  });

  it("are kept in memory alone where no engine is known", () => {
    const alone = declaredBy(main, undefined, silent);
    alone.declareAll(["+15551230001"]);
    assert.ok(alone.whereIs("+15551230001"));
    assert.ok(!declaredBy(main, undefined, silent).whereIs("+15551230001"));
  });
});

describe("declared numbers, and the folder that they stand in", () => {
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

  it("of an earlier run whose processes have all ended are forgotten after an hour, and those of a living one are not", () => {
    process.env.TMPDIR = own;
    const [ended, living] = [address(), address()];
    declareElsewhere(ended);
    declaredBy(main, living, silent).declareAll(["+15551230001"]);
    assert.equal(declaredBy(main, ended, silent).whereIs("+15551230001"), "gone");
    const anHourAgo = Date.now() / 1000 - 3601;
    for (const name of readdirSync(folder)) {
      utimesSync(join(folder, name), anHourAgo, anHourAgo);
    }
    assert.equal(declaredBy(main, ended, silent).whereIs("+15551230001"), undefined);
    assert.equal(declaredBy(main, living, silent).whereIs("+15551230001"), "elsewhere");
  });

  it("can be used where another process forgets the same earlier run at the same moment", () => {
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
      assert.equal(declaredBy(main, address(), silent).whereIs("+15551230001"), undefined);
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
    it(`clear nothing, and say so: ${name}`, () => {
      prepare();
      process.env.TMPDIR = path;
      const declared = declaredBy(main, address(), silent);
      // What is declared here is known without the folder; binding goes on.
      declared.declareAll(["+15551230001"]);
      assert.equal(declared.whereIs("+15551230001"), "here");
      assert.equal(
        messageOf(() => declared.whereIs("+15551230002")),
        refusal(why, named(path)),
      );
    });
  }

  it("clear nothing in a folder without the right to write, and say so", function () {
    if (process.getuid?.() === 0) {
      // For root every folder can be written to.
      this.skip();
    }
    makeFolder(0o500);
    process.env.TMPDIR = own;
    const declared = declaredBy(main, address(), silent);
    assert.equal(
      messageOf(() => declared.whereIs("+15551230002")),
      refusal("cannot be used (EACCES)", folder),
    );
  });

  it("stop a process that cannot tell the others what it declares, as where the disk is full", () => {
    process.env.TMPDIR = own;
    const run = address();
    const [one, other] = [declaredBy(main, run, silent), declaredBy(main, run, silent)];
    one.declareAll(["+15551230001"]);
    const [file = ""] = readdirSync(folder);
    rmSync(join(folder, file));
    mkdirSync(join(folder, file));
    const said = refusal("cannot be used (EISDIR)", folder);
    assert.equal(
      messageOf(() => one.declareAll(["+15551230002"])),
      said,
    );
    // Its own are safe from itself, and whoever asks for others is told.
    assert.equal(one.whereIs("+15551230001"), "here");
    assert.equal(one.whereIs("+15551230002"), "here");
    assert.equal(
      messageOf(() => other.whereIs("+15551230001")),
      said,
    );
  });

  it("are not taken for none where the file is lost after the run began", () => {
    process.env.TMPDIR = own;
    const run = address();
    const [one, other] = [declaredBy(main, run, silent), declaredBy(main, run, silent)];
    one.declareAll(["+15551230001"]);
    rmSync(folder, { recursive: true });
    assert.match(
      messageOf(() => other.whereIs("+15551230001")),
      /^AGP-076 No number is cleared, /,
    );
    assert.match(
      messageOf(() => one.declareAll(["+15551230003"])),
      /^AGP-076 No number is cleared, /,
    );
  });

  it("are shared under a user id without a name, as in a container that is run with -u", function () {
    if (process.getuid?.() !== 0) {
      this.skip();
    }
    const run = address();
    const open = mkdtempSync(join(tmpdir(), "declared-"));
    chmodSync(open, 0o777);
    // The modules are read first: a user without a name may have no right to the folder of this repository.
    const script = `
      require("tsx/cjs");
      const { declaredBy } = require("./provider/edge/declared/declared");
      process.setgid(54321);
      process.setuid(54321);
      process.env.TMPDIR = ${JSON.stringify(open)};
      try { require("node:os").userInfo(); process.exit(2); } catch {}
      declaredBy(${JSON.stringify(main)}, ${JSON.stringify(run)}, () => {}).declareAll(["+15551230001"]);
      process.exit(declaredBy(${JSON.stringify(main)}, ${JSON.stringify(run)}, () => {}).whereIs("+15551230001") ? 0 : 1);`;
    const { status } = spawnSync(process.execPath, ["-e", script], { cwd: ROOT, stdio: "inherit" });
    rmSync(open, { recursive: true, force: true });
    assert.equal(status, 0);
  });
});
