import type { Input } from "@pulumi/pulumi";
import { z } from "zod";
import { samePlace } from "../core/endpoint";
import {
  heldBy,
  isPlannable,
  isTouched,
  type Override,
  type Overrides,
  type Plan,
  plan,
  routingFor,
} from "../core/fleet";
import {
  agentId,
  agentVersion,
  integer,
  numberId,
  optional,
  orUnknown,
  required,
  validate,
  webhookUrl,
} from "../core/inputs";
import * as messages from "../core/messages";
import { firstOf, numbers, numbersOf } from "../core/numbers";
import { bindsAnything, onDelete, routingShape } from "../core/routing";
import { defined, same } from "../core/same";
import type { Settings } from "../core/settings";
import { holdsUnknown, isUnknown } from "../core/unknown";
import { handOver } from "./assignment";
import { sendAll } from "./fleet";
import { fail, failedMessage, type GroupInputs, type GroupState, KIND, stateOf, who } from "./groupState";
import { guardShape, judgeChange, judgeDeclared, judgeFallback, judgeRemoval, refuseFrozen } from "./judge";
import { type Checked, type Created, type Diff, type Lifecycle, ResourceError, type Session } from "./lifecycle";
import type { RoutingArgs } from "./routingArgs";
import { readSaved } from "./saved";
import { withDefaults } from "./withDefaults";

/** What one number of a group has for itself (interface 4.1). */
export interface NumberOverrideArgs {
  /**
   * Agent for outbound calls of this number. The group's outboundAgentVersion is not taken over: it belongs to the group's agent.
   * @default the group's
   * @change update of this number alone
   */
  outboundAgentId?: Input<string | undefined>;
  /** Version of the outbound agent, an integer from 0. @default the group's, if the agent is the group's @change update of this number alone */
  outboundAgentVersion?: Input<number | undefined>;
  /** URL that the platform associates with this number. @default the group's @change update of this number alone */
  inboundWebhookUrl?: Input<string | undefined>;
}

/** The arguments of a {@link NumberGroup}: one routing, many numbers (interface 4.1, once for each number). */
export interface NumberGroupArgs extends RoutingArgs {
  /**
   * The numbers, as a list, or as a map from number to a label that is shown and never sent. At most 100,000; an empty list is refused.
   * @change update: a number that joins gets the routing at once; one that leaves is cleared, or falls back as `onDelete` says
   */
  numbers: Input<Input<string>[] | Record<string, Input<string>>>;
  /**
   * Differences of single numbers: `{ "+15551234567": { outboundAgentId: "agent_night" } }`. Each must be a number of the group.
   * @default none
   * @change update of the numbers whose entry changes
   */
  overrides?: Input<Record<string, Input<NumberOverrideArgs>> | undefined>;
  /** How many numbers may fail before the rest is not sent any more; 0 stops at the first. @default no limit @change recorded */
  maxFailures?: Input<number | undefined>;
}

const override = z.strictObject(
  {
    outboundAgentId: optional(agentId),
    outboundAgentVersion: optional(agentVersion),
    inboundWebhookUrl: optional(webhookUrl),
  },
  { error: (issue) => (issue.code === "unrecognized_keys" ? undefined : "must be an object") },
);

const overrides = z
  .record(
    z.string().refine((key) => numberId.safeParse(key).success, { error: "must be a number" }),
    orUnknown(override),
    {
      error: "must be a map from number to what differs for it",
    },
  )
  .transform(
    (all): Overrides =>
      Object.fromEntries(
        Object.entries(all).map(([number, one]): [string, Override] => [number, isUnknown(one) ? one : defined(one)]),
      ),
  );

const count = integer.refine((value) => value >= 0, { error: "must not be negative" });

const schema = z.strictObject({
  numbers: required(numbers),
  overrides: optional(overrides),
  maxFailures: optional(count),
  ...routingShape,
  ...guardShape,
  onDelete: optional(onDelete),
  triggers: z.unknown().optional(),
});

/** Beside the numbers and their routing: what is recorded and never sent, and what says by itself that all is sent again. */
const ANYTHING_ELSE = ["weightTotal", "maxShift", "maxFailures", "onDelete", "triggers", "overrides"] as const;

function check(
  olds: Readonly<Record<string, unknown>> | undefined,
  news: Readonly<Record<string, unknown>>,
  settings: Settings,
): Checked<GroupInputs> {
  const { value, problems } = validate(schema, news);
  const failures = problems.map((problem) => messages.invalid(problem));
  if (olds?.inboundAgents !== undefined && (news.inboundAgents ?? undefined) === undefined)
    failures.push(messages.inboundAgentsMissing());
  if (value === undefined)
    return { inputs: { ...news } as unknown as GroupInputs, failures, warnings: [], trips: [], declares: [] };
  const inputs = withDefaults(value, settings);
  const judged = judgeDeclared(inputs, settings, olds === undefined);
  return {
    inputs,
    failures: [...failures, ...judged.failures, ...strangers(inputs)],
    warnings: inputs.inboundWebhookUrl?.startsWith("http:") ? [messages.insecureWebhook(who(inputs.numbers))] : [],
    trips: judged.trips,
    declares: isUnknown(inputs.numbers) ? [] : numbersOf(inputs.numbers),
    routingFor: (number) => routingFor(number, inputs),
  };
}

/** An override of a number that is not in the group is a slip: it would change nothing. */
function strangers({ numbers: text, overrides: all }: GroupInputs): messages.Message[] {
  if (all === undefined || isUnknown(text) || isUnknown(all)) return [];
  const known = new Set(numbersOf(text));
  const strange = Object.keys(all).filter((number) => !known.has(number));
  return strange.length === 0 ? [] : [messages.strangers(strange)];
}

function diff(_id: string, olds: GroupState, news: GroupInputs, settings: Settings): Diff {
  const known = isPlannable(news) ? plan(olds, news) : undefined;
  const isSent = known === undefined || known.send.length + known.clear.length > 0 || holdsUnknown(news.triggers);
  return {
    changes: isSent || olds.numbers !== news.numbers || ANYTHING_ELSE.some((field) => !same(olds[field], news[field])),
    replaces: [],
    deleteBeforeReplace: false,
    notes: notes(olds, news, known),
    trips: isSent
      ? [...judgeChange(olds, news, settings), ...judgeLeaving(olds, known, settings)]
      : judgeFallback(olds, news, settings),
  };
}

function judgeLeaving(olds: GroupState, known: Plan | undefined, settings: Settings): messages.Message[] {
  return known === undefined ? [] : judgeRemoval(known.leaving, firstOf(olds.numbers).count, settings);
}

function notes(olds: GroupState, news: GroupInputs, known: Plan | undefined): messages.Message[] {
  if (known === undefined) return [];
  const { joining, leaving } = known;
  const label = who(news.numbers);
  const missing = Object.keys(olds.unapplied ?? {}).length;
  const reason = `${missing} ${missing === 1 ? "number was" : "numbers were"} not applied`;
  return [
    ...(missing === 0 ? [] : [messages.sentAgain(label, reason)]),
    ...(samePlace(olds, news) ? [] : [messages.endpointChanged(label, olds, news)]),
    ...(joining.length + leaving.length === 0 ? [] : [messages.membership(label, joining, leaving)]),
  ];
}

async function create(inputs: GroupInputs, session: Session): Promise<Created<GroupState>> {
  const id = session.newId("group");
  return { id, state: await apply(id, inputs, undefined, session) };
}

async function update(id: string, olds: GroupState, news: GroupInputs, session: Session): Promise<GroupState> {
  return apply(id, news, olds, session);
}

async function apply(
  id: string,
  inputs: GroupInputs,
  olds: GroupState | undefined,
  session: Session,
): Promise<GroupState> {
  const todo = plan(olds, inputs);
  const label = who(inputs.numbers);
  if (todo.send.length + todo.clear.length === 0) return stateOf(inputs, olds, undefined);
  refuseFrozen(label, session);
  session.declared.declareAll(numbersOf(inputs.numbers));
  const sent = await sendAll(todo, { who: label, inputs, olds, session });
  return sent.missed.length === 0 ? stateOf(inputs, olds, undefined) : fail(id, inputs, olds, sent, session);
}

/** Clears every number that no other resource of the running program declares. */
async function remove(_id: string, state: GroupState, session: Session): Promise<void> {
  const label = who(state.numbers);
  if (state.endpoint !== session.settings.endpoint) {
    throw new ResourceError(messages.endpointDiffersAtDelete(label, state.endpoint, session.settings.endpoint));
  }
  const all = new Set([...numbersOf(state.numbers), ...Object.keys(state.unapplied ?? {})]);
  const clear = [...all].filter((number) => isTouched(number, state));
  if (!mayBind(state)) return;
  // Renamed as a whole, nothing is sent: a freeze does not stand in the way.
  const isLeft = (number: string) =>
    session.declared.isDeclared(number) && handOver(number, heldBy(number, state, state), session) === undefined;
  if (!clear.every(isLeft)) refuseFrozen(label, session);
  const sent = await sendAll({ send: [], clear }, { who: label, inputs: state, olds: state, session });
  if (sent.missed.length > 0) throw new ResourceError(failedMessage(label, sent, "stays", state.workspaceId, session));
}

/** Is there anything to clear, or to fall back to? */
function mayBind({
  formerRouting = {},
  formerOverrides,
  overrides,
  onDelete: fallback,
  ...routing
}: GroupState): boolean {
  return (
    bindsAnything(routing) ||
    bindsAnything(formerRouting) ||
    overrides !== undefined ||
    formerOverrides !== undefined ||
    (fallback !== undefined && fallback !== "clear")
  );
}

export const numberGroup: Lifecycle<GroupInputs, GroupState> = {
  kind: KIND,
  who: ({ numbers }) => who(numbers),
  readState: (saved, id) => readSaved<GroupState>(KIND, saved, id, ["numbers", "endpoint"]),
  check,
  diff,
  create,
  update,
  delete: remove,
};
