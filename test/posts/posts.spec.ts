import assert from "node:assert/strict";
import { holdsUnknown, UNKNOWN } from "../../provider/base/engine";
import { LIFECYCLES } from "../../provider/lifecycles";
import { communityVoice, smsChat } from "../../provider/posts/kinds";
import type { Lifecycle } from "../../provider/run/resource";
import { POSTED_KINDS, type PostedKind, postedAs } from "../../provider/stack/kinds";
import { argsWithUnknowns, ENDPOINT, outcome, reasons, settings, settingsWith } from "../support/inputs";
import { urnOf } from "../support/providerCalls";
import { CONTEXT, CHAT as chat, POSTED_ARGS, VOICE as voice } from "./inputs";

const headers = settingsWith(CONTEXT);
const checkVoice = (args: object, more = settings) => communityVoice.check(undefined, { ...args }, more);
const checkChat = (args: object, more = settings) => smsChat.check(undefined, { ...args }, more);
const workspace = "AGP-001 workspaceId must be given, here or as agent-platform:workspaceId.";

describe("CommunityVoice.check", () => {
  it("takes the workspace of the settings", () => {
    const { workspaceId: _, ...without } = voice;
    assert.deepEqual(checkVoice(without, settingsWith({ workspaceId: 7 })).inputs, { ...voice, workspaceId: 7 });
  });

  it("takes an admin with a context, and any other actor without one, if the settings name the headers", () => {
    for (const more of [
      { actorType: "platform_admin", workspaceContext: "w" },
      { actorType: "provider_admin", workspaceContext: UNKNOWN },
      { actorType: "tenant_admin" },
      { actorType: "end_user" },
    ]) {
      assert.deepEqual(reasons(checkVoice({ ...voice, ...more }, headers)), []);
    }
  });

  const bad: [object, string[]][] = [
    [{ workspaceId: undefined }, [workspace]],
    [
      { actorType: "root" },
      ['AGP-001 actorType must be one of "platform_admin", "provider_admin", "tenant_admin", "end_user".'],
    ],
    [
      { actorType: "platform_admin" },
      [
        'AGP-001 workspaceContext must be given with the actor type "platform_admin".',
        "AGP-001 actorType needs the name of its header: set agent-platform:voiceHeaders.actorType.",
      ],
    ],
    [
      { providerScope: "s", workspaceContext: "w" },
      [
        "AGP-001 providerScope needs the name of its header: set agent-platform:voiceHeaders.providerScope.",
        "AGP-001 workspaceContext needs the name of its header: set agent-platform:voiceHeaders.workspaceContext.",
      ],
    ],
    [{ workspaceContext: "Zürich" }, ["AGP-001 workspaceContext must be one line of visible ASCII."]],
  ];
  for (const [args, expected] of bad) {
    it(`refuses: ${expected[0]}`, () => assert.deepEqual(reasons(checkVoice({ ...voice, ...args })), expected));
  }
});

describe("the rules of an argument, for each kind that has it", () => {
  const phone = "must be a phone number in international format: `+`, the country code, 7 to 15 digits, nothing else.";
  const rules: [argument: string, value: unknown, rule: string][] = [
    ["agentId", "agent_1", '("agent_1") must start with `chat_agent_` and name an agent.'],
    ["fromNumber", "15550000001", phone],
    ["toNumber", "+1 555", phone],
    ["toNumber", "+15550000001#12", phone],
    ["metadata", "a=1", "must be an object."],
    [
      "metadata",
      { a: Number.NaN },
      "must be JSON: texts, numbers, lists and maps; write a Date as text, with toISOString().",
    ],
    ["metadata", { a: "x".repeat(65_536) }, "must be at most 65536 characters of JSON."],
    ["serviceDynamicVariables", [1], "must be an object."],
  ];
  for (const kind of POSTED_KINDS) {
    const { check } = LIFECYCLES[kind] as unknown as Lifecycle<object, object>;
    for (const [argument, value, rule] of rules.filter(([name]) => name in POSTED_ARGS[kind])) {
      it(`${kind}.${argument} ${rule}`, () => {
        const checked = check(undefined, { ...POSTED_ARGS[kind], [argument]: value }, headers);
        assert.deepEqual(reasons(checked), [`AGP-001 ${argument} ${rule}`]);
      });
    }
  }
});

describe("a frozen stack", () => {
  const frozen = settingsWith({ freeze: "holiday" });
  it("refuses what would post, and adopts", () => {
    const refusal = [{ guard: "freeze", reason: "holiday" }];
    assert.deepEqual(checkVoice(voice, frozen).violations, refusal);
    assert.deepEqual(checkChat(chat, frozen).violations, refusal);
    assert.deepEqual(reasons(checkVoice({ ...voice, adopt: "voice_1" }, frozen)), []);
    assert.deepEqual(reasons(checkChat({ ...chat, adopt: "chat_1" }, frozen)), []);
    // In later runs diff judges what changes.
    assert.deepEqual(reasons(communityVoice.check({}, voice, frozen)), []);
    assert.deepEqual(reasons(smsChat.check({}, chat, frozen)), []);
  });

  it("refuses a change that would post, and no other", () => {
    const change = (args: object) =>
      outcome(smsChat.diff("c", { ...chat, endpoint: ENDPOINT }, { ...chat, ...args }, frozen));
    assert.equal(change({ sendKey: "2" }), "replace by sendKey; ends the chat; refused by freeze");
    assert.equal(change({ metadata: { a: 1 } }), "update; recorded");
    const olds = { ...voice, endpoint: ENDPOINT };
    const renamed = communityVoice.diff("v", olds, { ...voice, voiceName: "B" }, frozen);
    assert.equal(outcome(renamed), "replace by voiceName; refused by freeze");
  });
});

describe("arguments are taken as they are; an unknown value passes, and replaces where the known would", () => {
  for (const kind of POSTED_KINDS) {
    const { check, diff } = LIFECYCLES[kind] as unknown as Lifecycle<object, object>;
    const { recorded, ends } = postedAs(kind);
    it(kind, () => {
      const inputs = POSTED_ARGS[kind];
      assert.deepEqual(check(undefined, inputs, headers), { inputs, failures: [], violations: [], adopts: undefined });
    });

    const whole = { ...POSTED_ARGS[kind], adopt: "a" };
    for (const { path, args } of argsWithUnknowns(whole)) {
      it(`${kind}.${path}`, () => {
        const checked = check(undefined, args, headers);
        assert.deepEqual([reasons(checked), holdsUnknown(checked.inputs)], [[], true]);
        const olds = { ...check(undefined, whole, headers).inputs, endpoint: ENDPOINT };
        const isRecorded = recorded.some((field) => path.split(/[.[]/)[0] === field);
        const changed = isRecorded ? "update; recorded" : `replace by ${path}${ends ? "; ends the chat" : ""}`;
        assert.equal(outcome(diff("id", olds, checked.inputs, headers)), path === "adopt" ? "same" : changed);
      });
    }
  }
});

describe("the diff of what was posted", () => {
  const unresolved = { unresolved: true } as const;
  const elsewhere = { endpoint: "https://old.example.com" };
  const sent = "; ends the chat";
  const phones = { fromNumber: "+442079460100", toNumber: "+442079460101" };
  const rows: readonly {
    readonly kind: PostedKind;
    readonly name: string;
    readonly before: object;
    readonly after: object;
    readonly expected: string;
  }[] = [
    { kind: "CommunityVoice", name: "the same", before: {}, after: {}, expected: "same" },
    { kind: "CommunityVoice", name: "no adopt -> adopt", before: {}, after: { adopt: "v" }, expected: "same" },
    { kind: "CommunityVoice", name: "adopt -> none", before: { adopt: "v" }, after: {}, expected: "same" },
    {
      kind: "CommunityVoice",
      name: "retryUnresolved of an entry that is resolved",
      before: {},
      after: { retryUnresolved: "v" },
      expected: "same",
    },
    {
      kind: "CommunityVoice",
      name: "another platform: a warning, never posted",
      before: elsewhere,
      after: {},
      expected: "same; notMoved",
    },
    {
      kind: "CommunityVoice",
      name: "unresolved -> the same",
      before: unresolved,
      after: {},
      expected: "update; unresolved",
    },
    {
      kind: "CommunityVoice",
      name: "unresolved -> edited: no replacement",
      before: unresolved,
      after: { voiceName: "B" },
      expected: "update; unresolved",
    },
    {
      kind: "CommunityVoice",
      name: "unresolved -> retry of another id",
      before: unresolved,
      after: { retryUnresolved: "w" },
      expected: "update; unresolved",
    },
    {
      kind: "CommunityVoice",
      name: "unresolved -> retry",
      before: unresolved,
      after: { retryUnresolved: "v" },
      expected: "replace by retryUnresolved",
    },
    {
      kind: "CommunityVoice",
      name: "unresolved -> adopt",
      before: unresolved,
      after: { adopt: "voice_1" },
      expected: "replace by adopt",
    },
    {
      kind: "CommunityVoice",
      name: "unresolved -> adopt unknown",
      before: unresolved,
      after: { adopt: UNKNOWN },
      expected: "update; unresolved",
    },
    { kind: "SmsChat", name: "the same", before: {}, after: {}, expected: "same" },
    {
      kind: "SmsChat",
      name: "who talks to whom",
      before: {},
      after: phones,
      expected: `replace by fromNumber, toNumber${sent}`,
    },
    {
      kind: "SmsChat",
      name: "metadata A -> B: recorded",
      before: { metadata: { a: 1 } },
      after: { metadata: { a: 2 } },
      expected: "update; recorded",
    },
    {
      kind: "SmsChat",
      name: "metadata beside a sendKey",
      before: {},
      after: { metadata: { a: 1 }, sendKey: "2" },
      expected: `replace by sendKey${sent}`,
    },
    {
      kind: "SmsChat",
      name: "another order of keys",
      before: { metadata: { a: 1, b: 2 } },
      after: { metadata: { b: 2, a: 1 } },
      expected: "same",
    },
    {
      kind: "SmsChat",
      name: "variables -> none: recorded",
      before: { serviceDynamicVariables: { a: 1 } },
      after: {},
      expected: "update; recorded",
    },
    {
      kind: "SmsChat",
      name: "another platform: a warning, never posted",
      before: elsewhere,
      after: {},
      expected: "same; notMoved",
    },
    {
      kind: "SmsChat",
      name: "unresolved -> another recipient: no replacement",
      before: unresolved,
      after: phones,
      expected: "update; unresolved",
    },
  ];
  for (const { kind, name, before, after, expected } of rows) {
    it(`${kind}: ${name}: ${expected}`, () => {
      const { check, diff } = LIFECYCLES[kind] as unknown as Lifecycle<object, object>;
      const args = kind === "SmsChat" ? chat : voice;
      const inputsOf = (more: object) => check(undefined, { ...args, ...more }, settings).inputs;
      const state = { ...inputsOf({}), endpoint: ENDPOINT, ...before };
      assert.equal(outcome(diff("v", state, inputsOf(after), settings)), expected);
    });
  }

  it("refuses the retry of an unresolved one in a frozen stack, and no adoption, which sends nothing", () => {
    const frozen = { ...settings, guards: { ...settings.guards, freeze: "audit" } };
    const state = { ...checkVoice(voice).inputs, endpoint: ENDPOINT, ...unresolved };
    const judged = (args: object) =>
      communityVoice.diff("v", state, checkVoice({ ...voice, ...args }).inputs, frozen).violations;
    assert.deepEqual(judged({ retryUnresolved: "v" }), [{ guard: "freeze", reason: "audit" }]);
    assert.deepEqual(judged({ adopt: "voice_1" }), []);
  });
});

describe("adopt that stays in the program", () => {
  it("is no way to go on with a chat that the replacement has just ended", () => {
    const welcome = { ...chat, __urn: urnOf("smsChat", "welcome") };
    const olds: ReturnType<typeof smsChat.readState> = {
      ...checkChat({ ...welcome, adopt: "c" }).inputs,
      chatId: "c",
      endpoint: ENDPOINT,
    };
    const change = (args: object) => smsChat.diff("c", olds, checkChat({ ...welcome, ...args }).inputs, settings);
    assert.throws(() => change({ adopt: "c", sendKey: "2", toNumber: "+15550000003" }), {
      name: "ResourceError",
      message:
        'AGP-001 SmsChat "welcome": a change of toNumber, sendKey replaces this resource, but adopt names the one that would be replaced ("c"), so nothing would be sent. ' +
        "To send a new one, remove adopt. To keep the old one, undo the change.\n  More: npx pulumi-agent-platform help AGP-001",
    });
    assert.equal(outcome(change({ sendKey: "2" })), "replace by sendKey; ends the chat");
    assert.equal(outcome(change({ adopt: "d", sendKey: "2" })), "replace by sendKey; ends the chat");
  });
});
