import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { folder, run, stored } from "./reportSupport";

/** What the command says of the preview guard-step, which a guard refuses. */
const FAILED =
  "agent-platform report: Refused, nothing is sent: support: inboundAgents: moves 50 percentage points of traffic; limit 25 (agent_front@12 90 % → 40 %, agent_front@13 10 % → 60 %)\n";

describe("agent-platform report as a gate", () => {
  describe("--fail-on", () => {
    const rows: readonly (readonly [string, string, string])[] = [
      ["split-change", "shift>25", ""],
      ["split-change", "shift>20", ""],
      ["split-change", "shift>19.5", "shift>19.5: 4 numbers (1 group, 1 single): 20 percentage points"],
      ["split-change", "replace,delete,create,unresolved", ""],
      ["going-back", "shift>1", ""],
      ["unknown-update", "shift>99", "shift>99: +15551230002 (sales): the size of the change is not known"],
      ["number-deleted", "delete", "delete: +15551230002 (sales): loses its agents"],
      ["number-deleted", "create, replace", ""],
      ["number-retained", "delete", "delete: +15551230003 (night): forgotten by this stack"],
      ["number-renamed", "create,delete,replace", ""],
      ["number-changed", "replace", "replace: sales: +15551230002 → +15551239999"],
      ["number-changed", "delete", "delete: +15551230002 (sales): loses its agents"],
      ["into-the-group", "create,delete", ""],
      [
        "group-joins-and-leaves",
        "create,delete",
        "create: 2 numbers: assigned for the first time by emea\nagent-platform report: delete: 1 number of emea: loses its agents",
      ],
      ["emptied", "delete", "delete: +15551230002 (sales): no inbound agents left"],
      ["chat-sent-again", "replace", "replace: ⚠ Sends an SMS again: +15557654321 (welcome)"],
      [
        "voice-and-chat-renamed",
        "replace",
        "replace: the chat with +15557654321: renamed, will be sent again; the voice Nova: renamed, will be sent again",
      ],
      [
        "unresolved",
        "unresolved",
        "unresolved: ⚠ Unresolved since an earlier run: the voice Nova (nova) may or may not be in workspace 42",
      ],
      ["adopted", "unresolved,create", ""],
    ];
    for (const [name, gates, said] of rows) {
      it(`${name} with ${gates}: ${said === "" ? "passes" : "is blocked"}`, async () => {
        const { code, stderr, stdout } = await run([stored(name), "--fail-on", gates]);
        assert.deepEqual([code, stderr], said === "" ? [0, ""] : [1, `agent-platform report: ${said}\n`]);
        assert.equal(stdout.includes("⛔ CI gate"), said !== "");
      });
    }

    it("lets no preview pass that failed, with the reason", async () => {
      const stdout = readFileSync(join(folder, "guard-step.md"), "utf8");
      assert.deepEqual(await run([stored("guard-step")]), { code: 1, stdout, stderr: FAILED });
    });
  });

  describe("the digest", () => {
    it("is printed alone, and is what --expect takes", async () => {
      const digest = (await run([stored("split-change"), "--digest"])).stdout.trim();
      assert.match(digest, /^[\da-f]{12}$/);
      assert.equal((await run([stored("split-change"), "--expect", digest])).code, 0);
      assert.equal((await run([stored("split-streamed"), "--expect", digest])).code, 0);
      const other = await run([stored("agent-added"), "--expect", digest, "--fail-on", "shift>1"]);
      const found = (await run([stored("agent-added"), "--digest"])).stdout.trim();
      assert.equal(other.code, 3);
      assert.equal(
        other.stderr.split("\n")[0],
        `agent-platform report: This is not what was reviewed: expected ${digest}, found ${found}. Review it again`,
      );
      assert.ok(
        other.stdout.includes(
          `> **This is not what was reviewed: expected \`${digest}\`, found \`${found}\`. Review it again**`,
        ),
      );
    });

    it("does not depend on the order of steps and keys, nor on anything but our resources' inputs", async () => {
      const preview = JSON.parse(readFileSync(stored("group-joins-and-leaves"), "utf8"));
      const digest = (await run(["--digest"], JSON.stringify(preview))).stdout;
      const turned = JSON.parse(
        JSON.stringify({ ...preview, newField: 1, steps: [...preview.steps].reverse() }, (key, value) => {
          if (key === "outputs" || key === "created" || key === "id" || key === "duration") {
            return undefined;
          }
          const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
          return isMap ? Object.fromEntries(Object.entries(value).reverse()) : value;
        }),
      );
      assert.equal((await run(["--digest"], JSON.stringify(turned))).stdout, digest);
      turned.steps[0].newState.inputs.numbers += "+15550000001\n";
      assert.notEqual((await run(["--digest"], JSON.stringify(turned))).stdout, digest);
    });

    it("is none of a preview that failed: that is not what was reviewed", async () => {
      assert.deepEqual(await run([stored("guard-step"), "--digest"]), { code: 1, stdout: "", stderr: FAILED });
      const { code, stderr } = await run([stored("guard-step"), "--expect", "0123456789ab"]);
      assert.equal(code, 3);
      assert.match(
        stderr,
        /^agent-platform report: This is not what was reviewed: expected 0123456789ab, but this preview failed\n/,
      );
    });
  });
});
