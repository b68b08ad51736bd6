import assert from "node:assert/strict";
import { readFileSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, it } from "mocha";
import { createClient } from "../../provider";
import { needYaml } from "../support/engine";
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
      "version 14 has all calls of canary and 1 % of prod": ({ platform }: World) => {
        assert.deepEqual(platform.routing("+15551234568")?.inboundAgents, { "agent_front@14": 100 });
        assert.deepEqual(platform.routing("+15551234569")?.inboundAgents, {
          "agent_front@12": 99,
          "agent_front@14": 1,
        });
      },
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

  it("yaml.md", async () => {
    await needYaml();
    const installed = (folder: string) =>
      symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"), "dir");
    await runGuide("docs/guides/yaml.md", {
      steps: {
        installed: ({ project }) => installed(project.directory),
        "installed in desk": ({ project }) => installed(join(project.directory, "desk")),
        "one PUT": puts(NUMBER),
        "nothing was sent": nothingSent,
      },
    });
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

  it("two-accounts.md", () => {
    const main = { accountSid: "main", workspaceId: 42 };
    const branch = { accountSid: "branch", workspaceId: 43 };
    return runGuide("docs/guides/two-accounts.md", {
      emulator: { token: "main-token", tokens: { "main-token": main, "branch-token": branch } },
      steps: {
        "one number in each account": ({ platform }) => {
          const numbers = ["main-token", "branch-token"].map((token) => [
            ...platform.account({ token }).numbers.keys(),
          ]);
          assert.deepEqual(numbers, [["+15551230001"], ["+15551230002"]]);
        },
        "both tokens are rotated": ({ platform }) => {
          platform.addToken("main-token-2", main);
          platform.addToken("branch-token-2", branch);
          for (const token of ["main-token", "branch-token"]) {
            platform.revokeToken(token);
          }
        },
        "both are cleared": ({ platform }) => {
          assert.deepEqual(platform.routing("+15551230001", { token: "main-token-2" })?.inboundAgents, {});
          assert.deepEqual(platform.routing("+15551230002", { token: "branch-token-2" })?.inboundAgents, {});
        },
      },
    });
  });

  it("existing-numbers.md: what callers hear does not change", () => {
    const front = [{ agentId: "agent_front", agentVersion: 12, weight: 100 }];
    const routings = [
      {
        number: NUMBER,
        inboundAgents: [
          { agentId: "agent_night", agentVersion: 4, weight: 30 },
          { agentId: "agent_front", agentVersion: 12, weight: 70 },
        ],
        outboundAgentId: "agent_out",
        outboundAgentVersion: 9,
        inboundWebhookUrl: "https://hooks.example.com/inbound",
        isTimeRoutingEnabled: true,
      },
      { number: "+15551234568", inboundAgents: front },
      { number: "+15551234569", inboundAgents: front },
    ];
    let before: unknown;
    return runGuide("docs/guides/existing-numbers.md", {
      // The harsher reading: what a PUT leaves out is gone.
      emulator: { profile: { omittedFields: "replace" } },
      steps: {
        "as the web application shows it": async ({ platform }) => {
          const client = createClient({ baseUrl: platform.url, accessToken: platform.token });
          for (const routing of routings) {
            await client.assignNumber(routing);
          }
          before = platform.dump().accounts;
          platform.clearRequests();
        },
        "the program that it wrote": ({ project, write }) => {
          const program = readFileSync(join(project.directory, "index.ts"), "utf8");
          write(program);
          return program;
        },
        "nothing changed for callers": (world) => {
          puts(...routings.map(({ number }) => number))(world);
          assert.deepEqual(world.platform.dump().accounts, before);
        },
      },
    });
  });

  it("voices.md", () => {
    const oneVoice = ({ platform }: World) =>
      assert.deepEqual(
        platform.voices.map(({ voiceName }) => voiceName),
        ["Nova"],
      );
    return runGuide("docs/guides/voices.md", { steps: { "one voice": oneVoice, "still one voice": oneVoice } });
  });

  it("chats.md", () =>
    runGuide("docs/guides/chats.md", {
      steps: {
        "one chat": ({ platform }) =>
          assert.deepEqual(
            platform.chats.map(({ ended }) => ended),
            [false],
          ),
        "the chat is ended": ({ platform }) =>
          assert.deepEqual(
            platform.chats.map(({ ended }) => ended),
            [true],
          ),
      },
    }));

  it("guards.md", () =>
    runGuide("docs/guides/guards.md", {
      steps: { "what runs is sent": ({ platform }) => platform.clearRequests(), "nothing was sent": nothingSent },
    }));

  it("probe.md: a number is asked, settings follow, and guards hold them", () =>
    runGuide("docs/guides/probe.md", {
      emulator: { profile: { weights: "sum100", agentVersion: "required", clears: "nullRefused" } },
      steps: {
        "no agent is left, and no other number was touched": ({ platform }) => {
          assert.deepEqual(
            [...platform.numbers.values()].map(({ number, inboundAgents }) => [number, inboundAgents]),
            [["+15550009999", {}]],
          );
          platform.clearRequests();
        },
        "one PUT to assign, one to clear": puts(NUMBER, NUMBER),
      },
    }));

  it("moving.md: the PUT has the body that another tool has sent", () => {
    let body: unknown;
    return runGuide("docs/guides/moving.md", {
      steps: {
        "what the other provider has sent": async ({ platform, project }) => {
          body = JSON.parse(readFileSync(join(project.directory, "body.json"), "utf8"));
          const response = await fetch(`${platform.url}/api/numbers/${encodeURIComponent(NUMBER)}/agent`, {
            method: "PUT",
            headers: { authorization: `Bearer ${platform.token}`, "content-type": "application/json" },
            body: JSON.stringify(body),
          });
          assert.equal(response.status, 200);
          platform.clearRequests();
        },
        "the same body again": (world) => {
          assert.deepEqual(
            world.platform.requests.map((request) => request.body),
            [body],
          );
          puts(NUMBER)(world);
        },
      },
    });
  });

  it("pipelines.md: from the pull request to the way back", () => {
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
          const digest = await world.run("npx pulumi-agent-platform report preview.json --digest");
          world.fill("1f0c9a526d1e", digest.trim());
        },
        "two PUTs": both,
        "two PUTs back": both,
        "two PUTs again": both,
      },
    });
  });

  it("leaving.md", () =>
    runGuide("docs/guides/leaving.md", {
      steps: { "the number keeps its agents": routed(NUMBER, { "agent_front@12": 100 }) },
    }));

  it("numbers-from-a-file.md: a mistake in row 57, and rows that disappear", () => {
    const all = Array.from({ length: 60 }, (_, index) => `+4420794601${String(index + 1).padStart(2, "0")}`);
    return runGuide("docs/guides/numbers-from-a-file.md", {
      steps: { "sixty PUTs": puts(...all), "nothing was sent": nothingSent },
    });
  });

  it("automation-api.md", () =>
    runGuide("docs/guides/automation-api.md", {
      steps: { "one PUT": puts(NUMBER), "nothing was sent": nothingSent },
    }));

  it("components.md: into a component without a request, and a version of another stack", () =>
    runGuide("docs/guides/components.md", {
      steps: { "one PUT": puts("+441132460101"), "nothing was sent": nothingSent },
    }));

  it("skip-preview.md: a guard and a mistake are refused all the same", () =>
    runGuide("docs/guides/skip-preview.md", {
      steps: {
        "two PUTs": puts(NUMBER, "+15551234568"),
        "nothing was sent": nothingSent,
        "nothing was sent either": nothingSent,
      },
    }));
});
