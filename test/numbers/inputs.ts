import { UNKNOWN } from "../../provider/base/unknown";
import type { Plan } from "../../provider/run/reason";
import type { Checked } from "../../provider/run/resource";
import { violated } from "../../provider/run/violation";
import type { PostedKind } from "../../provider/stack/kinds";
import { render } from "../../provider/words/message";

import { urnOf } from "../support/providerCalls";
import { settingsOf } from "../support/session";

export const VOICE = {
  workspaceId: 42,
  voiceProvider: "p",
  providerVoiceId: "v",
  voiceName: "Nova",
  publicUserId: "u",
};
export const CHAT = { workspaceId: 42, agentId: "chat_agent_a", fromNumber: "+15550000001", toNumber: "+15550009999" };

export const voice = { ...VOICE, __urn: urnOf("communityVoice", "nova") };
export const chat = { ...CHAT, __urn: urnOf("smsChat", "welcome") };

/** Every argument of a kind but those that resolve it; a voice's context needs the setting below. */
export const POSTED_ARGS = {
  CommunityVoice: { ...VOICE, actorType: "end_user", providerScope: "s", workspaceContext: "w" },
  SmsChat: { ...CHAT, metadata: { a: [null, { b: "é\n" }] }, serviceDynamicVariables: { n: [1] }, sendKey: "1" },
} satisfies Readonly<Record<PostedKind, object>>;

export const CONTEXT = {
  voiceHeaders: { actorType: "x-actor", providerScope: "x-scope", workspaceContext: "x-context" },
};

interface PostedWords {
  /** What may exist after an unknown outcome, and where to look for it. */
  readonly inDoubt: string;
  /** What a report says of a new one and of one that goes, each with the requests. */
  readonly reported: readonly string[];
}

/** What people read of each kind. */
export const POSTED_WORDS: Readonly<Record<PostedKind, PostedWords>> = {
  CommunityVoice: {
    inDoubt: 'The voice "Nova" may have been added to workspace 42, and is not sent again by itself.',
    reported: ["Adds a voice: Nova (one)", "1 new voice", "Forgets the voice Nova (one)", "0 PUTs"],
  },
  SmsChat: {
    inDoubt: "The chat to +15550009999 may have been started in workspace 42, and is not sent again by itself.",
    reported: ["⚠ Sends an SMS: +15550009999 (one)", "1 SMS", "Ends the chat +15550009999 (one)", "1 chat ended"],
  },
};

export const ENDPOINT = "https://platform.example.com";

export const settingsWith = (more: Readonly<Record<string, unknown>> = {}) =>
  settingsOf({ baseUrl: ENDPOINT, accessToken: "test-token", ...more });

export const settings = settingsWith();

/** What a user reads of a check, failures first. */
export const reasons = ({ failures, violations }: Checked<unknown>): string[] =>
  [...failures, ...violated(undefined, violations)].map(render);

/** A diff in a line: what the engine makes of it, whether a chat ends, why, and which guards refuse it. */
export function outcome({ changes, replaces, ends, reasons: why, violations }: Plan): string {
  const update = changes ? "update" : "same";
  return [
    replaces.length > 0 ? `replace by ${replaces.join(", ")}` : update,
    ...(ends ? ["ends the chat"] : []),
    ...why.map((reason) => reason.why),
    ...violations.map(({ guard }) => `refused by ${guard}`),
  ].join("; ");
}

/** Every way to put the unknown text in place of one value of the inputs: each field, and each value inside it. */
function withUnknowns(value: unknown): { path: string; value: unknown }[] {
  return [{ path: "", value: UNKNOWN }, ...withUnknownsInside(value)];
}

function withUnknownsInside(value: unknown): { path: string; value: unknown }[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) =>
      withUnknowns(item).map(({ path, value: item }) => ({
        path: `[${index}]${path}`,
        value: value.with(index, item),
      })),
    );
  }
  if (typeof value !== "object" || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([key, item]) =>
    withUnknowns(item).map(({ path, value: item }) => ({ path: `.${key}${path}`, value: { ...value, [key]: item } })),
  );
}

/** The same, for the fields of a resource's arguments; the arguments as a whole are never unknown. */
export const argsWithUnknowns = (args: object) =>
  withUnknowns(args)
    .slice(1)
    .map(({ path, value }) => ({ path: path.slice(1), args: value as Record<string, unknown> }));
