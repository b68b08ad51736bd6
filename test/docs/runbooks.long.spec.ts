import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { createClient } from "../../provider";
import { runGuide, type Step } from "./guide";
import { killedUp, NUMBER, puts, routed } from "./steps";

const program = (front: number): string => `import { NumberAssignment, split } from "pulumi-agent-platform";
new NumberAssignment("support", {
  number: "${NUMBER}",
  inboundAgents: split({ "agent_front@12": ${front}, "agent_front@13": ${100 - front} }),
});`;

const SALES = "+15551234568";

const applied =
  (...steps: readonly number[]): Step =>
  async ({ write, run }) => {
    for (const front of steps) {
      write(program(front));
      await run("pulumi up");
    }
  };

describe("docs/runbooks", () => {
  it("unresolved-post.md: sent once in all", () =>
    runGuide("docs/runbooks/unresolved-post.md", {
      steps: {
        "the connection breaks after the chat was started": ({ platform }) =>
          void platform.inject({ kind: "resetInHeaders" }),
        "the reader looks and finds the chat": ({ platform, fill }) =>
          fill("<chatId>", platform.chats[0]?.chatId ?? ""),
        "settled, and sent once in all": ({ platform }) => {
          assert.deepEqual(
            platform.requests.map(({ operation }) => operation),
            ["createSmsChat"],
          );
        },
      },
    }));

  it("killed-run.md", () =>
    runGuide("docs/runbooks/killed-run.md", {
      steps: {
        "a run is killed": async (world) => {
          world.platform.clearRequests();
          await killedUp(world);
          routed(SALES, { "agent_front@12": 100 })(world);
        },
        "callers of sales reach its own agents": (world) => {
          routed(NUMBER, { "agent_front@12": 100 })(world);
          routed(SALES, { "agent_sales@3": 100 })(world);
        },
      },
    }));

  it("stuck-delete.md", () =>
    runGuide("docs/runbooks/stuck-delete.md", {
      steps: {
        "a platform on which null clears nothing": ({ platform }) => platform.setProfile({ clears: "empty" }),
        "it is cleared": routed(NUMBER, {}),
      },
    }));

  it("stale-lock.md", () =>
    runGuide("docs/runbooks/stale-lock.md", {
      steps: { "a run left its lock": killedUp, "it is applied": routed(NUMBER, { "agent_front@12": 100 }) },
    }));

  it("wrong-split.md", () =>
    runGuide("docs/runbooks/wrong-split.md", {
      steps: { "a wrong split is applied": applied(90, 10), "back at the split before": applied(90) },
    }));

  it("lost-agents.md", () =>
    runGuide("docs/runbooks/lost-agents.md", {
      steps: {
        "applied, and then cleared by somebody else": async ({ platform, run }) => {
          await run("pulumi up");
          const somebody = createClient({ baseUrl: platform.url, accessToken: platform.token });
          await somebody.assignNumber({ number: NUMBER, inboundAgents: null });
          assert.deepEqual(platform.routing(NUMBER)?.inboundAgents, {});
          platform.clearRequests();
        },
        "it has its agents again": (world) => {
          puts(NUMBER)(world);
          routed(NUMBER, { "agent_front@12": 100 })(world);
        },
      },
    }));

  it("unauthorized.md", () =>
    runGuide("docs/runbooks/unauthorized.md", {
      steps: {
        "the token has expired": ({ platform }) => platform.revokeToken(platform.token),
        "a new token": ({ platform }) => {
          platform.addToken("new-token");
          platform.clearRequests();
        },
        "all three are applied": puts("+442079460101", "+442079460102", "+442079460103"),
      },
    }));
});
