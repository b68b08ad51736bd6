import type { Change } from "./model";
import { NOTHING, type Requests } from "./model";
import { id, say, type Text } from "./text";
import { type Properties, shown } from "./values";

/** Voices and chats in words. */

const VOICE_FIELDS = ["workspaceId", "voiceProvider", "providerVoiceId", "voiceName", "publicUserId"];
const VOICE_REPLACES = [...VOICE_FIELDS, "actorType", "providerScope", "workspaceContext"];
const CHAT_REPLACES = ["workspaceId", "agentId", "fromNumber", "toNumber", "sendKey"];
export const CHAT_RECORDED = ["metadata", "serviceDynamicVariables"];

export const isVoice = ({ kind }: Change): boolean => kind === "CommunityVoice";
export const replacesOf = (change: Change): readonly string[] => (isVoice(change) ? VOICE_REPLACES : CHAT_REPLACES);
export const inputs = (change: Change): Properties => change.after?.inputs ?? change.before?.inputs ?? {};

/** `the voice Nova`, `the chat with +15551234567`. */
export const subject = (change: Change, values: Properties = inputs(change)): Text =>
  isVoice(change) ? say`the voice ${shown(values.voiceName)}` : say`the chat with ${shown(values.toNumber)}`;

export const where = (values: Properties): Text => say`workspace ${shown(values.workspaceId)}`;
export const by = ({ name, account }: Change): Text =>
  account === undefined ? say`${id(name)}` : say`${id(name)}, account ${id(account)}`;

export const sends = (change: Change): Requests =>
  isVoice(change) ? { ...NOTHING, voices: 1 } : { ...NOTHING, messages: 1 };

const NO_UNDO_VOICE = "a revert does not take a voice out of the library: the platform shows no way";
const NO_UNDO_CHAT = "a message that was sent stays sent; a revert ends the chat";
export const undoOf = (change: Change): Text => [isVoice(change) ? NO_UNDO_VOICE : NO_UNDO_CHAT];

export const adopts = ({ after }: Change): boolean => after?.inputs.adopt !== undefined;
