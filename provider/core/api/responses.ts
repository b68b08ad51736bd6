import * as z from "zod";
import { defined } from "../common/equality";
import { wire } from "../common/schemas";
import { FIELDS, type KindOf, NAMED_FIELDS, type WireOf, wireOf } from "../routing/fields";
import { weightEntries } from "../routing/inboundAgents";
import type { AssignmentFields } from "../routing/routing";
import { shownFlag, shownInteger, shownText, VALUES } from "../routing/values";
import type { AddCommunityVoiceRequest, CreateSmsChatRequest, EndChatRequest, Outcome } from "./operations";

/** The API as the core knows it. */

const freeForm = wire(z.record(z.string(), z.unknown()));
const dateTime = wire(z.iso.datetime({ offset: true, local: true }));

type Camel<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Name;
type Camelled<Wire> = { [Name in keyof Wire as Camel<Name>]: Wire[Name] };

/** `agent_id` as `agentId`, without fields that are absent: the engine cannot save undefined inside a list. Free-form values stay as they are. */
const camelled = <Wire extends object>(fields: Wire): Camelled<Wire> =>
  Object.fromEntries(
    Object.entries(defined(fields)).map(([name, value]) => [
      name.replace(/_(.)/g, (_, letter) => letter.toUpperCase()),
      value,
    ]),
  ) as Camelled<Wire>;

/** Other fields tell of the outbound agent. */
const SHOWN_FIELDS = NAMED_FIELDS.filter((name) => name !== "outboundAgentId");
type ShownFields = { [Name in (typeof SHOWN_FIELDS)[number] as WireOf<Name>]: (typeof VALUES)[KindOf<Name>]["shown"] };

/** What a record and the assignment object have in common (interface 2.2, 2.3). */
const numberFields = z.object({
  ...(Object.fromEntries(SHOWN_FIELDS.map((name) => [wireOf(name), VALUES[FIELDS[name].value].shown])) as ShownFields),
  agent_id: shownText,
  inbound_agent_id: shownText,
  outbound_agents: weightEntries,
  platform_import_error: shownFlag,
  platform_import_error_message: shownText,
});

const numberRecord = numberFields
  .extend({
    id: shownInteger,
    number: shownText,
    base_number: shownText,
    default_agent_id: shownText,
    inbound_agent_version: shownInteger,
    application_sid: shownText,
    phone_number_sid: shownText,
  })
  .transform(camelled);

export const numberResponse = z.object({
  success: shownFlag,
  message: shownText,
  numbers: wire(z.array(numberRecord)),
  assignment: wire(numberFields.transform(camelled)),
});

export const voice = z.object({
  voiceId: shownText,
  name: shownText,
  gender: shownText,
  language: shownText,
  accent: shownText,
  description: shownText,
  provider: shownText,
  previewUrl: shownText,
  playbackOverrideUrl: shownText,
  tags: wire(z.array(z.string())),
  createdAt: dateTime,
  updatedAt: dateTime,
});

const chatMessage = z
  .object({ content: shownText, name: shownText, tool_calls: wire(z.array(z.record(z.string(), z.unknown()))) })
  .transform(camelled);

export const chat = z
  .object({
    chatId: shownText,
    agentId: shownText,
    version: shownInteger,
    status: shownText,
    type: shownText,
    metadata: freeForm,
    customAttributes: freeForm,
    startedAt: dateTime,
    endedAt: dateTime,
    transcript: shownText,
    messages: wire(z.array(chatMessage)),
    chatCost: freeForm,
    chatAnalysis: freeForm,
    collectedDynamicVariables: freeForm,
    service_dynamic_variables: freeForm,
    overrideDynamicVariables: freeForm,
  })
  .transform(camelled);

export type NumberRecord = z.output<typeof numberRecord>;
export type NumberResponse = z.output<typeof numberResponse>;
/** Neither a voice (interface 2.5) nor a chat (2.4) can be saved without its id. */
export type Voice = z.output<typeof voice> & { readonly voiceId: string };
export type Chat = z.output<typeof chat> & { readonly chatId: string };

// --- the operations

/** PUT /api/numbers/{number}/agent (interface 4.1). A field left out is not sent; `null` is sent as null. */
export interface AssignNumberRequest extends AssignmentFields {
  readonly number: string;
}

/** Each operation rejects with an InvalidRequestError if its request cannot be sent; else its outcome says how the exchange ended. */
export interface Client {
  /** Assigns or clears the agents of a number (interface 4.1). After an unknown outcome it is sent again: the same PUT twice does no harm. */
  assignNumber(request: AssignNumberRequest): Promise<Outcome<NumberResponse>>;
  /** Adds a voice to a library (interface 4.3). After an unknown outcome it is not sent again: there may be a voice already. */
  addCommunityVoice(request: AddCommunityVoiceRequest): Promise<Outcome<Voice>>;
  /** Starts a chat, which sends an SMS (interface 4.2). After an unknown outcome it is not sent again: an SMS may have been sent. */
  createSmsChat(request: CreateSmsChatRequest): Promise<Outcome<Chat>>;
  /** Ends a chat (interface 4.4). After an unknown outcome it is not sent again by itself; to end a chat twice does no harm. */
  endChat(request: EndChatRequest): Promise<Outcome<undefined>>;
}
