import type { Input } from "@pulumi/pulumi";
import { z } from "zod";
import { placeOf, samePlace } from "../core/endpoint";
import { chatAgentId, integer, jsonObject, oneOf, optional, phoneNumber, plainText, required } from "../core/inputs";
import * as messages from "../core/messages";
import type { Chat, Client } from "../core/operations";
import { defined, same } from "../core/same";
import type { Settings } from "../core/settings";
import { isUnknown } from "../core/unknown";
import { checkPosted } from "./checkPosted";
import { judgeFreeze, refuseFrozen } from "./judge";
import { type Checked, type Created, type Diff, type Lifecycle, ResourceError, type Session } from "./lifecycle";
import { readSaved } from "./saved";
import {
  adoptedBy,
  diffUnresolved,
  isSettled,
  type Marked,
  type Posted,
  refuseOwnId,
  type Settling,
  saveUnresolved,
} from "./unresolved";

/**
 * The arguments of an {@link SmsChat} (interface 4.2). Who talks to whom replaces, which ends the old chat and sends an SMS again; the
 * rest never sends.
 */
export interface SmsChatArgs {
  /** Workspace of the chat, an integer. @default the setting `agent-platform:workspaceId` @change replaces: an SMS is sent again */
  workspaceId?: Input<number | undefined>;
  /** The agent that runs the chat, `chat_agent_<id>`. @change replaces: an SMS is sent again */
  agentId: Input<string>;
  /** The number that the SMS comes from, in international format. @change replaces: an SMS is sent again */
  fromNumber: Input<string>;
  /** The number that gets the SMS, in international format. @change replaces: an SMS is sent again */
  toNumber: Input<string>;
  /**
   * Free-form JSON, at most 65,536 characters and 32 levels.
   * @default not sent
   * @change recorded, not sent: there is no call to change a chat
   */
  metadata?: Input<Record<string, Input<unknown>> | undefined>;
  /** Variables given to the agent: a map from name to JSON value. @default not sent @change recorded, not sent */
  serviceDynamicVariables?: Input<Record<string, Input<unknown>> | undefined>;
  /** Any text, never sent: the one way to say "send again". @default none @change replaces: this chat is ended, an SMS is sent again */
  sendKey?: Input<string | undefined>;
  /** What it means that the platform answers 404, 409 or 410 to the end of the chat: it had ended, or an error. @default "ended" @change recorded */
  endMissing?: Input<"ended" | "error" | undefined>;
  /**
   * The chatId of a chat that has started already: nothing is sent. Read at create or while unresolved.
   * @default the chat is started
   * @change none; while the chat is unresolved it replaces, and nothing is sent
   */
  adopt?: Input<string | undefined>;
  /**
   * The unresolved id whose one retry is allowed (after a request of unknown outcome).
   * @default nothing is sent again
   * @change none; while the chat is unresolved and this is its id, it replaces, and the request is sent once
   */
  retryUnresolved?: Input<string | undefined>;
}

export interface ChatInputs extends Settling {
  workspaceId: number;
  agentId: string;
  fromNumber: string;
  toNumber: string;
  metadata?: Readonly<Record<string, unknown>> | undefined;
  serviceDynamicVariables?: Readonly<Record<string, unknown>> | undefined;
  sendKey?: string | undefined;
  endMissing?: "ended" | "error" | undefined;
}

export interface ChatState extends ChatInputs, Marked, Partial<Answered> {
  endpoint: string;
  account?: string | undefined;
}

/** What the platform answered, but for what the inputs say under the same name. */
type Answered = { [Key in Exclude<keyof Chat, keyof ChatInputs>]: Exclude<Chat[Key], null> };

const KIND = "SmsChat";

const schema = z.strictObject({
  workspaceId: optional(integer),
  agentId: required(chatAgentId),
  fromNumber: required(phoneNumber),
  toNumber: required(phoneNumber),
  metadata: optional(jsonObject),
  serviceDynamicVariables: optional(jsonObject),
  sendKey: optional(plainText),
  endMissing: optional(oneOf(["ended", "error"])),
  adopt: optional(plainText),
  retryUnresolved: optional(plainText),
});

const REPLACES = ["workspaceId", "agentId", "fromNumber", "toNumber", "sendKey"] as const;
const RECORDED = ["metadata", "serviceDynamicVariables"] as const;
const LOCAL = ["endMissing"] as const;

/** Answers to an end that mean that nothing is left to end (interface 4.4 does not show it). */
const GONE = new Set([404, 409, 410]);

const posted = ({ toNumber, workspaceId }: Pick<ChatInputs, "toNumber" | "workspaceId">): Posted => ({
  kind: "chat",
  who: messages.subject(KIND, isUnknown(toNumber) ? "(not known yet)" : toNumber),
  where: `workspace ${workspaceId}`,
  code: "AGP-042",
});

function check(
  olds: Readonly<Record<string, unknown>> | undefined,
  news: Readonly<Record<string, unknown>>,
  settings: Settings,
): Checked<ChatInputs> {
  const { value, checked } = checkPosted(schema, olds, news, settings);
  return value === undefined ? checked : { ...checked, declares: adoptedBy(olds, value, REPLACES).map(chatKey) };
}

/** Declared as numbers are, and never one of them: a number holds no line break. */
const chatKey = (chatId: string): string => `chat\n${chatId}`;

function diff(id: string, olds: ChatState, news: ChatInputs, settings: Settings): Diff {
  if (olds.unresolved) return diffUnresolved(id, news, posted(olds));
  // An unknown value is reported as a replacement: the other way round a preview shows an update and the `up` sends an SMS.
  const replaces = REPLACES.filter((field) => !same(olds[field], news[field]));
  const recorded = RECORDED.filter((field) => !same(olds[field], news[field]));
  const { who } = posted(olds);
  refuseOwnId(id, news, replaces, who);
  return {
    changes: replaces.length > 0 || recorded.length > 0 || LOCAL.some((field) => olds[field] !== news[field]),
    replaces,
    deleteBeforeReplace: replaces.length > 0,
    notes: [
      ...(samePlace(olds, settings) ? [] : [messages.movedElsewhere(who, olds, settings)]),
      ...(recorded.length > 0 && replaces.length === 0 ? [messages.recordedOnly(who, recorded)] : []),
    ],
    trips: replaces.length > 0 ? judgeFreeze(settings) : [],
  };
}

/** A chat is POSTed here and nowhere else. */
async function create(inputs: ChatInputs, session: Session): Promise<Created<ChatState>> {
  const place = placeOf(session.settings);
  if (inputs.adopt !== undefined) return { id: inputs.adopt, state: { ...inputs, chatId: inputs.adopt, ...place } };
  refuseFrozen(posted(inputs).who, session);
  const outcome = await session.client().createSmsChat(toRequest(inputs));
  if (outcome.outcome === "unknown") throw saveUnresolved(outcome.failure, inputs, posted(inputs), session);
  if (outcome.outcome === "rejected") {
    const details = { ...context(inputs, "create", session), truth: "No chat was started. Nothing is saved." };
    throw new ResourceError(messages.rejected(outcome.failure, details));
  }
  if (outcome.issues.length > 0) session.warn(messages.answerIssues(posted(inputs).who, outcome.issues));
  const chat = outcome.answer as Chat;
  return { id: chat.chatId, state: { ...toOutputs(chat), ...inputs, ...place } };
}

const toRequest = ({ sendKey: _, endMissing: __, adopt: ___, retryUnresolved: ____, ...request }: ChatInputs) =>
  request;

function toOutputs(chat: Chat): Answered {
  const { agentId: _, metadata: __, serviceDynamicVariables: ___, ...rest } = chat;
  return Object.fromEntries(
    Object.entries(rest).filter(([, value]) => value !== null && value !== undefined),
  ) as Answered;
}

/** Nothing is sent: the platform shows no way to change a chat. */
async function update(id: string, olds: ChatState, news: ChatInputs, session: Session): Promise<ChatState> {
  if (!olds.unresolved) {
    return defined({ ...olds, ...Object.fromEntries([...RECORDED, ...LOCAL].map((field) => [field, news[field]])) });
  }
  session.warn(messages.stillUnresolved("chat", posted(olds).who, posted(olds).where, id));
  return olds;
}

/** Ends the chat (interface 4.4); one that nobody knows to exist is only forgotten. */
async function remove(id: string, state: ChatState, session: Session): Promise<void> {
  const { who, where } = posted(state);
  if (state.unresolved) {
    if (!isSettled(id, session)) session.warn(messages.unresolvedForgotten("chat", who, where));
    return;
  }
  if (state.endpoint !== session.settings.endpoint) {
    throw new ResourceError(messages.endpointDiffersAtDelete(who, state.endpoint, session.settings.endpoint));
  }
  // A rename without an alias: the new name adopts this chat, in this run or in an earlier one that broke off before this delete.
  if (session.declared.isDeclared(chatKey(id))) return session.warn(messages.adoptedElsewhere(who, id));
  refuseFrozen(who, session);
  const outcome = await session.client().endChat({ chatId: id, workspaceId: state.workspaceId });
  if (outcome.outcome !== "applied") concludeEnd(id, outcome, state, session);
}

type Unended = Exclude<Awaited<ReturnType<Client["endChat"]>>, { outcome: "applied" }>;

function concludeEnd(id: string, { outcome, failure }: Unended, state: ChatState, session: Session): void {
  const status = failure.exchange.status ?? 0;
  // Another provider may open another account, which never knew this chat: there a 404 ends nothing.
  const isOurs = samePlace(state, session.settings);
  if (outcome === "rejected" && isOurs && GONE.has(status) && state.endMissing !== "error") {
    return void session.warn(messages.alreadyEnded(posted(state).who, id, status));
  }
  const details = { ...context(state, "delete", session), truth: "The resource stays in the state." };
  const remedy = GONE.has(status)
    ? "If the chat has ended, or this account never had it, forget the resource with `pulumi state delete`; else check workspace and provider."
    : undefined;
  throw new ResourceError(
    outcome === "rejected"
      ? messages.rejected(failure, { ...details, remedy })
      : messages.unknownOutcome("AGP-043", failure, {
          ...details,
          truth: `Chat ${JSON.stringify(id)} may or may not have ended. The resource stays in the state.`,
          remedy: "Run the same command again: it ends the chat once more, which does no harm.",
        }),
  );
}

function context(inputs: ChatInputs, action: string, { settings: { tokenSource, endpoint } }: Session) {
  return { who: posted(inputs).who, action, tokenSource, endpoint, workspaceId: inputs.workspaceId };
}

export const smsChat: Lifecycle<ChatInputs, ChatState> = {
  kind: KIND,
  who: (inputs) => posted(inputs).who,
  readState: (saved, id) => readSaved<ChatState>(KIND, saved, id, ["toNumber", "endpoint"]),
  check,
  diff,
  create,
  update,
  delete: remove,
};
