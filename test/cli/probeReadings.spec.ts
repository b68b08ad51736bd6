import assert from "node:assert/strict";
import { experiment } from "../../cli/commands/probe/experiments";
import { readFacts } from "../../cli/commands/probe/facts";
import { createClient } from "../../provider";
import { notShown, number, probe, settingsOf, tableOf, whole, withEmulator } from "./probeSupport";

const everyMirror =
  "record agent_id, record outbound_agents, record default_agent_id, assignment agent_id, assignment outbound_agents";

const standard = {
  "success status": "200",
  "field success": "true",
  "which record is ours": "by its number (1 in the response), and assignment",
  "inbound agents are shown in": "inbound_agents",
  "outbound agent is shown in": everyMirror,
  "responses lag behind": "no",
  weights: "any sum, fractions too",
  "weight 0": "kept",
  "three agents": "accepted",
  "an agent without a version": "optional",
  "weights in the response": "as sent",
  "order in the response": "as sent",
  "a field left out": "stays (merge)",
  null: "cleared",
  '[] and ""': "cleared",
  "account and workspace": "as declared",
  "differs from what was sent": "nothing",
};
type Table = Partial<Record<keyof typeof standard, string>>;

const nothingShown: Table = {
  "field success": notShown,
  "which record is ours": notShown,
  "inbound agents are shown in": notShown,
  "outbound agent is shown in": notShown,
  "responses lag behind": notShown,
  "weight 0": "accepted",
  "weights in the response": notShown,
  "order in the response": notShown,
  "a field left out": notShown,
  null: notShown,
  '[] and ""': notShown,
  "account and workspace": notShown,
  "differs from what was sent": notShown,
};

/** What each reading of the interface makes of the table, and the settings if they are not `clearWith null` alone. */
const readings: Record<string, { table: Table; settings?: string[] }> = {
  default: { table: {} },
  "omittedFields=replace": { table: { "a field left out": "is cleared (replace)" } },
  "clears=null": { table: { '[] and ""': "kept" } },
  "clears=empty": { table: { null: "kept" }, settings: ["clearWith empty"] },
  "clears=omit": {
    table: { null: "kept", '[] and ""': "kept", "a field left out": "is cleared (replace)" },
    settings: ["clearWith omit"],
  },
  "clears=nullRefused": { table: { null: "refused" }, settings: ["clearWith empty"] },
  "clears=emptyRefused": { table: { '[] and ""': "refused" } },
  "putStatus=201": { table: { "success status": "201" } },
  "putStatus=202": { table: { "success status": "202" } },
  "putStatus=204": { table: { ...nothingShown, "success status": "204" }, settings: [] },
  "putBody=none": { table: nothingShown, settings: [] },
  "putBody=successOnly": {
    table: { ...nothingShown, "field success": "true", "which record is ours": "no record" },
    settings: [],
  },
  "success=absent": { table: { "field success": "absent" } },
  "success=null": { table: { "field success": "null" } },
  "success=falseOnRefusal": { table: {} },
  "errorStatuses=401/403/409": { table: {} },
  "weights=sum100": {
    table: {
      weights: "must sum to 100, fractions too",
      "weights in the response": "as sent, or scaled to a sum of 100",
    },
    settings: ["clearWith null", "weightTotal 100"],
  },
  "weights=sum1": {
    table: { weights: "must sum to 1, fractions too", "weights in the response": "as sent, or scaled to a sum of 1" },
    settings: ["clearWith null", "weightTotal 1"],
  },
  "weights=integers": { table: { weights: "any sum, whole numbers only" } },
  "weights=max2": { table: { "three agents": "refused" } },
  "answerWeights=scaled1": { table: { "weights in the response": "scaled to a sum of 1" } },
  "answerWeights=scaled100rounded": { table: { "weights in the response": "scaled to a sum of 100 and rounded" } },
  "answerOrder=sorted": { table: { "order in the response": "sorted" } },
  "answerOrder=reversed": { table: { "order in the response": "reversed" } },
  "records=several": { table: { "which record is ours": "by its number (3 in the response), and assignment" } },
  "records=none": {
    table: {
      "which record is ours": "no record, and assignment",
      "outbound agent is shown in": "assignment agent_id, assignment outbound_agents",
    },
  },
  "records=otherFormat": {
    table: { "which record is ours": "the only one, written otherwise (1 in the response), and assignment" },
  },
  "records=baseNumberOnly": {
    table: { "which record is ours": "by its base number (1 in the response), and assignment" },
  },
  "assignment=absent": {
    table: {
      "which record is ours": "by its number (1 in the response)",
      "outbound agent is shown in": "record agent_id, record outbound_agents, record default_agent_id",
    },
  },
  "outboundMirror=agent_id": { table: { "outbound agent is shown in": "record agent_id, assignment agent_id" } },
  "outboundMirror=outbound_agents": {
    table: { "outbound agent is shown in": "record outbound_agents, assignment outbound_agents" },
  },
  "outboundMirror=default_agent_id": {
    table: {
      "outbound agent is shown in": "record default_agent_id",
      // A default agent that is still named may be a binding that is gone.
      "a field left out": `inbound stays (merge); outbound ${notShown}`,
    },
  },
  "outboundMirror=none": {
    table: {
      "outbound agent is shown in": notShown,
      "a field left out": `inbound stays (merge); outbound ${notShown}`,
      null: `inbound cleared; outbound ${notShown}`,
      '[] and ""': `inbound cleared; outbound ${notShown}`,
    },
  },
  "inboundMirror=inbound_agents": { table: {} },
  "inboundMirror=singleId": {
    table: {
      "inbound agents are shown in": "inbound_agent_id",
      "weight 0": "accepted",
      "weights in the response": notShown,
      "order in the response": notShown,
    },
  },
  "agentVersion=required": {
    table: { "an agent without a version": "required" },
    settings: ["clearWith null", "requireVersions true"],
  },
  "agentVersion=latest": { table: { "an agent without a version": "returned with one" } },
  "unsetFields=absent": { table: {} },
  "staleAnswers=1": { table: { "responses lag behind": "by 1 more PUT" } },
  "defaultAgentAfterClear=stays": { table: {} },
  "importError=trueWithMessage": { table: { "differs from what was sent": "platformImportError" } },
  "answerAccount=absent": { table: { "account and workspace": notShown } },
  "answerAccount=different": {
    table: {
      "account and workspace": "another than declared",
      "differs from what was sent": "workspaceId, accountSid",
    },
  },
  strict: {
    table: {
      weights: "must sum to 100, fractions too",
      "weights in the response": "as sent, or scaled to a sum of 100",
      "an agent without a version": "required",
      null: "refused",
    },
    settings: ["clearWith empty", "weightTotal 100", "requireVersions true"],
  },
  terse: { table: { ...nothingShown, "success status": "204" }, settings: [] },
  legacy: {
    table: {
      "which record is ours": "by its number (3 in the response), and assignment",
      "outbound agent is shown in": "record default_agent_id",
      "weights in the response": "scaled to a sum of 100 and rounded",
      "order in the response": "sorted",
      "a field left out": `inbound is cleared (replace); outbound ${notShown}`,
      null: `inbound kept; outbound ${notShown}`,
      '[] and ""': `inbound kept; outbound ${notShown}`,
      "account and workspace": notShown,
    },
    settings: ["clearWith omit"],
  },
};

const both = (effect: string) => ({ inbound: effect, outbound: effect });

describe("agent-platform probe finds what the platform does", () => {
  for (const [profile, { table, settings = ["clearWith null"] }] of Object.entries(readings)) {
    it(profile, () =>
      withEmulator(profile, async (emulator) => {
        const printed = await probe(emulator, whole(emulator));
        assert.deepEqual(tableOf(printed), { ...standard, ...table });
        assert.deepEqual(settingsOf(printed), settings);
        assert.equal(printed.code, 0);
        assert.deepEqual(emulator.routing(number), { inboundAgents: {} });
        assert.deepEqual([...emulator.numbers.keys()], [number], "no other number was touched");
      }),
    );
  }

  it("an answer that lags behind by two", () =>
    withEmulator("staleAnswers=2", async ({ url, token, routing }) => {
      const plan = { number, scope: {}, agents: [{ agentId: "agent_a" }, { agentId: "agent_b" }] } as const;
      const client = createClient({ baseUrl: url, accessToken: token });
      const world = { client, say: () => undefined, wait: () => Promise.resolve(), isStopped: () => false };
      const outcome = await experiment(plan, world);
      const { lag, null: nulls, omission } = readFacts(outcome.answers, plan);
      assert.deepEqual([lag, nulls, omission], [2, both("cleared"), both("kept")]);
      assert.equal(outcome.left, "cleared");
      assert.deepEqual(routing(number), { inboundAgents: {} });
    }));
});
