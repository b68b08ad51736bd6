import { onceForEach } from "../common/once";
import { isUnknown } from "../common/schemas";
import type { OverrideField } from "./fields";
import { type Members, numbersOf, toMembers } from "./numberList";
import { isVersionAlone, type NumbersInputs, type Routing, routingOf } from "./routing";

/** A group of numbers: one routing, and what single numbers have for themselves. */

/** What one number may have for itself. */
export type Override = Pick<Routing, OverrideField>;

export type Overrides = Readonly<Record<string, Override>>;

export interface GroupInputs extends NumbersInputs {
  numbers: string;
  readonly overrides?: Overrides | undefined;
  readonly maxFailures?: number | undefined;
}

/** The entry of a number. A number may be any text, such as `constructor`, which every object has as a property. */
export const own = <T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;

/** One object for all numbers without an override, to save the memory of 50,000 equal objects. */
const sharedRouting = onceForEach(routingOf);

/** The routing of one number. If the override names another outbound agent, the group's version does not apply to that one. */
export function routingFor(number: string, inputs: Routing & Pick<GroupInputs, "overrides">): Routing {
  const routing = sharedRouting(inputs);
  const override = own(inputs.overrides, number);
  if (override === undefined) {
    return routing;
  }
  const { outboundAgentVersion: _, ...withoutVersion } = routing;
  return { ...(override.outboundAgentId === undefined ? routing : withoutVersion), ...override };
}

/** A state's text is read once: a run over 50,000 numbers asks about each of them. */
export const membersOf = onceForEach(({ numbers }: Pick<GroupInputs, "numbers">): Members => toMembers(numbers));

/** Overrides for numbers outside the group. They would change nothing, so they are a mistake. */
export function unknownOverrides({ numbers, overrides = {} }: Pick<GroupInputs, "numbers" | "overrides">): string[] {
  const known = new Set(numbersOf(numbers));
  return Object.keys(overrides).filter((number) => !known.has(number));
}

/** Overrides with a version, if neither the override nor the group has an outbound agent that it could belong to. */
export const versionsAlone = ({
  outboundAgentId,
  overrides = {},
}: Pick<GroupInputs, "outboundAgentId" | "overrides">) =>
  Object.entries(overrides).flatMap(([number, override]) =>
    !isUnknown(override) && isVersionAlone({ outboundAgentId, ...override }) ? [number] : [],
  );

/** Are the numbers secret? Then messages count them and do not name them. */
export const hasSecretNumbers = ({ secretArguments = [] }: Pick<GroupInputs, "secretArguments">): boolean =>
  secretArguments.includes("numbers");

/** How many numbers may leave a group in one run. Without the setting: 5 or 5 %, whichever is more. */
export const removable = (count: number, maxRemove: number | undefined): number =>
  maxRemove ?? Math.max(5, Math.floor(count * 0.05));
