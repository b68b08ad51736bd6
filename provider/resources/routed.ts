import * as z from "zod";
import { type Endpoint, endpointOf } from "../core/endpoint";
import { defined } from "../core/equality";
import { judgeNew, loosened } from "../core/guards";
import * as messages from "../core/messages";
import { onDelete, type RoutedInputs, type Routing, routingShape } from "../core/routing";
import { optional, percent, positive, secretArguments, validate } from "../core/schemas";
import type { Settings } from "../core/settings";
import type { Checked, Props } from "./lifecycle";

/** What a single assignment and a group check alike. */

/** The arguments that both take: a routing, and what is never sent. */
export const routedShape = {
  ...routingShape,
  weightTotal: optional(positive),
  maxShift: optional(percent),
  onDelete: optional(onDelete),
  triggers: z.unknown().optional(),
  secretArguments: optional(secretArguments),
};

/** What differs between the two. */
interface Routed<Inputs> {
  readonly schema: z.ZodType<Omit<Inputs, keyof Endpoint>>;
  who(inputs: Inputs): string;
  /** Whatever else is wrong, the program declares these numbers, and nothing may take their agents. */
  readonly declares: string[];
  routingFor(number: string, inputs: Inputs): Routing;
  failures?(inputs: Inputs): messages.Message[];
}

/**
 * What is wrong with the arguments: their form, an argument that got lost, a guard that would be loosened. A new resource is judged by the
 * guards here, since no diff comes; a change in diff, which knows what was applied.
 */
export function checkRouted<Inputs extends RoutedInputs>(
  { schema, who, declares, routingFor, failures: others }: Routed<Inputs>,
  olds: Props | undefined,
  news: Props,
  settings: Settings,
): Checked<Inputs> {
  const { value, problems } = validate(schema, news);
  const inputs = value === undefined ? undefined : (withDefaults(value, settings) as unknown as Inputs);
  const isLost = olds?.inboundAgents !== undefined && (news.inboundAgents ?? undefined) === undefined;
  const failures = [
    ...problems.map((problem) => messages.invalid(problem)),
    ...(isLost ? [messages.inboundAgentsMissing()] : []),
    ...loosened(inputs ?? {}, settings.guards).map(({ path, limit }) => messages.loosens(path, limit)),
  ];
  if (inputs === undefined) {
    return { inputs: { ...news } as unknown as Inputs, failures, warnings: [], violations: [], declares };
  }
  const isInsecure = inputs.inboundWebhookUrl?.startsWith("http:");
  return {
    inputs,
    failures: [...failures, ...(others?.(inputs) ?? [])],
    warnings: isInsecure ? [messages.insecureWebhook(who(inputs))] : [],
    violations: olds === undefined ? judgeNew(inputs, settings) : [],
    declares,
    routingFor: (number) => routingFor(number, inputs),
  };
}

/** What the settings add to a routing, so that a changed setting is a change that a reviewer sees. */
const withDefaults = (value: Routing, settings: Settings): Routing & Endpoint =>
  defined({
    ...value,
    accountSid: value.accountSid ?? settings.accountSid,
    workspaceId: value.workspaceId ?? settings.workspaceId,
    ...endpointOf(settings),
  });
