import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";
import { POSTED_KINDS } from "../../provider/core/platform/posted";
import { temporaryFolder } from "../support/engineFakes";
import { repository } from "../support/repository";

const script = join(repository, "examples/pipelines/scripts/up.sh");
const CONTINUED = "up --stack dev --yes --skip-preview --continue-on-error --non-interactive";
const STOPPED = "up --stack dev --yes --skip-preview --non-interactive";

describe("up.sh of the pipelines", () => {
  const folder = temporaryFolder();

  /** @param doctor what runs in place of the command */
  async function up(doctor: string, env: Readonly<Record<string, string>> = {}): Promise<object> {
    const bin = join(folder.path, "node_modules/.bin");
    mkdirSync(bin, { recursive: true });
    for (const [name, line] of [
      ["pulumi", 'echo "pulumi $*"'],
      ["pulumi-agent-platform", doctor],
    ] as const) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
    }
    // npm tells of a newer npm once in a while.
    const own = { HOME: folder.path, STACK: "dev", NPM_CONFIG_UPDATE_NOTIFIER: "false" };
    const options = { cwd: folder.path, env: { PATH: `${bin}:${process.env.PATH}`, ...own, ...env } };
    return new Promise((resolve) =>
      execFile("sh", [script], options, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr })),
    );
  }

  const Found = "No problems found.";
  const Older =
    "The Pulumi SDK here is older than 3.252.0, so this run stops at the first failure. To continue: npm install @pulumi/pulumi@^3.252.0\n";

  // With an older one, which Node 20 gets, a run that continues after a failure clears numbers that the program declares.
  for (const [version, ran, stderr] of [
    ["3.251.9", STOPPED, Older],
    ["3.252.0", CONTINUED, ""],
    [undefined, CONTINUED, ""],
  ] as const) {
    it(`with ${version === undefined ? "no SDK, as in YAML" : `the SDK ${version}`}: pulumi ${ran}`, async () => {
      if (version !== undefined) {
        const sdk = join(folder.path, "node_modules/@pulumi/pulumi");
        mkdirSync(sdk, { recursive: true });
        writeFileSync(join(sdk, "package.json"), JSON.stringify({ name: "@pulumi/pulumi", version }));
      }
      assert.deepEqual(await up(`echo ${Found}`), { code: 0, stdout: `${Found}\npulumi ${ran}\n`, stderr });
    });
  }

  const untold =
    "doctor did not say whether a voice or a chat may have been sent before (exit code 1), so `pulumi up` could send one again. Run this job again.\n";

  it("applies nothing if doctor breaks off: a message could be sent a second time", async () => {
    assert.deepEqual(await up("exit 1", { SEND_AGAIN: "not there" }), {
      code: 1,
      stdout: "",
      stderr: `${untold}Stopped: nothing was applied.\n`,
    });
  });

  it("applies the rest of an abort without voices and chats if doctor breaks off, and is red", async () => {
    assert.deepEqual(await up("exit 1", { URGENT: "1" }), {
      code: 1,
      stdout: `pulumi ${CONTINUED}${POSTED_KINDS.map((kind) => ` --exclude urn:pulumi:**:${kind}::**`).join("")}\n`,
      stderr: `${untold}The rest is applied without voices and chats.\n`,
    });
  });
});
