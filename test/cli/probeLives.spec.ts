import assert from "node:assert/strict";
import type { Probed } from "../../cli/probe/probe";
import { type Fault, type Profile, type ProfileChoice, switches } from "../../emulator";
import { declare, hurryingClock, type MiniStack, withMiniStack } from "../support/miniStack";
import type { Properties } from "../support/providerCalls";
import { checkRows } from "../support/rows";
import { assertNoAgents, NUMBER, probed, subject } from "./probed";

/**
 * However the platform behaves, a stack with the settings that `probe` suggests runs without failures, or `probe` says
 * that no setting helps.
 */

/** Creates, changes, removes the outbound agent and destroys. Resolves with the codes of all warnings. */
async function live(stack: MiniStack, settings: Probed["settings"]): Promise<string[]> {
  stack.config = {
    ...stack.config,
    ...Object.fromEntries(Object.entries(settings).map(([key, value]) => [`agent-platform:${key}`, String(value)])),
  };
  const whole = settings.weightTotal === 1 ? 1 : 100;
  const routing = (share: number, more: Properties = {}): Properties => ({
    number: NUMBER,
    workspaceId: 42,
    inboundAgents: { "agent_front@12": whole * (1 - share), "agent_front@13": whole * share },
    ...more,
  });
  const outbound = { outboundAgentId: "agent_out", outboundAgentVersion: 9 };
  const runs = [
    await stack.up([declare("numberAssignment", routing(0.25, outbound))]),
    await stack.up([declare("numberAssignment", routing(0.5, outbound))]),
    await stack.up([declare("numberAssignment", routing(0.5))]),
  ];
  assert.equal(
    stack.emulator.routing(NUMBER)?.outboundAgentId,
    undefined,
    "the outbound agent in the emulator's store",
  );
  runs.push(await stack.destroy());
  for (const { failures } of runs) {
    assert.deepEqual(failures, []);
  }
  const { inboundAgents, outboundAgentId } = stack.emulator.routing(NUMBER) ?? {};
  assert.deepEqual(inboundAgents, {}, "the inbound agents in the emulator's store, after the destroy");
  assert.equal(outboundAgentId, undefined, "the outbound agent in the emulator's store, after the destroy");
  const said = runs.map((run) => run.said).join("");
  return [...new Set(said.match(/AGP-\d{3}/g))];
}

interface Platform {
  /** The end of the title: what is true of the platform. */
  readonly name: string;
  readonly profile?: ProfileChoice;
  readonly faults?: readonly Fault[];
  /** The codes of the warnings that remain with the suggested settings. @default none */
  readonly warns?: readonly string[];
}

const lives = ({ profile = {}, faults = [], warns = [] }: Omit<Platform, "name">): Promise<void> =>
  withMiniStack({ profile, clock: hurryingClock(50), attempts: 4 }, async (stack) => {
    for (const fault of faults) {
      stack.emulator.inject(fault);
    }
    const { contradictions, settings, end, stopped } = await probed(stack.emulator);
    assert.deepEqual(contradictions, []);
    assert.equal(stopped, undefined);
    assert.notEqual(end.number, "not cleared");
    assertNoAgents(stack.emulator);
    assert.deepEqual(await live(stack, settings), warns);
    const isRefused = stack.emulator.requests.some(({ status }) => status === 429);
    assert.equal(isRefused, (profile.rateLimit ?? 0) > 0, "a 429 was returned");
  });

function itLives({ name, ...platform }: Platform): void {
  it(`suggests working settings ${name}`, () => lives(platform));
}

// --- each switch of the emulator

const inWords = (profile: ProfileChoice): string =>
  Object.entries(profile)
    .map(([name, value]) => `${name} is ${value}`)
    .join(", ");

/** Switches for POSTs, and those for which no setting helps. Those are tested below. */
const OTHERS = /^(postResponse|endChat|endedChat) |success is false|clear\w+ is none/;

const WARNS: Readonly<Record<string, readonly string[]>> = {
  "putStatus is 202": ["AGP-053"],
  "putStatus is 204": ["AGP-053"],
  "importError is true": ["AGP-050"],
  "importError is trueWithMessage": ["AGP-050"],
};

/** The ends of the titles. A new switch needs none. */
const TITLES: Partial<Record<keyof Profile, string>> = {
  omittedFields: "for platforms that keep or clear omitted fields",
  clearInbound: "for every way to clear inbound agents",
  clearOthers: "for every way to clear the outbound agent",
  notClearing: "whether invalid clearing values are rejected or ignored",
  putStatus: "for each success status of a PUT",
  success: "whether or not responses have a success field",
  weights: "whatever sum of weights the platform requires",
  responseWeights: "however responses scale the weights",
  outboundAgents: "for platforms with and without outbound splits",
  records: "however responses list number records",
  agentVersion: "whether or not agent versions are required",
  importError: "whether or not responses report an import error",
  unsetFields: "whether unset fields are null or absent in responses",
  rateLimit: "for platforms with and without a rate limit",
  retryAfter: "for platforms with and without Retry-After headers",
  unknownAgents: "however the platform responds to an unknown agent",
};

/** A probe sends few requests, which exceed a limit only if it is low. */
const isLimited = (name: string) => name === "rateLimit" || name === "retryAfter";

describe("probe on different platforms", () => {
  for (const { name, values } of switches) {
    const profiles = values
      .map((value): ProfileChoice => ({ [name]: value, ...(isLimited(name) && { rateLimit: value === 0 ? 0 : 5 }) }))
      .filter((profile) => !OTHERS.test(inWords(profile)));
    if (profiles.length > 0) {
      it(`suggests working settings ${TITLES[name] ?? `for each value of ${name}`}`, () =>
        checkRows(profiles, inWords, (profile) => lives({ profile, warns: WARNS[inWords(profile)] ?? [] })));
    }
  }
  itLives({
    name: "for a platform that deviates in many ways",
    profile: {
      omittedFields: "replace",
      clearOthers: "empty",
      weights: "sum1",
      responseWeights: "scaled100rounded",
      agentVersion: "required",
      records: "several",
      unsetFields: "absent",
      unknownAgents: "404",
      success: "absent",
    },
  });
});

// --- each way to clear

const NAMES = ["clearInbound", "clearOthers", "notClearing", "omittedFields"] as const;

/** Every combination of these switches' values. */
const allOf = <Name extends keyof Profile>(names: readonly Name[]): Pick<Profile, Name>[] =>
  names.reduce<object[]>(
    (combinations, name) => {
      const { values = [] } = switches.find((entry) => entry.name === name) ?? {};
      return combinations.flatMap((profile) => values.map((value) => ({ ...profile, [name]: value })));
    },
    [{}],
  ) as Pick<Profile, Name>[];

describe("probe with different ways to clear fields", () => {
  const takes = (clearing: string, form: "null" | "empty") => clearing === "any" || clearing === form;
  const isPossible = ({ clearInbound, clearOthers, omittedFields }: Pick<Profile, (typeof NAMES)[number]>): boolean =>
    omittedFields === "replace" ||
    (takes(clearInbound, "empty") && clearOthers !== "none") ||
    (takes(clearInbound, "null") && takes(clearOthers, "null"));

  it("suggests working settings if any setting can clear the number", () =>
    checkRows(allOf(NAMES).filter(isPossible), inWords, (profile) => lives({ profile })));

  it("reports that no settings work if the number cannot be cleared", () =>
    checkRows(
      allOf(NAMES).filter((profile) => !isPossible(profile)),
      inWords,
      (profile) =>
        withMiniStack({ profile }, async (stack) => {
          const { contradictions, settings, end } = await probed(stack.emulator);
          assert.equal(contradictions.length, 1, contradictions.join("\n"));
          assert.equal(settings.clearWith, undefined);
          const { inboundAgents, outboundAgentId } = stack.emulator.routing(NUMBER) ?? { inboundAgents: {} };
          const left = end.left.map(({ field }) => field);
          assert.equal(
            left.includes("inboundAgents"),
            Object.keys(inboundAgents).length > 0,
            "inbound agents are left",
          );
          assert.equal(left.includes("outboundAgentId"), outboundAgentId !== undefined, "an outbound agent is left");
          assert.equal(
            left.includes("inboundAgents"),
            profile.clearInbound === "none",
            "inbound agents can't be cleared",
          );
          assert.equal(
            left.includes("outboundAgentId"),
            profile.clearOthers === "none",
            "an outbound agent can't be cleared",
          );
        }),
    ));
});

// --- each kind of response

type Json = Record<string, unknown>;

/** Changes the record and the assignment in each response. */
const shows = (change: (view: Json) => Json): readonly Fault[] => [
  {
    kind: "contradict",
    times: "always",
    operation: "assignNumber",
    patch(response) {
      const { numbers, assignment, ...rest } = response as { numbers: Json[]; assignment: Json };
      return { ...rest, numbers: numbers.map(change), assignment: change(assignment) };
    },
  },
];

const without =
  (...names: readonly string[]) =>
  (view: Json): Json =>
    Object.fromEntries(Object.entries(view).filter(([name]) => !names.includes(name)));

const LISTS = ["inbound_agents", "outbound_agents"];
const IDS = ["agent_id", "default_agent_id", "inbound_agent_id"];
const VERSIONS = ["inbound_agent_version", "outbound_agent_version"];

const versionless = (view: Json): Json => {
  const lists = LISTS.map((name) => [name, (view[name] as Json[]).map(without("agent_version"))]);
  return { ...without(...VERSIONS)(view), ...Object.fromEntries(lists) };
};

describe("probe with different responses", () => {
  itLives({
    name: "if responses contain no agents",
    faults: shows(without(...LISTS, ...IDS)),
    warns: ["AGP-053"],
  });
  itLives({
    name: "if responses omit the agent lists",
    faults: shows(without(...LISTS)),
    warns: ["AGP-053"],
  });
  itLives({ name: "if every response has the status 206", faults: [{ kind: "status", status: 206, times: "always" }] });
  itLives({
    name: "if clearing a field with null causes a 500",
    faults: [{ kind: "status", status: 500, after: 6, times: 4 }],
  });
  itLives({ name: "if responses contain agents only in lists", faults: shows(without(...IDS)) });
  itLives({ name: "if responses omit agent versions", faults: shows(versionless), warns: ["AGP-053"] });
  itLives({
    name: "if responses omit the account and the workspace",
    faults: shows(without("account_sid", "workspace_id")),
  });
  itLives({
    name: "if responses mask digits of the number",
    faults: shows((view) => ({
      ...view,
      ...("number" in view && { number: "+1555***0000", base_number: "+1555***0000" }),
    })),
    warns: ["AGP-050"],
  });

  it("stops immediately if a response names a different workspace", () =>
    withMiniStack({}, async (stack) => {
      for (const fault of shows((view) => ({ ...view, workspace_id: 7 }))) {
        stack.emulator.inject(fault);
      }
      const { steps, contradictions } = await probed(stack.emulator);
      assert.equal(steps.length, 1, "questions");
      assert.equal(contradictions.length, 1, contradictions.join("\n"));
      assert.equal(stack.emulator.requests.length, 3, "requests: the first question, and one for each field to clear");
      assertNoAgents(stack.emulator);
    }));

  it("reports that no settings work if the platform rejects every split", () =>
    withMiniStack({ profile: { success: "false" } }, async (stack) => {
      const { contradictions, end } = await probed(stack.emulator);
      assert.equal(contradictions.length, 1, contradictions.join("\n"));
      assert.equal(end.number, "unchanged");
      assert.equal(stack.emulator.requests.length, 2, "requests: both splits");
    }));

  it("reports that no settings work if responses show the wrong agents", () =>
    withMiniStack({}, async (stack) => {
      stack.emulator.inject({ kind: "contradict", times: "always" });
      const { contradictions } = await probed(stack.emulator);
      assert.notEqual(contradictions.length, 0);
      assertNoAgents(stack.emulator);
    }));
});

// --- the same agent for both

describe("probe with a shared agent", () => {
  const profiles: readonly ProfileChoice[] = [{}, { clearOthers: "empty" }, { omittedFields: "replace" }];

  it("suggests working settings for an agent that is both inbound and outbound", () =>
    checkRows(
      profiles,
      (profile) => inWords(profile) || "the default profile",
      (profile) =>
        withMiniStack({ profile }, async (stack) => {
          const [outbound] = subject.agents;
          const { contradictions, settings } = await probed(stack.emulator, { ...subject, outbound });
          assert.deepEqual(contradictions, []);
          assertNoAgents(stack.emulator);
          assert.deepEqual(await live(stack, settings), []);
        }),
    ));
});
