import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import {
  agentsOf,
  assertAlive,
  bindsTo,
  clears,
  failedWith,
  list,
  n,
  oneAttempt,
  program,
  range,
} from "../support/movingNumbers";
import { byTarget, put, withPlatformStack } from "../support/platformStack";

/** Clearing where something fails or is refused besides: clearing.spec.ts shows the rule, here are the rare seams. */
describe("a number whose new holder does not get it", () => {
  it("keeps the agent that it has until the holder has it, also with --continue-on-error", async () => {
    const before = program(`group("g", ${list(range(1, 10))}, "agent_g");`);
    const after = program(`
      const g = group("g", ${list(range(6, 10))}, "agent_g");
      group("h", ${list(range(1, 5))}, "agent_h", { dependsOn: [g] });`);
    await withPlatformStack({ program: before, config: oneAttempt }, async ({ platform, stack, sent, sentNothing }) => {
      await stack.up();
      stack.write(after);
      const refusing = range(1, 5).map((number) =>
        platform.inject({ kind: "status", status: 422, number, times: Number.POSITIVE_INFINITY }),
      );
      assert.equal(refusing.length, 5);
      await stack.up({ expectFailure: true });
      await stack.up({ expectFailure: true, args: ["--continue-on-error"] });
      assertAlive(platform, agentsOf(range(1, 10), "agent_g"));
      platform.clearFaults();
      sent();
      await stack.up();
      assert.deepEqual(
        byTarget(sent()),
        range(1, 5).map((number) => bindsTo(number, "agent_h")),
      );
      await stack.up();
      sentNothing();
      assertAlive(platform, { ...agentsOf(range(1, 5), "agent_h"), ...agentsOf(range(6, 10), "agent_g") });
    });
  });

  it("never gets what a guard refused from the delete of another resource", async () => {
    const before = program(`group("g", ${list(range(1, 2))}, "agent_g");`);
    const taken = (agent: string) =>
      program(`
        group("g", ${list([n(2)])}, "agent_g");
        const a = one("a", "${n(1)}", "${agent}");
        one("broken", "${n(9)}", "agent_broken", { dependsOn: [a] });`);
    await withPlatformStack({ program: before, config: oneAttempt }, async ({ platform, stack, sent, sentNothing }) => {
      await stack.up();
      // The run ends before its deletes: the original of the group holds the number still.
      platform.inject({ kind: "status", status: 422, number: n(9), times: Number.POSITIVE_INFINITY });
      stack.write(taken("agent_a"));
      await stack.up({ expectFailure: true });
      assert.deepEqual(
        stack
          .resources()
          .map(({ name, ...saved }) => `${name}${saved.delete ? " original" : ""}`)
          .sort(),
        ["a", "g", "g original"],
      );
      sent();
      stack.setConfig({
        "agent-platform:maxShift": 25,
        "agent-platform:approvedAgents": JSON.stringify(["agent_a", "agent_g", "agent_broken"]),
        "agent-platform:maxUnapproved": 0,
      });
      stack.write(taken("agent_refused"));
      for (const args of [[], ["--continue-on-error"]]) {
        const refused = await stack.up({ expectFailure: true, args });
        assert.match(refused.output, /AGP-021 (.|\n)*AGP-023 /);
      }
      assertAlive(platform, { [n(1)]: "agent_a", [n(2)]: "agent_g" });
      assert.deepEqual(
        sent().filter(([target]) => target !== put(n(9))),
        [],
      );
      platform.clearFaults();
      stack.write(taken("agent_a"));
      await stack.up();
      assert.deepEqual(byTarget(sent()), [bindsTo(n(1), "agent_a"), bindsTo(n(9), "agent_broken")]);
      await stack.up();
      sentNothing();
    });
  });
});

describe("a step of a group that no number got", () => {
  it("is not where the next step is judged from, and the way back is open", async () => {
    const numbers = range(1, 3);
    const step = (percent: number) =>
      program(`new NumberGroup("g", { numbers: ${list(numbers)}, maxShift: 25,
        inboundAgents: split({ agent_old: ${100 - percent}, agent_new: ${percent} }) });`);
    await withPlatformStack(
      { program: step(0), config: oneAttempt },
      async ({ platform, stack, sent, sentNothing }) => {
        await stack.up();
        sent();
        platform.inject({ kind: "status", status: 503, times: Number.POSITIVE_INFINITY });
        stack.write(step(20));
        await stack.up({ expectFailure: true });
        assert.ok(sent().length > 0);
        for (const percent of [40, 60, 80, 100]) {
          stack.write(step(percent));
          assert.match((await stack.up({ expectFailure: true })).output, /AGP-021/);
          sentNothing();
        }
        platform.clearFaults();
        stack.write(step(100));
        assert.match((await stack.up({ expectFailure: true })).output, /AGP-021/);
        sentNothing();
        for (const number of numbers) {
          assert.deepEqual(platform.routing(number)?.inboundAgents, { agent_old: 100, agent_new: 0 });
        }
        stack.write(step(0));
        await stack.up();
        await stack.up();
        for (const number of numbers) {
          assert.deepEqual(platform.routing(number)?.inboundAgents, { agent_old: 100, agent_new: 0 });
        }
      },
    );
  });
});

describe("a group of 1,000 numbers with one that leaves", () => {
  it("sends one request; protect and deleteBeforeReplace refuse it and clear nothing", async () => {
    const whole = range(1, 1000);
    const rest = range(2, 1000);
    const of = (numbers: readonly string[], options: string) =>
      program(`group("g", ${list(numbers)}, "agent_g", ${options});`);
    await withPlatformStack(
      { program: of(whole, "{ protect: true }") },
      async ({ platform, stack, sent, sentNothing }) => {
        await stack.up();
        assert.equal(sent().length, 1000);
        stack.write(of(rest, "{ protect: true }"));
        const refused = await stack.up({ expectFailure: true });
        assert.match(refused.output, /marked for protection/);
        stack.write(of(rest, "{ deleteBeforeReplace: true }"));
        const first = await stack.up({ expectFailure: true });
        assert.deepEqual(failedWith(first), [
          [
            'AGP-075 NumberGroup "g": delete not sent: `deleteBeforeReplace` would clear numbers before it is known which ones the program still declares.',
            "  The resource stays in the state, and its numbers keep their agents. Remove the resource option deleteBeforeReplace, then rerun.",
          ].join("\n"),
        ]);
        sentNothing();
        assert.deepEqual(platform.routing(n(1)), { inboundAgents: { agent_g: 100 } });
        stack.write(of(rest, "{}"));
        await stack.up();
        assert.deepEqual(sent(), [clears(n(1))]);
        await stack.up();
        sentNothing();
      },
    );
  });
});

describe("a run that cannot know what its other providers declare", () => {
  it("clears nothing and says so; what the other one declares is bound again by a change of triggers, as the message says", async () => {
    const temporary = mkdtempSync(join(tmpdir(), "agent-platform-shared-"));
    const second =
      "const second = new AgentPlatform('second', { baseUrl: process.env.AGENT_PLATFORM_BASE_URL, accessTokenEnv: 'AGENT_PLATFORM_ACCESS_TOKEN' });";
    const before = program(`${second} one("old", "${n(1)}", "agent_old");`);
    const moved = (trigger: string) =>
      program(`${second} new NumberAssignment("new", {
        number: "${n(1)}", inboundAgents: all("agent_new"), triggers: ["${trigger}"],
      }, { provider: second });`);
    const notSentByHolder = [
      [
        `AGP-074 NumberAssignment "old" (${n(1)}): delete not sent: a resource of another provider declares this number, and sent nothing for it in this run, so the number may still have the routing of this resource: change \`triggers\` of the one that declares it, and run \`pulumi up\`.`,
        "  This resource stays in the state. Fix any other resource that failed, then rerun.",
      ].join("\n"),
    ];
    try {
      await withPlatformStack({ program: before }, async ({ platform, stack, sent }) => {
        const address = { AGENT_PLATFORM_BASE_URL: platform.url };
        await stack.up({ env: address });
        sent();
        const folder = join(temporary, `agent-platform-${process.getuid?.() ?? userInfo().username}`);
        mkdirSync(folder, { recursive: true });
        chmodSync(folder, 0o755);
        stack.write(moved("1"));
        const failed = await stack.up({ env: { ...address, TMPDIR: temporary }, expectFailure: true });
        assert.deepEqual(failedWith(failed), [
          [
            `AGP-076 No number is cleared, because it is not known which numbers the program still declares: ${folder} has mode 755.`,
            "  Make it a folder that you own, with mode 0700 and free disk space, or set TMPDIR to another folder. Then rerun.",
          ].join("\n"),
        ]);
        assert.deepEqual(sent(), [bindsTo(n(1), "agent_new")]);
        // No process knows which of the two resources sent last.
        assert.deepEqual(failedWith(await stack.up({ env: address, expectFailure: true })), notSentByHolder);
        assert.deepEqual(sent(), []);
        stack.write(moved("2"));
        await stack.up({ env: address });
        assertAlive(platform, { [n(1)]: "agent_new" });
        assert.deepEqual(
          stack.resources().map(({ name }) => name),
          ["new"],
        );
        assert.deepEqual(sent(), [bindsTo(n(1), "agent_new")]);

        // The number goes back to the first provider in a run that fails, and the program stays as it was.
        const failing = program(`${second}
          const old = one("old", "${n(1)}", "agent_old");
          one("broken", "${n(9)}", "agent_broken", { dependsOn: [old] });`);
        platform.inject({ kind: "status", status: 422, number: n(9) });
        stack.write(failing);
        await stack.up({ env: address, expectFailure: true });
        assert.deepEqual(platform.routing(n(1)), { inboundAgents: { agent_old: 100 } });
        sent();
        stack.write(moved("2"));
        assert.deepEqual(failedWith(await stack.up({ env: address, expectFailure: true })), notSentByHolder);
        assert.deepEqual(sent(), []);
        stack.write(moved("3"));
        await stack.up({ env: address });
        assert.deepEqual(sent(), [bindsTo(n(1), "agent_new")]);
        assertAlive(platform, { [n(1)]: "agent_new" });
        assert.deepEqual((await stack.up({ env: address })).changeSummary.same, 3);
        assert.deepEqual(sent(), []);

        // A provider process dies when its resources are done, and the one that lets the number go begins only then.
        platform.inject({ kind: "status", status: 422, number: n(9) });
        stack.write(failing);
        await stack.up({ env: address, expectFailure: true });
        sent();
        chmodSync(folder, 0o700);
        stack.write(
          program(`${second}
            import { readdirSync, readFileSync } from "node:fs";
            const made = new NumberAssignment("new", {
              number: "${n(1)}", inboundAgents: all("agent_new"), triggers: ["3"],
            }, { provider: second });
            module.exports = (async () => {
              await made.urn.promise();
              const [file] = readdirSync("${folder}");
              process.kill(Number(/^\\{"pid":(\\d+),"by"/m.exec(readFileSync("${folder}/" + file, "utf8"))[1]), "SIGKILL");
            })();`),
        );
        const died = await stack.up({ env: { ...address, TMPDIR: temporary }, expectFailure: true });
        assert.deepEqual(failedWith(died), [
          [
            `AGP-074 NumberAssignment "old" (${n(1)}): delete not sent: the process of the provider that declares this number has ended.`,
            "  This resource stays in the state. Fix any other resource that failed, then rerun.",
          ].join("\n"),
        ]);
        assert.deepEqual(sent(), []);
        stack.write(moved("4"));
        await stack.up({ env: address });
        assert.deepEqual(sent(), [bindsTo(n(1), "agent_new")]);
        assertAlive(platform, { [n(1)]: "agent_new" });
      });
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  });

  it("says so in the program as well, where that cannot tell them what it declares", async () => {
    const temporary = mkdtempSync(join(tmpdir(), "agent-platform-shared-"));
    const folder = join(temporary, `agent-platform-${process.getuid?.() ?? userInfo().username}`);
    const text = program(`
      const { rmSync, writeFileSync } = require("node:fs");
      one("a", "${n(1)}", "agent_a");
      rmSync(${JSON.stringify(folder)}, { recursive: true });
      writeFileSync(${JSON.stringify(folder)}, "");
      one("b", "${n(2)}", "agent_b");`);
    try {
      await withPlatformStack({ program: text }, async ({ stack, sent }) => {
        const failed = await stack.up({ env: { TMPDIR: temporary }, expectFailure: true });
        assert.deepEqual(failedWith(failed), [
          [
            `AGP-076 No number is cleared, because it is not known which numbers the program still declares: ${folder} cannot be used (ENOTDIR).`,
            "  Make it a folder that you own, with mode 0700 and free disk space, or set TMPDIR to another folder. Then rerun.",
          ].join("\n"),
        ]);
        assert.deepEqual(sent().sort(), [bindsTo(n(1), "agent_a"), bindsTo(n(2), "agent_b")]);
      });
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  });
});
