import * as z from "zod";
import { endpointOf, sameEndpoint } from "../core/endpoint";
import { defined } from "../core/equality";
import * as messages from "../core/messages";
import type { Chat, Client, CreateSmsChatRequest } from "../core/operations";
import { type Plan, type PostedState, planPosted, RECORDED, REPLACES, type UnresolvedArgs } from "../core/plan";
import {
  chatAgentId,
  chatId,
  integer,
  jsonObject,
  oneOf,
  optional,
  phoneNumber,
  plainText,
  required,
  secretArguments,
} from "../core/schemas";
import type { Settings } from "../core/settings";
import { checkPosted } from "./checkPosted";
import { readSaved, refuseFrozen, refuseOtherEndpoint, subjectOf } from "./guarded";
import { type Checked, type Created, type Lifecycle, ResourceError, type Session } from "./lifecycle";
import { adoptedBy, explainPosted, isResolved, type PostedResource, refuseOwnId, saveUnresolved } from "./unresolved";

export interface ChatInputs extends UnresolvedArgs {
  readonly workspaceId: number;
  readonly agentId: string;
  readonly fromNumber: string;
  readonly toNumber: string;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly serviceDynamicVariables?: Readonly<Record<string, unknown>> | undefined;
  readonly sendKey?: string | undefined;
  readonly endMissing?: "ended" | "error" | undefined;
  /** Arguments whose values are secret, so that no message shows one. */
  readonly secretArguments?: readonly string[] | undefined;
}

export interface ChatState extends ChatInputs, PostedState, Partial<Answered> {}

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
  adopt: optional(chatId),
  retryUnresolved: optional(plainText),
  secretArguments: optional(secretArguments),
});

/** Responses to an end that mean that nothing is left to end (interface 4.4 does not show it). */
const GONE = new Set([404, 409, 410]);

const posted = ({ toNumber, workspaceId, secretArguments }: ChatInputs): PostedResource => ({
  kind: "chat",
  who: subjectOf(KIND, "toNumber", toNumber, secretArguments),
  where: `workspace ${workspaceId}`,
  code: "AGP-042",
});

function check(
  olds: Readonly<Record<string, unknown>> | undefined,
  news: Readonly<Record<string, unknown>>,
  settings: Settings,
): Checked<ChatInputs> {
  const { value, checked } = checkPosted(schema, olds, news, settings);
  return value === undefined
    ? checked
    : { ...checked, declares: adoptedBy(olds, value, REPLACES.SmsChat).map(chatKey) };
}

/** Declared as numbers are, and never one of them: a number holds no line break. */
const chatKey = (chatId: string): string => `chat\n${chatId}`;

function diff(id: string, olds: ChatState, news: ChatInputs, settings: Settings): Plan {
  const plan = planPosted(KIND, id, olds, news, settings);
  if (!olds.unresolved) {
    refuseReplaceElsewhere(plan, olds, settings);
    refuseOwnId(id, news, plan.replaces as (keyof ChatInputs & string)[], posted(olds).who);
  }
  return plan;
}

/** A replacement ends the old chat, and another platform cannot. */
function refuseReplaceElsewhere({ ends }: Plan, olds: ChatState, settings: Settings): void {
  if (ends && olds.endpoint !== settings.endpoint) {
    throw new ResourceError(messages.endpointDiffersAtReplace(posted(olds).who, olds.endpoint, settings.endpoint));
  }
}

/** A chat is POSTed here and nowhere else. */
async function create(inputs: ChatInputs, session: Session): Promise<Created<ChatState>> {
  const place = endpointOf(session.settings);
  if (inputs.adopt !== undefined) {
    return { id: inputs.adopt, state: { ...inputs, chatId: inputs.adopt, ...place } };
  }
  refuseFrozen(posted(inputs).who, session);
  const outcome = await session.client().createSmsChat(toRequest(inputs));
  if (outcome.outcome === "unknown") {
    throw saveUnresolved(outcome.failure, inputs, posted(inputs), session);
  }
  if (outcome.outcome === "rejected") {
    const details = { ...context(inputs, "create", session), truth: "No chat was started. Nothing is saved." };
    throw new ResourceError(messages.rejected(outcome.failure, details));
  }
  if (outcome.issues.length > 0) {
    session.warn(messages.answerIssues(posted(inputs).who, outcome.issues));
  }
  const chat = outcome.answer as Chat;
  // A platform may go on with the chat that this one replaces: then no delete of this run ends it.
  session.declared.declareAll([chatKey(chat.chatId)]);
  return { id: chat.chatId, state: { ...toOutputs(chat), ...inputs, ...place } };
}

function toRequest(inputs: ChatInputs): CreateSmsChatRequest {
  const { sendKey: _, endMissing: __, adopt: ___, retryUnresolved: ____, secretArguments: _____, ...request } = inputs;
  return request;
}

function toOutputs(chat: Chat): Answered {
  const { agentId: _, metadata: __, serviceDynamicVariables: ___, ...rest } = chat;
  return Object.fromEntries(
    Object.entries(rest).filter(([, value]) => value !== null && value !== undefined),
  ) as Answered;
}

/** Nothing is sent: the API cannot change a chat. */
async function update(id: string, olds: ChatState, news: ChatInputs, session: Session): Promise<ChatState> {
  if (!olds.unresolved) {
    return defined({ ...olds, ...Object.fromEntries(RECORDED.SmsChat.map((field) => [field, news[field]])) });
  }
  session.warn(messages.stillUnresolved("chat", posted(olds).who, posted(olds).where, id));
  return olds;
}

/** Ends the chat (interface 4.4); one that nobody knows to exist is only forgotten. */
async function remove(id: string, state: ChatState, session: Session): Promise<void> {
  const { who, where } = posted(state);
  if (state.unresolved) {
    if (!isResolved(id, session)) {
      session.warn(messages.unresolvedForgotten("chat", who, where));
    }
    return;
  }
  refuseOtherEndpoint(who, state, session);
  // A rename without an alias: the new name adopts this chat, in this run or in an earlier one that broke off before this delete.
  const place = session.declared.whereIs(chatKey(id));
  if (place === "gone") {
    throw new ResourceError(messages.withheld(who, messages.ADOPTER_GONE));
  }
  if (place !== undefined) {
    return session.warn(messages.adoptedElsewhere(who, id));
  }
  if (session.declared.hasFailed()) {
    throw new ResourceError(messages.withheld(who, messages.RUN_FAILED));
  }
  refuseFrozen(who, session);
  const outcome = await session.client().endChat({ chatId: id, workspaceId: state.workspaceId });
  if (outcome.outcome !== "applied") {
    concludeEnd(id, outcome, state, session);
  }
}

type Unended = Exclude<Awaited<ReturnType<Client["endChat"]>>, { outcome: "applied" }>;

function concludeEnd(id: string, { outcome, failure }: Unended, state: ChatState, session: Session): void {
  const status = failure.exchange.status ?? 0;
  // Another provider may open another account, which never knew this chat: there a 404 ends nothing.
  const isOurs = sameEndpoint(state, session.settings);
  if (outcome === "rejected" && isOurs && GONE.has(status) && state.endMissing !== "error") {
    return void session.warn(messages.alreadyEnded(posted(state).who, id, status));
  }
  const details = { ...context(state, "delete", session), truth: "The resource stays in the state." };
  const remedy = GONE.has(status)
    ? "If the chat has ended, or this account never had it, forget the resource with `pulumi state delete`; otherwise check the workspace and the provider."
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
  schema,
  who: (inputs) => posted(inputs).who,
  hidden: ({ secretArguments = [] }) => secretArguments,
  readState: (saved, id) => readSaved<ChatState>(KIND, saved, id),
  check,
  diff,
  explain: (id, olds, _news, plan) => explainPosted(id, posted(olds), plan),
  create,
  update,
  delete: remove,
};
