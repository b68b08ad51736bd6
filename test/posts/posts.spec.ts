import assert from "node:assert/strict";
import { containsUnknown, UNKNOWN } from "../../provider/base/engine";
import { POSTED_KINDS, type PostedKind, postedAs } from "../../provider/config/kinds";
import { communityVoice, smsChat } from "../../provider/posts/kinds";
import type { Lifecycle } from "../../provider/run/resource";
import { argsWithUnknowns, ENDPOINT, outcome, refused, settings, settingsWith } from "../support/inputs";
import { LIFECYCLES } from "../support/lifecycles";
import { CONTEXT, CHAT as chat, POSTED_ARGS, VOICE as voice } from "../support/posts";
import { urnOf } from "../support/providerCalls";
import { checkRows } from "../support/rows";

const headers = settingsWith(CONTEXT);
const checkVoice = (args: object, runSettings = settings) => communityVoice.check(undefined, { ...args }, runSettings);
const checkChat = (args: object, runSettings = settings) => smsChat.check(undefined, { ...args }, runSettings);

describe("CommunityVoice.check", () => {
  it("uses the workspace from the settings", () => {
    const { workspaceId: _, ...withoutWorkspace } = voice;
    assert.deepEqual(checkVoice(withoutWorkspace, settingsWith({ workspaceId: 7 })).inputs, {
      ...voice,
      workspaceId: 7,
    });
  });

  for (const { name, args } of [
    { name: "an admin with a workspace context", args: { actorType: "platform_admin", workspaceContext: "w" } },
    {
      name: "an admin whose workspace context is not yet known",
      args: { actorType: "provider_admin", workspaceContext: UNKNOWN },
    },
    { name: "a tenant admin without a workspace context", args: { actorType: "tenant_admin" } },
  ]) {
    it(`accepts ${name}`, () => assert.deepEqual(refused(checkVoice({ ...voice, ...args }, headers)), []));
  }

  const invalid: readonly {
    readonly name: string;
    readonly args: object;
    readonly runSettings?: typeof settings;
    readonly fields: readonly string[];
  }[] = [
    { name: "a voice without a workspace", args: { workspaceId: undefined }, fields: ["workspaceId"] },
    { name: "an unknown actor type", args: { actorType: "root" }, runSettings: headers, fields: ["actorType"] },
    {
      name: "an admin without a workspace context",
      args: { actorType: "platform_admin" },
      fields: ["workspaceContext", "actorType"],
    },
    {
      name: "a provider scope and workspace context if `voiceHeaders` is not set",
      args: { providerScope: "s", workspaceContext: "w" },
      fields: ["providerScope", "workspaceContext"],
    },
    {
      name: "a workspace context with non-ASCII characters",
      args: { workspaceContext: "Zürich" },
      runSettings: headers,
      fields: ["workspaceContext"],
    },
  ];
  for (const { name, args, runSettings, fields } of invalid) {
    it(`rejects ${name}`, () =>
      assert.deepEqual(
        refused(checkVoice({ ...voice, ...args }, runSettings)),
        fields.map((field) => `AGP-001 ${field}`),
      ));
  }
});

{
  const invalid: readonly { readonly name: string; readonly argument: string; value: unknown }[] = [
    { name: "an agent ID that does not start with chat_agent_", argument: "agentId", value: "agent_1" },
    { name: "a sender's number without a plus sign", argument: "fromNumber", value: "15550000001" },
    { name: "a recipient's number with a space", argument: "toNumber", value: "+1 5550000001" },
    { name: "a recipient's number with an extension", argument: "toNumber", value: "+15550000001#12" },
    { name: "a string as metadata", argument: "metadata", value: "a=1" },
    { name: "metadata that contains NaN", argument: "metadata", value: { a: Number.NaN } },
    { name: "metadata that is too large", argument: "metadata", value: { a: "x".repeat(65_536) } },
    { name: "a list as serviceDynamicVariables", argument: "serviceDynamicVariables", value: [1] },
  ];
  for (const kind of POSTED_KINDS) {
    describe(`${kind}.check`, () => {
      const { check } = LIFECYCLES[kind] as unknown as Lifecycle<object, object>;
      for (const { name, argument, value } of invalid.filter(({ argument }) => argument in POSTED_ARGS[kind])) {
        it(`rejects ${name}`, () => {
          const checked = check(undefined, { ...POSTED_ARGS[kind], [argument]: value }, headers);
          assert.deepEqual(refused(checked), [`AGP-001 ${argument}`]);
        });
      }
    });
  }
}

describe("a frozen stack", () => {
  const frozen = settingsWith({ freeze: "holiday" });
  it("rejects new voices and chats but allows adoption", () => {
    const refusal = [{ guard: "freeze", reason: "holiday" }];
    assert.deepEqual(checkVoice(voice, frozen).violations, refusal);
    assert.deepEqual(checkChat(chat, frozen).violations, refusal);
    assert.deepEqual(refused(checkVoice({ ...voice, adopt: "voice_1" }, frozen)), []);
    assert.deepEqual(refused(checkChat({ ...chat, adopt: "chat_1" }, frozen)), []);
    // If the resource already exists, `check` leaves the freeze to `diff`, which knows whether anything changes.
    assert.deepEqual(refused(communityVoice.check({}, voice, frozen)), []);
    assert.deepEqual(refused(smsChat.check({}, chat, frozen)), []);
  });

  it("rejects a change only if it would send a POST", () => {
    const change = (args: object) =>
      outcome(smsChat.diff("c", { ...chat, endpoint: ENDPOINT }, { ...chat, ...args }, frozen));
    assert.equal(change({ sendKey: "2" }), "replace by sendKey; posts; refused by freeze");
    assert.equal(change({ metadata: { a: 1 } }), "update; chatRecorded");
    const olds = { ...voice, endpoint: ENDPOINT };
    const renamed = communityVoice.diff("v", olds, { ...voice, voiceName: "B" }, frozen);
    assert.equal(outcome(renamed), "replace by voiceName; posts; refused by freeze");
  });
});

describe("the provider", () => {
  for (const kind of POSTED_KINDS) {
    const { check, diff } = LIFECYCLES[kind] as unknown as Lifecycle<object, object>;
    const { recorded } = postedAs(kind);
    const kindWithArticle = kind === "SmsChat" ? `an ${kind}` : `a ${kind}`;
    it(`passes the arguments of ${kindWithArticle} through unchanged`, () => {
      const inputs = POSTED_ARGS[kind];
      const name = Reflect.get(inputs, postedAs(kind).foundBy);
      const reasons = [{ why: "posts", kind, name }];
      assert.deepEqual(check(undefined, inputs, headers), {
        inputs,
        failures: [],
        violations: [],
        reasons,
        adopts: undefined,
      });
    });

    const allArgs = { ...POSTED_ARGS[kind], adopt: "a" };
    const outcomeWith = (args: Readonly<Record<string, unknown>>) => {
      const checked = check(undefined, args, headers);
      assert.deepEqual([refused(checked), containsUnknown(checked.inputs)], [[], true]);
      const olds = { ...check(undefined, allArgs, headers).inputs, endpoint: ENDPOINT };
      return outcome(diff("id", olds, checked.inputs, headers));
    };
    it(`plans a change for ${kindWithArticle} if any argument except \`adopt\` is unknown`, () =>
      checkRows(
        argsWithUnknowns(POSTED_ARGS[kind]),
        ({ path }) => path,
        ({ path, args }) => {
          const isRecorded = recorded.some((field) => path.split(/[.[]/)[0] === field);
          assert.equal(
            outcomeWith({ ...args, adopt: "a" }),
            isRecorded ? "update; chatRecorded" : `replace by ${path}`,
          );
        },
      ));
    it(`plans no change for ${kindWithArticle} if only \`adopt\` is unknown`, () =>
      assert.equal(outcomeWith({ ...allArgs, adopt: UNKNOWN }), "same"));
  }
});

describe("the diff of a voice or chat", () => {
  const unresolved = { unresolved: true } as const;
  const elsewhere = { endpoint: "https://old.example.com" };
  const postSuffix = "; posts";
  const otherNumbers = { fromNumber: "+442079460100", toNumber: "+442079460101" };
  const rows: readonly {
    readonly kind: PostedKind;
    readonly name: string;
    readonly before: object;
    readonly after: object;
    readonly expected: string;
  }[] = [
    {
      kind: "CommunityVoice",
      name: "plans no change for a voice with the same arguments",
      before: {},
      after: {},
      expected: "same",
    },
    {
      kind: "CommunityVoice",
      name: "plans no change if `adopt` is added to a resolved voice",
      before: {},
      after: { adopt: "v" },
      expected: "same",
    },
    {
      kind: "CommunityVoice",
      name: "plans no change if `adopt` is removed from a voice",
      before: { adopt: "v" },
      after: {},
      expected: "same",
    },
    {
      kind: "CommunityVoice",
      name: "plans no change if `retryUnresolved` is added to a resolved voice",
      before: {},
      after: { retryUnresolved: "v" },
      expected: "same",
    },
    {
      kind: "CommunityVoice",
      name: "warns that an unchanged voice stays on the old platform",
      before: elsewhere,
      after: {},
      expected: "same; notMoved",
    },
    {
      kind: "CommunityVoice",
      name: "reports an unchanged voice that is still unresolved",
      before: unresolved,
      after: {},
      expected: "update; unresolved",
    },
    {
      kind: "CommunityVoice",
      name: "does not replace an unresolved voice if its name changes",
      before: unresolved,
      after: { voiceName: "B" },
      expected: "update; unresolved",
    },
    {
      kind: "CommunityVoice",
      name: "does not replace an unresolved voice if `retryUnresolved` has a different ID",
      before: unresolved,
      after: { retryUnresolved: "w" },
      expected: "update; unresolved",
    },
    {
      kind: "CommunityVoice",
      name: "retries an unresolved voice if `retryUnresolved` matches its ID",
      before: unresolved,
      after: { retryUnresolved: "v" },
      expected: "replace by retryUnresolved; posts",
    },
    {
      kind: "CommunityVoice",
      name: "replaces an unresolved voice without sending a POST if `adopt` is set",
      before: unresolved,
      after: { adopt: "voice_1" },
      expected: "replace by adopt",
    },
    {
      kind: "CommunityVoice",
      name: "does not replace an unresolved voice while `adopt` is unknown",
      before: unresolved,
      after: { adopt: UNKNOWN },
      expected: "update; unresolved",
    },
    {
      kind: "SmsChat",
      name: "plans no change for a chat with the same arguments",
      before: {},
      after: {},
      expected: "same",
    },
    {
      kind: "SmsChat",
      name: "replaces a chat if its sender and recipient change",
      before: {},
      after: otherNumbers,
      expected: `replace by fromNumber, toNumber${postSuffix}`,
    },
    {
      kind: "SmsChat",
      name: "plans an update without a POST if a chat's metadata changes",
      before: { metadata: { a: 1 } },
      after: { metadata: { a: 2 } },
      expected: "update; chatRecorded",
    },
    {
      kind: "SmsChat",
      name: "replaces a chat if its `sendKey` and metadata both change",
      before: {},
      after: { metadata: { a: 1 }, sendKey: "2" },
      expected: `replace by sendKey${postSuffix}`,
    },
    {
      kind: "SmsChat",
      name: "ignores the order of keys in a chat's metadata",
      before: { metadata: { a: 1, b: 2 } },
      after: { metadata: { b: 2, a: 1 } },
      expected: "same",
    },
    {
      kind: "SmsChat",
      name: "plans an update without a POST if a chat's variables are removed",
      before: { serviceDynamicVariables: { a: 1 } },
      after: {},
      expected: "update; chatRecorded",
    },
    {
      kind: "SmsChat",
      name: "warns that an unchanged chat stays on the old platform",
      before: elsewhere,
      after: {},
      expected: "same; notMoved",
    },
    {
      kind: "SmsChat",
      name: "does not replace an unresolved chat if its numbers change",
      before: unresolved,
      after: otherNumbers,
      expected: "update; unresolved",
    },
  ];
  for (const { kind, name, before, after, expected } of rows) {
    it(name, () => {
      const { check, diff } = LIFECYCLES[kind] as unknown as Lifecycle<object, object>;
      const args = kind === "SmsChat" ? chat : voice;
      const inputsWith = (changes: object) => check(undefined, { ...args, ...changes }, settings).inputs;
      const state = { ...inputsWith({}), endpoint: ENDPOINT, ...before };
      assert.equal(outcome(diff("v", state, inputsWith(after), settings)), expected);
    });
  }

  for (const { name, after, why } of [
    { name: "reports that an unchanged voice stays on the old platform", after: {}, why: "notMoved" },
    {
      name: "reports that a changed voice is created on the new platform",
      after: { voiceName: "B" },
      why: "voiceAddedElsewhere",
    },
    {
      name: "reports that a voice stays on the old platform if its replacement is adopted",
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

  it("refuses to retry an unresolved voice during a freeze", () => {
    const frozen = { ...settings, guards: { ...settings.guards, freeze: "audit" } };
    const state = communityVoice.readState({ ...checkVoice(voice).inputs, endpoint: ENDPOINT, ...unresolved }, "v");
    const violationsOf = (args: object) =>
      communityVoice.diff("v", state, checkVoice({ ...voice, ...args }).inputs, frozen).violations;
    assert.deepEqual(violationsOf({ retryUnresolved: "v" }), [{ guard: "freeze", reason: "audit" }]);
    assert.deepEqual(violationsOf({ adopt: "voice_1" }), []);
  });
});

describe("SmsChat.diff", () => {
  it("refuses to replace a chat created on another platform", () => {
    const news = { ...chat, sendKey: "2", __urn: urnOf("smsChat", "welcome") };
    const olds = { ...chat, chatId: "c", endpoint: "https://old.example.com" };
    assert.throws(() => smsChat.diff("c", olds as never, news, settings), { code: "AGP-060" });
  });

  it("refuses to replace an adopted chat unless `adopt` changes", () => {
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
