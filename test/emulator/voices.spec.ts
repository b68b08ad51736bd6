import assert from "node:assert/strict";
import type { Profile } from "../../emulator";
import { without } from "./expected";
import { dateOfStart, nullsBut, postVoice, startAt, voiceBody } from "./support";

const voice = {
  voiceId: "voice_",
  name: "Ada",
  gender: "neutral",
  language: "en",
  accent: "neutral",
  description: "",
  provider: "provider_a",
  previewUrl: "https://voices.invalid/.mp3",
  playbackOverrideUrl: null,
  tags: [],
  createdAt: dateOfStart,
  updatedAt: dateOfStart,
};

describe("emulator: voices", () => {
  const whole = (voiceId: string | undefined) => ({
    ...voice,
    voiceId,
    previewUrl: `https://voices.invalid/${voiceId}.mp3`,
  });

  it("adds a voice and answers it whole", async () => {
    const emulator = await startAt();
    const reply = await postVoice(emulator);
    const voiceId = emulator.voices[0]?.voiceId;
    assert.match(voiceId ?? "", /^voice_[0-9a-f]{16}$/);
    assert.deepEqual([reply.status, reply.json], [200, whole(voiceId)]);
    assert.deepEqual(emulator.voices, [{ voiceId, ...voiceBody, createdAt: dateOfStart }]);
  });

  for (const field of Object.keys(voiceBody)) {
    it(`refuses a body without ${field}`, async () => {
      const reply = await postVoice(await startAt(), { ...voiceBody, [field]: undefined });
      assert.deepEqual([reply.status, reply.json], [400, { error: `${field} is required` }]);
    });
  }

  for (const [voiceAnswer, expected] of [
    ["minimal", (id) => ({ voiceId: id })],
    ["nulls", (id) => nullsBut(voice, "voiceId", id)],
    ["withoutId", (id) => without(whole(id), "voiceId")],
  ] satisfies [Profile["voiceAnswer"], (id: string | undefined) => object][]) {
    it(`voiceAnswer=${voiceAnswer} (row 20)`, async () => {
      const emulator = await startAt({ voiceAnswer });
      const reply = await postVoice(emulator);
      assert.deepEqual([reply.status, reply.json], [200, expected(emulator.voices[0]?.voiceId)]);
    });
  }

  it("postStatuses=swapped answers 201", async () => {
    const emulator = await startAt({ postStatuses: "swapped" });
    const reply = await postVoice(emulator);
    assert.deepEqual([reply.status, reply.json], [201, whole(emulator.voices[0]?.voiceId)]);
  });

  describe("duplicateVoice (row 25)", () => {
    it("second: adds it again", async () => {
      const emulator = await startAt();
      await postVoice(emulator);
      const reply = await postVoice(emulator);
      assert.equal(emulator.voices.length, 2);
      assert.deepEqual(reply.json, whole(emulator.voices[1]?.voiceId));
      assert.notEqual(emulator.voices[0]?.voiceId, emulator.voices[1]?.voiceId);
    });
    it("409", async () => {
      const emulator = await startAt({ duplicateVoice: "409" });
      await postVoice(emulator);
      const reply = await postVoice(emulator);
      assert.deepEqual([reply.status, reply.json], [409, { error: "the voice is already in the library" }]);
      assert.equal((await postVoice(emulator, { ...voiceBody, providerVoiceId: "v2" })).status, 200);
      assert.equal(emulator.voices.length, 2);
    });
    it("same: answers the voice that is there", async () => {
      const emulator = await startAt({ duplicateVoice: "same" });
      const first = await postVoice(emulator);
      const again = await postVoice(emulator);
      assert.deepEqual(again.json, first.json);
      assert.equal(emulator.voices.length, 1);
    });
  });

  it("voiceProviders=closed (row 26) refuses others", async () => {
    const emulator = await startAt({ voiceProviders: "closed" });
    const reply = await postVoice(emulator, { ...voiceBody, voiceProvider: "other" });
    assert.deepEqual(
      [reply.status, reply.json],
      [422, { error: "voiceProvider must be one of provider_a, provider_b" }],
    );
    assert.equal((await postVoice(emulator)).status, 200);
  });

  describe("actorContext (row 23)", () => {
    const post = async (profile: Partial<Profile>, headers: Record<string, string>) => {
      const reply = await postVoice(await startAt(profile), voiceBody, { headers });
      return [reply.status, reply.status === 200 ? undefined : reply.json];
    };
    it("ignores the headers", async () => {
      assert.deepEqual(await post({}, { "X-Actor-Type": "platform_admin" }), [200, undefined]);
      assert.deepEqual(await post({}, { "X-Actor-Type": "nobody" }), [200, undefined]);
    });
    for (const [headers, expected] of [
      [{}, [200, undefined]],
      [{ "X-Actor-Type": "end_user" }, [200, undefined]],
      [{ "X-Actor-Type": "nobody" }, [400, { error: "unknown actor type" }]],
      [{ "X-Actor-Type": "provider_admin" }, [403, { error: "a privileged actor needs a workspace context" }]],
      [{ "X-Actor-Type": "provider_admin", "X-Workspace-Context": "42" }, [200, undefined]],
    ] as const) {
      it(`required: ${JSON.stringify(headers)} is answered ${expected[0]}`, async () => {
        assert.deepEqual(await post({ actorContext: "required" }, headers), expected);
      });
    }
    it("reads the headers by the names of the profile", async () => {
      const profile = {
        actorContext: "required",
        actorTypeHeader: "Actor",
        workspaceContextHeader: "Context",
      } as const;
      assert.deepEqual(await post(profile, { Actor: "platform_admin" }), [
        403,
        { error: "a privileged actor needs a workspace context" },
      ]);
      assert.deepEqual(await post(profile, { Actor: "platform_admin", Context: "42" }), [200, undefined]);
      assert.deepEqual(await post(profile, { "X-Actor-Type": "nobody" }), [200, undefined]);
    });
  });
});
