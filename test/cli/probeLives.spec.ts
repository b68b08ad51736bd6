import assert from "node:assert/strict";
import type { Probed } from "../../cli/probe/probe";
import { type Fault, type Profile, type ProfileChoice, switches } from "../../emulator";
import { declare, type MiniStack, withMiniStack } from "../support/miniStack";
import type { Properties } from "../support/providerCalls";
import { checkRows } from "../support/rows";
import { assertNoAgents, NUMBER, probed, subject } from "./probed";

/**
 * Tests `probe` on many different platforms. On each platform, either a stack must work with the suggested settings, or
 * `probe` must report that no settings work.
 */

/**
 * Deploys a number, changes its split, removes its outbound agent and destroys the stack. Asserts that all of this
 * succeeds. Returns the codes of the warnings.
 */
async function runStack(
  stack: MiniStack,
  settings: Probed["settings"],
  { outbound: agent }: typeof subject,
): Promise<string[]> {
  stack.config = {
    ...stack.config,
    ...Object.fromEntries(Object.entries(settings).map(([key, value]) => [`agent-platform:${key}`, String(value)])),
  };
  const total = settings.weightTotal === 1 ? 1 : 100;
  const routing = (share: number, more: Properties = {}): Properties => ({
    number: NUMBER,
    workspaceId: 42,
    inboundAgents: { "agent_front@12": total * (1 - share), "agent_front@13": total * share },
    ...more,
  });
  const outbound = { outboundAgentId: agent.agentId, outboundAgentVersion: agent.agentVersion };
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
  const output = runs.map((run) => run.said).join("");
  return [...new Set(output.match(/AGP-\d{3}/g))];
}

interface Platform {
  /** Describes the platform at the end of the test's title. */
  readonly name: string;
  readonly profile?: ProfileChoice;
  readonly faults?: readonly Fault[];
  /** What `probe` and the stack assign. @default `subject` */
  readonly target?: typeof subject;
  /**
   * The settings that `probe` must suggest. Set this if the stack would also work without them, because then its runs
   * don't show whether `probe` suggested them.
   */
  readonly suggests?: Probed["settings"];
  /** The codes of the warnings that the stack still prints with the suggested settings. @default none */
  readonly warns?: readonly string[];
}

const assertSettingsWork = ({
  profile = {},
  faults = [],
  target = subject,
  suggests,
  warns = [],
}: Omit<Platform, "name">): Promise<void> =>
  withMiniStack({ profile }, async (stack) => {
    for (const fault of faults) {
      stack.emulator.inject(fault);
    }
    const { contradictions, settings, end, stopped } = await probed(stack.emulator, target, undefined, stack.clock);
    assert.deepEqual(contradictions, []);
    assert.equal(stopped, undefined);
    assert.notEqual(end.number, "not cleared");
    assertNoAgents(stack.emulator);
    assert.deepEqual(settings, suggests ?? settings);
    assert.deepEqual(await runStack(stack, settings, target), warns);
    const isRateLimited = stack.emulator.requests.some(({ status }) => status === 429);
    assert.equal(isRateLimited, (profile.rateLimit ?? 0) > 0, "a 429 was returned");
  });

function itSuggestsSettings({ name, ...platform }: Platform): void {
  it(`suggests working settings ${name}`, () => assertSettingsWork(platform));
}

// --- each switch of the emulator's profile

const inWords = (profile: ProfileChoice): string =>
  Object.entries(profile)
    .map(([name, value]) => `${name} is ${value}`)
    .join(", ");

/** Excludes switches for requests that these tests don't send, and switch values with which no settings work. */
const EXCLUDED = /^(outboundAgents|postResponse|endChat|endedChat) |success is false|clear\w+ is none/;

/** The codes of the warnings that are expected for each switch value. */
const WARNINGS: Readonly<Record<string, readonly string[]>> = {
  "putStatus is 202": ["AGP-053"],
  "putStatus is 204": ["AGP-053"],
  "importError is true": ["AGP-050"],
  "importError is trueWithMessage": ["AGP-050"],
};

/** The end of each switch's test title. The default is `for each value of` and the switch's name. */
const TITLES: Partial<Record<keyof Profile, string>> = {
  omittedFields: "for platforms that keep or clear omitted fields",
  clearInbound: "for every way to clear inbound agents",
  clearOthers: "for every way to clear the outbound agent",
  notClearing: "whether invalid clearing values are rejected or ignored",
  putStatus: "for each success status of a PUT",
  success: "whether or not responses have a success field",
  weights: "for each sum of weights that a platform may require",
  responseWeights: "however responses scale the weights",
  records: "however responses list number records",
  agentVersion: "whether or not agent versions are required",
  importError: "whether or not responses report an import error",
  unsetFields: "whether unset fields are null or absent in responses",
  rateLimit: "for platforms with and without a rate limit",
  retryAfter: "for platforms with and without Retry-After headers",
  unknownAgents: "however the platform responds to an unknown agent",
};

/** Other switches that have to be set for a switch to have an effect. */
const PREREQUISITES: Partial<Record<keyof Profile, ProfileChoice>> = {
  // By default, both null and an empty value clear a field, so there is nothing to reject or ignore.
  notClearing: { clearOthers: "empty" },
  // Without a rate limit there are no 429s. The limit must be low, because a probe sends only a few requests.
  retryAfter: { rateLimit: 5 },
};

describe("probe on different platforms", () => {
  for (const { name, values } of switches) {
    const profiles = values
      .map(
        (value): ProfileChoice => ({ [name]: name === "rateLimit" && value !== 0 ? 5 : value, ...PREREQUISITES[name] }),
      )
      .filter((profile) => !EXCLUDED.test(inWords(profile)));
    if (profiles.length > 0) {
      it(`suggests working settings ${TITLES[name] ?? `for each value of ${name}`}`, () =>
        checkRows(profiles, inWords, (profile) =>
          assertSettingsWork({ profile, warns: WARNINGS[inWords(profile)] ?? [] }),
        ));
    }
  }
  itSuggestsSettings({
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

// --- each way to clear a field

const NAMES = ["clearInbound", "clearOthers", "notClearing", "omittedFields"] as const;

/** Returns the profiles for every combination of these switches' values. */
const combinationsOf = <Name extends keyof Profile>(names: readonly Name[]): Pick<Profile, Name>[] =>
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
    checkRows(combinationsOf(NAMES).filter(isPossible), inWords, (profile) => assertSettingsWork({ profile })));

  it("reports that no settings work if no setting can clear the number", () =>
    checkRows(
      combinationsOf(NAMES).filter((profile) => !isPossible(profile)),
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

// --- unusual responses

type Json = Record<string, unknown>;

/** Returns a fault that applies `change` to each number record and to the assignment in every PUT response. */
const withResponses = (change: (view: Json) => Json): readonly Fault[] => [
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
  itSuggestsSettings({
    name: "if responses contain no agents",
    faults: withResponses(without(...LISTS, ...IDS)),
    warns: ["AGP-053"],
  });
  itSuggestsSettings({
    name: "if responses omit the agent lists",
    faults: withResponses(without(...LISTS)),
    warns: ["AGP-053"],
  });
  itSuggestsSettings({
    name: "if every response is a 206",
    faults: [{ kind: "status", status: 206, times: "always" }],
  });
  itSuggestsSettings({
    name: "if clearing a field with null causes a 500",
    faults: [{ kind: "status", status: 500, after: 6, times: 4 }],
    suggests: { clearWith: "empty" },
  });
  itSuggestsSettings({ name: "if responses contain agents only in lists", faults: withResponses(without(...IDS)) });
  itSuggestsSettings({
    name: "if responses omit agent versions",
    faults: withResponses(versionless),
    warns: ["AGP-053"],
  });
  itSuggestsSettings({
    name: "if responses omit the account and the workspace",
    faults: withResponses(without("account_sid", "workspace_id")),
  });
  itSuggestsSettings({
    name: "if responses mask digits of the number",
    faults: withResponses((view) => ({
      ...view,
      ...("number" in view && { number: "+1555***9999", base_number: "+1555***9999" }),
    })),
    warns: ["AGP-050"],
  });

  it("stops immediately if a response names a different workspace", () =>
    withMiniStack({}, async (stack) => {
      for (const fault of withResponses((view) => ({ ...view, workspace_id: 7 }))) {
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

// --- the same agent for inbound and outbound calls

describe("probe with a shared agent", () => {
  const profiles: readonly ProfileChoice[] = [
    {},
    { clearOthers: "empty" },
    // This platform ignores null for the outbound agent. `probe` must notice that, although the agent is also inbound.
    { clearOthers: "empty", notClearing: "ignored" },
    { omittedFields: "replace" },
  ];

  it("suggests working settings for an agent that is both inbound and outbound", () =>
    checkRows(
      profiles,
      (profile) => inWords(profile) || "the default profile",
      (profile) => assertSettingsWork({ profile, target: { ...subject, outbound: subject.agents[0] } }),
    ));
});
