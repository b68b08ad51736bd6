import { type Members, numbersOf, toMembers } from "./numberList";
import { onceForEach } from "./once";
import { type RoutedInputs, type Routing, routingOf } from "./routing";

/** A group of numbers: one routing, and what single numbers have for themselves. */

/** What one number may have for itself. */
export type Override = Pick<Routing, "outboundAgentId" | "outboundAgentVersion" | "inboundWebhookUrl">;

export type Overrides = Readonly<Record<string, Override>>;

export interface GroupInputs extends RoutedInputs {
  numbers: string;
  readonly overrides?: Overrides | undefined;
  readonly maxFailures?: number | undefined;
}

/** A number may be any text, so it may be the name of something that every object has. */
export const own = <T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;

/** One object for all numbers without an override: 50,000 equal ones would be made, and kept, for nothing. */
const sharedRouting = onceForEach(routingOf);

/** The group's version belongs to the group's agent: another agent does not inherit it. */
export function routingFor(number: string, inputs: Routing & Pick<GroupInputs, "overrides">): Routing {
  const routing = sharedRouting(inputs);
  const override = own(inputs.overrides, number);
  if (override === undefined) {
    return routing;
  }
  const { outboundAgentVersion: _, ...withoutVersion } = routing;
  return { ...(override.outboundAgentId === undefined ? routing : withoutVersion), ...override };
}

/** Looked up once for each state: to find the text means to compare it. */
export const membersOf = onceForEach(({ numbers }: Pick<GroupInputs, "numbers">): Members => toMembers(numbers));

/** Overrides that name no number of the group are a slip: they would change nothing. */
export function unknownOverrides({ numbers, overrides = {} }: Pick<GroupInputs, "numbers" | "overrides">): string[] {
  const known = new Set(numbersOf(numbers));
  return Object.keys(overrides).filter((number) => !known.has(number));
}

/** How many numbers may leave a group in one run where no setting says: the larger of 5 and 5 %. */
export const removable = (count: number, maxRemove: number | undefined): number =>
  maxRemove ?? Math.max(5, Math.floor(count * 0.05));
