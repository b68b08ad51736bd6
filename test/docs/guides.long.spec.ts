import assert from "node:assert/strict";
import { readFileSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, it } from "mocha";
import { closeAll, listen } from "../support/rawServer";
import { repository } from "../support/repository";
import { runGuide, type World } from "./guide";
import { NUMBER, nothingSent, puts, routed } from "./steps";

describe("docs/guides", () => {
  it("first-number.md", () =>
    runGuide("docs/guides/first-number.md", {
      steps: { "one PUT": puts(NUMBER), "another PUT": puts(NUMBER), "nothing is bound": routed(NUMBER, {}) },
    }));

  it("rollout.md: what is declared and what calls do, at every step and back, and from stack to stack", async () => {
    const steps: unknown[] = [];
    const call = ({ platform }: World) => {
      const declared = platform.routing(NUMBER)?.inboundAgents ?? {};
      const calls = platform.calls(NUMBER, 10_000);
      assert.deepEqual(Object.keys(calls).sort(), Object.keys(declared).sort());
      for (const [agent, percent] of Object.entries(declared)) {
        assert.ok(Math.abs((calls[agent] ?? 0) - percent * 100) < 150, `${agent}: ${calls[agent]} at ${percent} %`);
      }
      steps.push(declared);
    };
    let figures = { calls: 41, rate: 0.931 };
    const server = createServer((_, response) => response.end(JSON.stringify(figures)));
    const url = `http://127.0.0.1:${await listen(server)}`;
    const named = {
      calls: call,
      "41 calls so far": () => undefined,
      "612 calls": () => {
        figures = { calls: 612, rate: 0.931 };
      },
    };
    try {
      await runGuide("docs/guides/rollout.md", { steps: named, filled: { "https://figures.example.com": url } });
      const [old, tried, next] = ["agent_front@12", "agent_front@13", "agent_front@14"];
      assert.deepEqual(steps, [
        { [old]: 100 },
        { [old]: 99, [tried]: 1 },
        { [old]: 50, [tried]: 50 },
        { [old]: 100 },
        { [next]: 100 },
      ]);
    } finally {
      await closeAll(server, []);
    }
  });

  it("many-numbers.md", () => {
    const all = ["101", "102", "103", "104"].map((end) => `+442079460${end}`);
    const hull = "+442079460105";
    let fault: { remove(): void } | undefined;
    return runGuide("docs/guides/many-numbers.md", {
      steps: {
        "four PUTs": puts(...all),
        "the platform does not know Hull": ({ platform }) => {
          const body = { error: "number not in this workspace" };
          fault = platform.inject({ kind: "status", status: 404, body, number: hull, times: Number.POSITIVE_INFINITY });
        },
        "the platform knows Hull": ({ platform }) => {
          fault?.remove();
          platform.clearRequests();
        },
        "one PUT for Hull, and one that clears York": puts("+442079460104", hull),
      },
    });
  });

  it("existing-numbers.md: what callers hear does not change", () =>
    runGuide("docs/guides/existing-numbers.md", {
      steps: {
        "as the web application shows it": () => undefined,
        "the program that it wrote": ({ project, write }) => {
          const program = readFileSync(join(project.directory, "numbers.ts"), "utf8");
          write(program);
          return program;
        },
        "nothing was sent": nothingSent,
      },
    }));

  it("voices-and-chats.md", () =>
    runGuide("docs/guides/voices-and-chats.md", {
      steps: {
        "one voice and one chat": ({ platform }) =>
          assert.deepEqual(platform.requests.map(({ operation }) => operation).sort(), [
            "addCommunityVoice",
            "createSmsChat",
          ]),
        "the chat is ended, the voice stays": ({ platform }) =>
          assert.deepEqual([platform.voices.length, platform.chats.map(({ ended }) => ended)], [1, [true]]),
      },
    }));

  it("guards.md", () =>
    runGuide("docs/guides/guards.md", {
      steps: { "what runs is sent": ({ platform }) => platform.clearRequests(), "nothing was sent": nothingSent },
    }));

  it("pipelines.md: from the pull request to what was applied", () => {
    const both = puts("+15551230001", "+15551230002");
    return runGuide("docs/guides/pipelines.md", {
      steps: {
        applied: async (world) => {
          await world.run("pulumi up");
          both(world);
        },
        // It is made of the inputs, and so of the emulator's port too.
        "nothing was sent, and the digest is this run's": async (world) => {
          nothingSent(world);
          const report = await world.run("npx pulumi-agent-platform report preview.json --json");
          const { digest } = JSON.parse(report) as { readonly digest: string };
          world.fill("1f0c9a526d1e", digest.trim());
        },
        "two PUTs": both,
      },
    });
  });

  it("two-brands.md: from an empty folder to a split of one brand, and back", () => {
    const six = (start: string) => [1, 2, 3, 4, 5, 6].map((end) => `${start}${end}`);
    const [alba, bora] = [six("+44207946010"), six("+1202555010")];
    const have = (world: World, split: Readonly<Record<string, number>>) => {
      alba.forEach((number) => void routed(number, split)(world));
      bora.forEach((number) => void routed(number, { "agent_bora@7": 100 })(world));
    };
    return runGuide("docs/guides/two-brands.md", {
      // The program is TypeScript, as `init` writes it: Pulumi compiles it.
      env: { NODE_OPTIONS: "", PULUMI_LANGUAGE_NODEJS_RUN_PATH: "" },
      steps: {
        init: ({ platform, run, fill }) => {
          fill("http://127.0.0.1:8080", platform.url);
          return run(
            "rm -r ./* && npx pulumi-agent-platform init brands --stack dev --stack prod && cp -R brands/. . && rm -r brands",
          );
        },
        installed: async ({ project, run }) => {
          symlinkSync(join(repository, "node_modules"), join(project.directory, "node_modules"), "dir");
          await run("pulumi stack init dev && pulumi stack init prod");
        },
        "14 PUTs": puts(...[...alba, ...bora, "+15551230001", "+15551230002"].sort()),
        "alba has 1 % of version 13 in prod, and bora has not changed": (world) =>
          have(world, { "agent_alba@12": 99, "agent_alba@13": 1 }),
        "alba has version 12 in prod": (world) => have(world, { "agent_alba@12": 100 }),
      },
    });
  });

  it("leaving.md", () =>
    runGuide("docs/guides/leaving.md", {
      steps: { "the number keeps its agents": routed(NUMBER, { "agent_front@12": 100 }) },
    }));

  it("automation-api.md", () =>
    runGuide("docs/guides/automation-api.md", {
      steps: { "one PUT": puts(NUMBER), "nothing was sent": nothingSent },
    }));

  it("components.md: into a component without a request, and a version of another stack", () =>
    runGuide("docs/guides/components.md", {
      steps: { "one PUT": puts("+441132460101"), "nothing was sent": nothingSent },
    }));
});
