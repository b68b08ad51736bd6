import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, it } from "mocha";
import { type Profile, startEmulator } from "../../emulator";
import { blocksOf } from "./blocks";

const [requests = ""] = blocksOf("docs/existing-numbers.md").flatMap(({ text }) =>
  text.includes("put()") ? [text] : [],
);

/** What the lines of the page print against an emulator: of each the inbound agents of the number's record, or the error. */
async function printed(profile: Partial<Profile>): Promise<string[]> {
  const emulator = await startEmulator({ profile });
  const env = { ...process.env, AGENT_PLATFORM_BASE_URL: emulator.url, AGENT_PLATFORM_ACCESS_TOKEN: emulator.token };
  try {
    const { stdout } = await promisify(execFile)("bash", ["-c", requests], { env });
    return stdout.trim().split("\n").map(shown);
  } finally {
    await emulator.close();
  }
}

function shown(body: string): string {
  const { error, numbers } = JSON.parse(body);
  return error ?? numbers[0].inbound_agents.map((agent: { agent_id: string }) => agent.agent_id).join(" ");
}

describe("docs/existing-numbers.md", () => {
  it("shows how a lenient platform reads the requests", async () => {
    const both = "agent_front agent_night";
    assert.deepEqual(await printed({}), [both, "agent_front", "agent_front", "agent_front", ""]);
  });

  it("shows how a strict one does", async () => {
    const strict = {
      weights: "sum100",
      agentVersion: "required",
      omittedFields: "replace",
    } as const;
    assert.deepEqual(await printed(strict), [
      "inboundAgents: weights must sum to 100",
      "inboundAgents[0].agent_version is required",
      "",
      "",
      "",
    ]);
  });
});
