import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";
import { POSTED_KINDS } from "../../provider/core/platform/posted";
import { temporaryFolder } from "../support/engineFakes";
import { repository } from "../support/repository";

const script = join(repository, "examples/pipelines/scripts/up.sh");
const CONTINUED = "up --stack dev --yes --skip-preview --continue-on-error --non-interactive";
const STOPPED = "up --stack dev --yes --skip-preview --non-interactive";

/** On Node 20 npm installs the SDK 3.248, with which a run that continues after a failure clears numbers that the program declares. */
describe("up.sh of the pipelines", () => {
  const folder = temporaryFolder();
  for (const [version, ran, isTold] of [
    ["3.248.0", STOPPED, true],
    ["3.251.9", STOPPED, true],
    ["3.252.0", CONTINUED, false],
    ["3.255.0", CONTINUED, false],
    [undefined, CONTINUED, false],
  ] as const) {
    it(`with ${version === undefined ? "no SDK, as in YAML" : `the SDK ${version}`}: pulumi ${ran}`, async () => {
      const bin = join(folder.path, "node_modules/.bin");
      mkdirSync(bin, { recursive: true });
      for (const [name, body] of [
        ["pulumi", 'echo "pulumi $*"'],
        ["pulumi-agent-platform", "echo No problems found."],
      ] as const) {
        writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`);
        chmodSync(join(bin, name), 0o755);
      }
      if (version !== undefined) {
        const sdk = join(folder.path, "node_modules/@pulumi/pulumi");
        mkdirSync(sdk, { recursive: true });
        writeFileSync(join(sdk, "package.json"), JSON.stringify({ name: "@pulumi/pulumi", version }));
      }
      const { stdout, stderr } = await run(folder.path);
      assert.equal(stdout, `No problems found.\npulumi ${ran}\n`);
      assert.equal(
        stderr,
        isTold
          ? "The Pulumi SDK here is older than 3.252.0, so this run stops at the first failure. To continue: npm install @pulumi/pulumi@^3.252.0\n"
          : "",
      );
    });
  }
});

describe("up.sh of the pipelines, if doctor breaks off", () => {
  const folder = temporaryFolder();
  const untold =
    "doctor did not say whether a voice or a chat may have been sent before (exit code 1), so `pulumi up` could send one again. Run this job again.\n";

  async function brokenOff(env: Readonly<Record<string, string>>) {
    const bin = join(folder.path, "node_modules/.bin");
    mkdirSync(bin, { recursive: true });
    for (const [name, body] of [
      ["pulumi", 'echo "pulumi $*"'],
      ["pulumi-agent-platform", "exit 1"],
    ] as const) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    }
    return new Promise<object>((resolve) => {
      // npm tells of a newer npm once in a while.
      const own = { HOME: folder.path, STACK: "dev", NPM_CONFIG_UPDATE_NOTIFIER: "false" };
      execFile(
        "sh",
        [script],
        { cwd: folder.path, env: { PATH: `${bin}:${process.env.PATH}`, ...own, ...env } },
        (error, stdout, stderr) => resolve({ code: error?.code, stdout, stderr }),
      );
    });
  }

  it("applies nothing: a message could be sent a second time", async () => {
    assert.deepEqual(await brokenOff({ SEND_AGAIN: "not there" }), {
      code: 1,
      stdout: "",
      stderr: `${untold}Stopped: nothing was applied.\n`,
    });
  });

  it("applies the rest of an abort without voices and chats, and is red", async () => {
    assert.deepEqual(await brokenOff({ URGENT: "1" }), {
      code: 1,
      stdout: `pulumi ${CONTINUED}${POSTED_KINDS.map((kind) => ` --exclude urn:pulumi:**:${kind}::**`).join("")}\n`,
      stderr: `${untold}The rest is applied without voices and chats.\n`,
    });
  });
});

function run(cwd: string): Promise<{ stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const env = { PATH: `${join(cwd, "node_modules/.bin")}:${process.env.PATH}`, HOME: cwd, STACK: "dev" };
    execFile("sh", [script], { cwd, env }, (error, stdout, stderr) =>
      error === null ? resolve({ stdout, stderr }) : reject(new Error(`${stdout}${stderr}`, { cause: error })),
    );
  });
}
