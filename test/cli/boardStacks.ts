import { group, number, type RecordedStack } from "./recorded";

/** Three stacks on the way of one version, as the mock-up of the page has them. */

const front = (percent: number, stable = "agent_front@12", candidate = "agent_front@13") => ({
  stable,
  candidate,
  percent,
});

const numbersFrom = (prefix: string, count: number, labels: readonly string[]): string =>
  Array.from(
    { length: count },
    (_, index) => `${prefix}${String(index + 1).padStart(4, "0")}\t${labels[index % labels.length]}\n`,
  ).join("");

const CITIES = ["London", "Leeds", "Bristol", "Cardiff", "York", "Glasgow"];

const settings = (percent: number, steps: string, promote: Readonly<Record<string, string>> = {}) => ({
  "agent-platform:baseUrl": "https://platform.example",
  "agent-platform:steps": steps,
  "agent-platform:rollouts": JSON.stringify({ front: { ...front(percent), promote } }),
});

const support = (prefix: string, count: number, percent: number, since: string, more: Record<string, unknown> = {}) =>
  group("support", numbersFrom(prefix, count, CITIES), {
    rollout: { name: "front", ...front(percent) },
    inboundAgents: { "agent_front@12": 100 - percent, "agent_front@13": percent },
    outboundAgentId: "agent_callback",
    since,
    ...more,
  });

const before = { "agent_front@12": 99, "agent_front@13": 1 };

export const BOARD_STACKS: Readonly<Record<string, RecordedStack>> = {
  dev: {
    config: settings(100, "[1, 10, 50, 100]"),
    state: {
      entries: [
        group("support", "+15551210001\tTest\n", {
          rollout: { name: "front", ...front(100) },
          inboundAgents: { "agent_front@13": 100 },
          since: "2026-11-19T09:10:00Z",
        }),
      ],
    },
    runs: [
      { at: "2026-11-18T09:00:00Z", message: "front: 50 % (#35)", rollouts: { front: front(50) } },
      { at: "2026-11-19T09:10:00Z", message: "front: 100 % (#36)", rollouts: { front: front(100) } },
    ],
  },
  canary: {
    config: settings(50, "[10, 50, 100]", { after: "dev", minSoak: "24h" }),
    state: { entries: [support("+1555122", 12, 50, "2026-11-22T14:02:00Z")] },
    runs: [
      { at: "2026-11-20T10:00:00Z", message: "front: 10 % (#38)", who: "Ben", rollouts: { front: front(10) } },
      { at: "2026-11-22T14:02:00Z", message: "front: 50 % (#40)", who: "Ben", rollouts: { front: front(50) } },
    ],
  },
  prod: {
    config: settings(10, "[1, 10, 50, 100]", { after: "canary", minSoak: "24h" }),
    state: {
      entries: [
        support("+1555123", 240, 10, "2026-11-23T09:02:00Z", {
          unapplied: [
            {
              numbers: "+15551230017\n+15551230044\n+15551230102\n",
              reason: "unknown",
              applied: { inboundAgents: before },
              maybe: [{ inboundAgents: { "agent_front@12": 90, "agent_front@13": 10 } }],
            },
          ],
        }),
        number("reception", "4001", {
          inboundAgents: { "agent_desk@3": 100 },
          since: "2026-11-11T08:00:00Z",
        }),
        number("survey", "4002", {
          inboundAgents: { "agent_a@1": 60, "agent_b@1": 30, "agent_c@1": 10 },
          since: "2026-11-11T08:00:00Z",
        }),
      ],
    },
    runs: [
      {
        at: "2026-11-20T16:30:00Z",
        message: "Abort front in prod",
        who: "Chi",
        rollouts: {
          front: {
            stable: "agent_front@12",
            aborted: { agent: "agent_front@11", percent: 10, at: "2026-11-20T16:28:00Z" },
          },
        },
      },
      { at: "2026-11-22T08:00:00Z", message: "front: 1 % (#39)", who: "Ada", rollouts: { front: front(1) } },
      {
        at: "2026-11-23T09:02:00Z",
        message: "front: 10 % (#41)",
        who: "Ada",
        rollouts: { front: front(10) },
        result: "failed",
      },
    ],
  },
};
