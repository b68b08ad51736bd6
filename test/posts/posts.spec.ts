import assert from "node:assert/strict";
import { containsUnknown, UNKNOWN } from "../../provider/base/engine";
import { POSTED_KINDS, type PostedKind, postedAs } from "../../provider/config/kinds";
import { communityVoice, smsChat } from "../../provider/posts/kinds";
import type { Lifecycle } from "../../provider/run/resource";
import { argsWithUnknowns, ENDPOINT, outcome, refused, settings, settingsWith } from "../support/inputs";
import { LIFECYCLES } from "../support/lifecycles";
import { CONTEXT, CHAT as chat, POSTED_ARGS, VOICE as voice } from "../support/posts";
import { urnOf } from "../support/providerCalls";

const headers = settingsWith(CONTEXT);
const checkVoice = (args: object, more = settings) => communityVoice.check(undefined, { ...args }, more);
const checkChat = (args: object, more = settings) => smsChat.check(undefined, { ...args }, more);

describe("CommunityVoice.check", () => {
  it("takes the workspace from the settings", () => {
    const { workspaceId: _, ...without } = voice;
    assert.deepEqual(checkVoice(without, settingsWith({ workspaceId: 7 })).inputs, { ...voice, workspaceId: 7 });
  });

  for (const { name, args } of [
    { name: "an admin with a context", args: { actorType: "platform_admin", workspaceContext: "w" } },
    { name: "an admin with an unknown context", args: { actorType: "provider_admin", workspaceContext: UNKNOWN } },
    { name: "another actor without a context", args: { actorType: "tenant_admin" } },
  ]) {
    it(`accepts ${name}`, () => assert.deepEqual(refused(checkVoice({ ...voice, ...args }, headers)), []));
  }

  for (const { name, args, fields } of [
    { name: "a voice without a workspace", args: { workspaceId: undefined }, fields: ["workspaceId"] },
    { name: "an unknown actor type", args: { actorType: "root" }, fields: ["actorType"] },
    {
      name: "an admin without a context or a header",
      args: { actorType: "platform_admin" },
      fields: ["workspaceContext", "actorType"],
    },
    {
      name: "a scope and a context without a header setting",
      args: { providerScope: "s", workspaceContext: "w" },
      fields: ["providerScope", "workspaceContext"],
    },
    {
      name: "a context that is not valid in a header",
      args: { workspaceContext: "Zürich" },
      fields: ["workspaceContext"],
    },
  ]) {
    it(`rejects ${name}`, () =>
      assert.deepEqual(
        refused(checkVoice({ ...voice, ...args })),
        fields.map((field) => `AGP-001 ${field}`),
      ));
  }
});

describe("an argument", () => {
  const wrong: readonly { readonly name: string; readonly argument: string; value: unknown }[] = [
    { name: "an agent of another kind", argument: "agentId", value: "agent_1" },
    { name: "a number without a plus", argument: "fromNumber", value: "15550000001" },
    { name: "a number with a space", argument: "toNumber", value: "+1 555" },
    { name: "an extension", argument: "toNumber", value: "+15550000001#12" },
    { name: "a string", argument: "metadata", value: "a=1" },
    { name: "a value that isn't JSON", argument: "metadata", value: { a: Number.NaN } },
    { name: "an object that is too large", argument: "metadata", value: { a: "x".repeat(65_536) } },
    { name: "a list", argument: "serviceDynamicVariables", value: [1] },
  ];
  for (const kind of POSTED_KINDS) {
    const { check } = LIFECYCLES[kind] as unknown as Lifecycle<object, object>;
    for (const { name, argument, value } of wrong.filter((one) => one.argument in POSTED_ARGS[kind])) {
      it(`rejects ${name} in ${kind}.${argument}`, () => {
        const checked = check(undefined, { ...POSTED_ARGS[kind], [argument]: value }, headers);
        assert.deepEqual(refused(checked), [`AGP-001 ${argument}`]);
      });
    }
  }
});

describe("a frozen stack", () => {
  const frozen = settingsWith({ freeze: "holiday" });
  it("refuses new voices and chats during a freeze but still adopts existing ones", () => {
    const refusal = [{ guard: "freeze", reason: "holiday" }];
    assert.deepEqual(checkVoice(voice, frozen).violations, refusal);
    assert.deepEqual(checkChat(chat, frozen).violations, refusal);
    assert.deepEqual(refused(checkVoice({ ...voice, adopt: "voice_1" }, frozen)), []);
    assert.deepEqual(refused(checkChat({ ...chat, adopt: "chat_1" }, frozen)), []);
    // In later runs diff judges what changes.
    assert.deepEqual(refused(communityVoice.check({}, voice, frozen)), []);
    assert.deepEqual(refused(smsChat.check({}, chat, frozen)), []);
  });

  it("refuses only changes that would send a POST", () => {
    const change = (args: object) =>
      outcome(smsChat.diff("c", { ...chat, endpoint: ENDPOINT }, { ...chat, ...args }, frozen));
    assert.equal(change({ sendKey: "2" }), "replace by sendKey; posts; refused by freeze");
    assert.equal(change({ metadata: { a: 1 } }), "update; chatRecorded");
    const olds = { ...voice, endpoint: ENDPOINT };
    const renamed = communityVoice.diff("v", olds, { ...voice, voiceName: "B" }, frozen);
    assert.equal(outcome(renamed), "replace by voiceName; posts; refused by freeze");
  });
});

describe("known and unknown arguments", () => {
  for (const kind of POSTED_KINDS) {
    const { check, diff } = LIFECYCLES[kind] as unknown as Lifecycle<object, object>;
    const { recorded } = postedAs(kind);
    it(`saves the known arguments of ${kind === "SmsChat" ? "an SmsChat" : `a ${kind}`} unchanged`, () => {
      const inputs = POSTED_ARGS[kind];
      const name = Reflect.get(inputs, postedAs(kind).foundBy);
      const sends = [{ why: "posts", kind, name }];
      assert.deepEqual(check(undefined, inputs, headers), {
        inputs,
        failures: [],
        violations: [],
        reasons: sends,
        adopts: undefined,
      });
    });

    const whole = { ...POSTED_ARGS[kind], adopt: "a" };
    for (const { path, args } of argsWithUnknowns(whole)) {
      it(`accepts an unknown ${kind}.${path} and ${path === "adopt" ? "plans no change" : "plans a change"}`, () => {
        const checked = check(undefined, args, headers);
        assert.deepEqual([refused(checked), containsUnknown(checked.inputs)], [[], true]);
        const olds = { ...check(undefined, whole, headers).inputs, endpoint: ENDPOINT };
        const isRecorded = recorded.some((field) => path.split(/[.[]/)[0] === field);
        const changed = isRecorded ? "update; chatRecorded" : `replace by ${path}`;
        assert.equal(outcome(diff("id", olds, checked.inputs, headers)), path === "adopt" ? "same" : changed);
      });
    }
  }
});

describe("the diff of a posted resource", () => {
  const unresolved = { unresolved: true } as const;
  const elsewhere = { endpoint: "https://old.example.com" };
  const sent = "; posts";
  const phones = { fromNumber: "+442079460100", toNumber: "+442079460101" };
  const rows: readonly {
    readonly kind: PostedKind;
    readonly name: string;
    readonly before: object;
    readonly after: object;
    readonly expected: string;
  }[] = [
    { kind: "CommunityVoice", name: "keeps a voice with the same arguments", before: {}, after: {}, expected: "same" },
    {
      kind: "CommunityVoice",
      name: "keeps a resolved voice if adopt is added",
      before: {},
      after: { adopt: "v" },
      expected: "same",
    },
    {
      kind: "CommunityVoice",
      name: "keeps an adopted voice if adopt is removed",
      before: { adopt: "v" },
      after: {},
      expected: "same",
    },
    {
      kind: "CommunityVoice",
      name: "keeps a resolved voice if retryUnresolved is added",
      before: {},
      after: { retryUnresolved: "v" },
      expected: "same",
    },
    {
      kind: "CommunityVoice",
      name: "warns that an unchanged voice stays on the other platform",
      before: elsewhere,
      after: {},
      expected: "same; notMoved",
    },
    {
      kind: "CommunityVoice",
      name: "reports again an unresolved voice with the same arguments",
      before: unresolved,
      after: {},
      expected: "update; unresolved",
    },
    {
      kind: "CommunityVoice",
      name: "does not replace an unresolved voice that is edited",
      before: unresolved,
      after: { voiceName: "B" },
      expected: "update; unresolved",
    },
    {
      kind: "CommunityVoice",
      name: "does not replace an unresolved voice if retryUnresolved has another ID",
      before: unresolved,
      after: { retryUnresolved: "w" },
      expected: "update; unresolved",
    },
    {
      kind: "CommunityVoice",
      name: "replaces an unresolved voice and posts it if retryUnresolved has its ID",
      before: unresolved,
      after: { retryUnresolved: "v" },
      expected: "replace by retryUnresolved; posts",
    },
    {
      kind: "CommunityVoice",
      name: "replaces an unresolved voice without a POST if adopt is set",
      before: unresolved,
      after: { adopt: "voice_1" },
      expected: "replace by adopt",
    },
    {
      kind: "CommunityVoice",
      name: "does not replace an unresolved voice while adopt is unknown",
      before: unresolved,
      after: { adopt: UNKNOWN },
      expected: "update; unresolved",
    },
    { kind: "SmsChat", name: "keeps a chat with the same arguments", before: {}, after: {}, expected: "same" },
    {
      kind: "SmsChat",
      name: "replaces a chat that has another sender and recipient",
      before: {},
      after: phones,
      expected: `replace by fromNumber, toNumber${sent}`,
    },
    {
      kind: "SmsChat",
      name: "only records a change of a chat's metadata",
      before: { metadata: { a: 1 } },
      after: { metadata: { a: 2 } },
      expected: "update; chatRecorded",
    },
    {
      kind: "SmsChat",
      name: "replaces a chat for its sendKey even if its metadata changes too",
      before: {},
      after: { metadata: { a: 1 }, sendKey: "2" },
      expected: `replace by sendKey${sent}`,
    },
    {
      kind: "SmsChat",
      name: "keeps a chat whose metadata has its keys in another order",
      before: { metadata: { a: 1, b: 2 } },
      after: { metadata: { b: 2, a: 1 } },
      expected: "same",
    },
    {
      kind: "SmsChat",
      name: "only records the removal of a chat's variables",
      before: { serviceDynamicVariables: { a: 1 } },
      after: {},
      expected: "update; chatRecorded",
    },
    {
      kind: "SmsChat",
      name: "warns that an unchanged chat stays on the other platform",
      before: elsewhere,
      after: {},
      expected: "same; notMoved",
    },
    {
      kind: "SmsChat",
      name: "does not replace an unresolved chat that has another recipient",
      before: unresolved,
      after: phones,
      expected: "update; unresolved",
    },
  ];
  for (const { kind, name, before, after, expected } of rows) {
    it(name, () => {
      const { check, diff } = LIFECYCLES[kind] as unknown as Lifecycle<object, object>;
      const args = kind === "SmsChat" ? chat : voice;
      const inputsOf = (more: object) => check(undefined, { ...args, ...more }, settings).inputs;
      const state = { ...inputsOf({}), endpoint: ENDPOINT, ...before };
      assert.equal(outcome(diff("v", state, inputsOf(after), settings)), expected);
    });
  }

  for (const { name, after, why } of [
    { name: "leaves a voice on another platform if nothing else changed", after: {}, why: "notMoved" },
    {
      name: "adds a voice on another platform again if an argument changed too",
      after: { voiceName: "B" },
      why: "voiceAddedElsewhere",
    },
    {
      name: "does not add a voice on another platform again if its replacement adopts one",
      after: { voiceName: "B", adopt: "w" },
      why: "notMoved",
    },
  ]) {
    it(name, () => {
      const state = { ...checkVoice(voice).inputs, ...elsewhere };
      const { reasons } = communityVoice.diff("v", state as never, checkVoice({ ...voice, ...after }).inputs, settings);
      assert.deepEqual(reasons[0], { why, from: elsewhere.endpoint, to: ENDPOINT });
    });
  }

  it("refuses to retry an unresolved post during a freeze", () => {
    const frozen = { ...settings, guards: { ...settings.guards, freeze: "audit" } };
    const state = communityVoice.readState({ ...checkVoice(voice).inputs, endpoint: ENDPOINT, ...unresolved }, "v");
    const judged = (args: object) =>
      communityVoice.diff("v", state, checkVoice({ ...voice, ...args }).inputs, frozen).violations;
    assert.deepEqual(judged({ retryUnresolved: "v" }), [{ guard: "freeze", reason: "audit" }]);
    assert.deepEqual(judged({ adopt: "voice_1" }), []);
  });
});

describe("a chat on another platform", () => {
  it("does not replace a chat on another platform, because nothing could end it", () => {
    const news = { ...chat, sendKey: "2", __urn: urnOf("smsChat", "welcome") };
    const olds = { ...chat, chatId: "c", endpoint: "https://old.example.com" };
    assert.throws(() => smsChat.diff("c", olds as never, news, settings), { code: "AGP-060" });
  });
});

describe("an adopt argument that stays in the program", () => {
  it("rejects a replacement that would end the chat that its `adopt` still names", () => {
    const welcome = { ...chat, __urn: urnOf("smsChat", "welcome") };
    const olds = smsChat.readState({ ...checkChat({ ...welcome, adopt: "c" }).inputs, endpoint: ENDPOINT }, "c");
    const change = (args: object) => smsChat.diff("c", olds, checkChat({ ...welcome, ...args }).inputs, settings);
    assert.throws(() => change({ adopt: "c", sendKey: "2", toNumber: "+15550000003" }), {
      code: "AGP-001",
      message: /toNumber and sendKey/,
    });
    assert.equal(outcome(change({ sendKey: "2" })), "replace by sendKey; posts");
    assert.equal(outcome(change({ adopt: "d", sendKey: "2" })), "replace by sendKey");
  });
});
