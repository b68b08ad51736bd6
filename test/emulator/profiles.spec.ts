import assert from "node:assert/strict";
import {
  defaultProfile,
  type Profile,
  type ProfileName,
  profiles,
  type Switch,
  startEmulator,
  switches,
} from "../../emulator";
import { chatBody, number, postChat, postEnd, postVoice, put, start } from "./support";

const table: readonly Switch[] = switches;

describe("emulator: profiles", () => {
  it("has a switch for every row with another reading", () => {
    const rows = new Set(table.map(({ row }) => row));
    const silent = [
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 19, 20, 21, 22, 23, 25, 26, 28, 29, 30, 31, 34, 35, 37,
      38, 40, 41,
    ];
    assert.deepEqual(
      silent.filter((row) => !rows.has(row)),
      [],
    );
  });

  it("lists every switch whose values are given, with its default among them", () => {
    const parameters = [
      "latestVersion",
      "actorTypeHeader",
      "providerScopeHeader",
      "workspaceContextHeader",
      "knownVoiceProviders",
      "knownAgents",
      "knownNumbers",
    ];
    const names: string[] = table.map(({ name }) => name);
    assert.deepEqual([...names, ...parameters].sort(), Object.keys(defaultProfile).sort());
    for (const { name, values } of table) {
      assert.ok(
        values.some((value) => value === defaultProfile[name]),
        name,
      );
    }
  });

  it("has a profile for every value, and some that combine several", () => {
    const expected = table.flatMap(({ name, values }) => values.map((value) => `${name}=${value}`));
    assert.deepEqual(Object.keys(profiles), [...expected, "default", "strict", "terse", "legacy"]);
    assert.deepEqual(profiles["clears=null"], { clears: "null" });
    assert.deepEqual(profiles["retryAfter=absent"], { rateLimit: 10, retryAfter: "absent" });
  });

  for (const name of Object.keys(profiles) as ProfileName[]) {
    it(`${name}: answers an ordinary request to each operation`, async () => {
      const emulator = await start({ profile: name, accountSid: "sid" });
      assert.deepEqual(emulator.profile, { ...defaultProfile, ...profiles[name] });
      const body = {
        accountSid: "sid",
        workspaceId: 42,
        inboundAgents: [
          { agent_id: "agent_a", agent_version: 1, weight: emulator.profile.weights === "sum1" ? 1 : 100 },
        ],
      };
      const replies = [
        await put(emulator, body),
        await postVoice(emulator),
        await postChat(emulator, { ...chatBody, metadata: {} }),
        await postEnd(emulator, emulator.chats[0]?.chatId ?? "none"),
      ];
      const statuses = replies.map(({ status }) => status);
      const refusing: Record<string, number[]> = {
        "unknownNumbers=404": [404, 200, 201, 200],
        "tokenExpiresAfter=1": [200, 401, 401, 401],
      };
      const swapped = emulator.profile.postStatuses === "swapped" ? [201, 200] : [200, 201];
      const end = emulator.profile.endChat === "noContent" ? 204 : 200;
      assert.deepEqual(statuses, refusing[name] ?? [emulator.profile.putStatus, ...swapped, end]);
      const bound =
        name === "unknownNumbers=404" || name === "success=false"
          ? undefined
          : { inboundAgents: { "agent_a@1": body.inboundAgents[0]?.weight } };
      assert.deepEqual(emulator.routing(number), bound);
    });
  }

  it("changes the profile of a running emulator and keeps its state", async () => {
    const emulator = await start({ profile: "putStatus=204" });
    await put(emulator, { outboundAgentId: "agent_o" });
    emulator.setProfile({ omittedFields: "replace" });
    assert.deepEqual(emulator.profile, { ...defaultProfile, omittedFields: "replace" });
    assert.deepEqual(emulator.routing(number), { inboundAgents: {}, outboundAgentId: "agent_o" });
    assert.equal((await put(emulator, {})).status, 200);
    assert.deepEqual(emulator.routing(number), { inboundAgents: {} });
  });

  const listed = "`npx pulumi-agent-platform emulator --list-profiles` lists those that do.";
  for (const [profile, message] of [
    ["nope", `Profile "nope" does not exist. ${listed}`],
    ["toString", `Profile "toString" does not exist. ${listed}`],
    [{ claers: "null" }, 'Switch "claers" does not exist.'],
    [{ clears: "nul" }, 'Switch clears takes any, null, empty, omit, nullRefused, emptyRefused; not "nul".'],
    [{ putStatus: 299 }, "Switch putStatus takes 200, 201, 202, 204; not 299."],
    [{ rateLimit: -1 }, "Switch rateLimit takes a number from 0; not -1."],
    [{ knownAgents: "agent_a" }, 'Switch knownAgents takes a list; not "agent_a".'],
    [{ actorTypeHeader: 1 }, "Switch actorTypeHeader takes text; not 1."],
  ] as const) {
    it(`refuses the profile ${JSON.stringify(profile)}`, async () => {
      await assert.rejects(startEmulator({ profile: profile as unknown as Partial<Profile> }), new Error(message));
    });
  }
});
