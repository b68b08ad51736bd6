import { onceForEach } from "../common/once";
import { isSecret, isUnknown } from "../common/schemas";
import type { URN } from "../common/urn";
import type { Endpoint } from "../platform/endpoint";
import type { OverrideField } from "./fields";
import { type Members, type NumbersText, toMembers } from "./numberList";
import type { Rollout } from "./rollout";
import { isVersionAlone, type OnDelete, type Routing, routingOf } from "./routing";

/** Numbers with one routing, and what some of them have for themselves. A single number is a group of one. */

/** What one number may have for itself. */
export type Override = Pick<Routing, OverrideField>;

export type Overrides = Readonly<Record<string, Override>>;

/** The numbers of a resource: a NumberAssignment has `number`, a NumberGroup has `numbers`. */
export interface Numbers {
  readonly number?: string | undefined;
  readonly numbers?: NumbersText | undefined;
}

/** The inputs of a resource of numbers, as check makes them. */
export interface NumbersInputs extends Numbers, Routing, Endpoint {
  readonly overrides?: Overrides | undefined;
  readonly maxFailures?: number | undefined;
  /** If the program writes a rollout, `inboundAgents` follows from it. */
  readonly rollout?: Rollout | undefined;
  readonly weightTotal?: number | undefined;
  readonly maxShift?: number | undefined;
  readonly triggers?: unknown;
  readonly onDelete?: OnDelete | undefined;
  /** Arguments whose values are secret, so that no message shows one. */
  readonly secretArguments?: readonly string[] | undefined;
  readonly [URN]?: string | undefined;
}

/** Is it a single number? Another number is then another resource. */
export const isSingle = ({ number }: Numbers): boolean => number !== undefined;

/** A state's text is read once: a run over 50,000 numbers asks about each of them. */
export const membersOf = onceForEach(
  ({ number, numbers = "" }: Numbers): Members => (number === undefined ? toMembers(numbers) : new Map([[number, ""]])),
);

/** The entry of a number. A number may be any text, such as `constructor`, which every object has as a property. */
export const own = <T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;

/** One object for all numbers without an override, to save the memory of 50,000 equal objects. */
const sharedRouting = onceForEach(routingOf);

/** The routing of one number. If the override names another outbound agent, the group's version does not apply to that one. */
export function routingFor(number: string, inputs: Routing & Pick<NumbersInputs, "overrides">): Routing {
  const routing = sharedRouting(inputs);
  const override = own(inputs.overrides, number);
  if (override === undefined) {
    return routing;
  }
  const { outboundAgentVersion: _, ...withoutVersion } = routing;
  return { ...(override.outboundAgentId === undefined ? routing : withoutVersion), ...override };
}

/** Overrides for numbers outside the group. They would change nothing, so they are a mistake. */
export const unknownOverrides = (inputs: Numbers & Pick<NumbersInputs, "overrides">): string[] =>
  Object.keys(inputs.overrides ?? {}).filter((number) => !membersOf(inputs).has(number));

/** Overrides with a version, if neither the override nor the group has an outbound agent that it could belong to. */
export const versionsAlone = ({
  outboundAgentId,
  overrides = {},
}: Pick<NumbersInputs, "outboundAgentId" | "overrides">) =>
  Object.entries(overrides).flatMap(([number, override]) =>
    !isUnknown(override) && isVersionAlone({ outboundAgentId, ...override }) ? [number] : [],
  );

/** Are the numbers secret? Then messages count them and do not name them. */
export const hasSecretNumbers = (inputs: Pick<NumbersInputs, "secretArguments">): boolean =>
  isSecret("number", inputs) || isSecret("numbers", inputs);

/** How many numbers may leave a group in one run. Without the setting: 5 or 5 %, whichever is more. */
export const removable = (count: number, maxRemove: number | undefined): number =>
  maxRemove ?? Math.max(5, Math.floor(count * 0.05));
