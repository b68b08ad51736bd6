import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dryRun } from "../../cli/probe/probe";
import { dryRunText, endText, introText, stepText } from "../../cli/probe/text";
import { checkRows } from "../support/rows";
import { settingsOf } from "../support/session";
import { type ProbeOptions, probedWith, subject } from "./probed";

/** Compares the output of `probe` with golden files. To update the files, run `npm run goldens`. */

const folder = join(__dirname, "testdata/probe");

const settings = settingsOf({ baseUrl: "https://platform.example", accessToken: "a-token-of-a-test" });

const CASES: Readonly<Record<string, ProbeOptions & { readonly isInterrupted?: true }>> = {
  "as-assumed": {},
  "every-setting": {
    profile: {
      omittedFields: "replace",
      clearOthers: "empty",
      weights: "sum1",
      agentVersion: "latest",
      importError: "trueWithMessage",
      unknownAgents: "404",
    },
  },
  "no-body": { profile: { putStatus: 204 } },
  "other-agents": { faults: [{ kind: "contradict", times: "always" }] },
  "nothing-clears": { profile: { clearInbound: "none", clearOthers: "none", notClearing: "ignored" } },
  "no-split": { profile: { success: "false" } },
  "no-outbound-agent": { profile: { unknownAgents: "404" }, outbound: { agentId: "agent_missing_typo" } },
  interrupted: { isInterrupted: true },
  "token-refused": { faults: [{ kind: "status", status: 401, times: "always" }] },
  "token-refused-later": { faults: [{ kind: "status", status: 401, after: 3, times: "always" }] },
};

async function printed({ isInterrupted, ...options }: (typeof CASES)[string]): Promise<string> {
  const probed = await probedWith(options, (platform, stop) => {
    if (isInterrupted) {
      void platform.waitForRequests(2).then(stop);
    }
  });
  const target = { ...subject, ...(options.outbound && { outbound: options.outbound }) };
  return [
    introText(target, settings),
    ...probed.steps.map((step, index) => stepText(step, index + 1)),
    endText(probed, target, settings, { stack: "dev" }),
  ]
    .join("\n")
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:8080");
}

function assertGolden(name: string, text: string): void {
  const file = join(folder, `${name}.txt`);
  if (process.env.UPDATE_GOLDENS !== undefined) {
    writeFileSync(file, text);
  }
  assert.equal(text, readFileSync(file, "utf8"));
}

describe("the output of probe", () => {
  it("matches the golden files and fits in 80 columns", () =>
    checkRows(
      Object.entries(CASES),
      ([name]) => name,
      async ([name, options]) => {
        const text = await printed(options);
        assertGolden(name, text);
        const longLines = text.split("\n").filter((line) => line.length > 80);
        assert.deepEqual(longLines, [], "lines over 80 columns");
      },
    ));

  it("matches the golden file for a dry run", async () =>
    assertGolden("dry-run", dryRunText(await dryRun({ subject, settings }), subject)));

  it("has exactly one golden file for each case", () => {
    const expected = [...Object.keys(CASES), "dry-run"].map((name) => `${name}.txt`);
    assert.deepEqual(readdirSync(folder).sort(), [...expected, "record.json"].sort());
  });
});
