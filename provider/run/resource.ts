import * as z from "zod";
import type { PlatformAccess } from "../api/failure";
import { optional } from "../base/arguments";
import { URN } from "../base/engine";
import { integer } from "../base/schemas";
import type { ResourceKind } from "../config/kinds";
import type { Settings } from "../config/settings";
import { type Endpoint, sameEndpoint } from "../routing/group";
import { labelOfUrn, type Message, ResourceError, subject } from "../words/message";
import { endpointDiffers, unreadableState } from "./messages";
import type { JudgedPlan, Reason } from "./plan";
import type { Declares, KnownResource, Run } from "./run";
import { guardsBypassed, judgeFreeze, type Violation, violated } from "./violation";

/** What all kinds of resources have in common: their shape, and what is refused of any of them. */

/** Properties as the engine has them. */
export type Props = Readonly<Record<string, unknown>>;

/** The result of check: the canonical inputs, and what is wrong with those of the program. */
export interface Checked<Inputs> extends Declares {
  readonly inputs: Inputs;
  readonly failures: Message[];
  /** What a new resource does, for a preview. Of a change, diff says it. */
  readonly reasons?: readonly Reason[];
  /** What the guards refuse in a new resource. Changes are judged in diff, which knows what was applied. */
  readonly violations: Violation[];
}

export interface Created<State> {
  id: string;
  state: State;
}

/**
 * The lifecycle of one kind of resource. check and diff are pure, and a preview may pass them unknown values; the other
 * calls send requests. Parameter names follow the engine: `olds` is saved, `news` is declared.
 */
export interface Lifecycle<Inputs, State, Preview = Inputs> {
  readonly kind: ResourceKind;
  /** Argument checks that need neither settings nor saved state. */
  readonly schema: z.ZodType;
  /** Reads a saved state of this or an earlier release. Throws a ResourceError if it cannot be read. */
  readState(saved: Props, id: string): State;
  check(olds: Props | undefined, news: Props, settings: Settings): Checked<Preview>;
  /** What `pulumi up` would do. */
  diff(id: string, olds: State, news: Preview, settings: Settings): JudgedPlan;
  /** `original` is the resource it replaces, if diff asked for that. The engine doesn't tell create about it. */
  create(inputs: Inputs, run: Run, original?: KnownResource<State>): Promise<Created<State>>;
  update(id: string, olds: State, news: Inputs, run: Run): Promise<State>;
  delete(id: string, state: State, run: Run): Promise<void>;
}

/**
 * The platform, and the source of its token. If the run declares nothing (a destroy, for example), the engine passes
 * the config from the last run.
 */
export function accessOf(run: Run): PlatformAccess {
  const { endpoint, tokenSource } = run.settings;
  return { endpoint, tokenSource: tokenSource === "config" && !run.isDeclaring() ? "state" : tokenSource };
}

// --- refusals

/**
 * Throws if the stack is frozen; call it before a delete sends anything. Creates are checked for a freeze in check,
 * updates in diff.
 */
export const refuseFrozen = (label: string, run: Run): void => refuseViolations(label, judgeFreeze(run.settings), run);

/** The violations as failures, or as a single warning if the operator bypasses the guards for this run. */
export function refusedOrWarned(
  label: string,
  violations: readonly Violation[],
  { bypass }: Settings,
): { readonly failures: readonly Message[]; readonly warnings: readonly Message[] } {
  if (violations.length === 0) {
    return { failures: [], warnings: [] };
  }
  return bypass === undefined
    ? { failures: violated(label, violations), warnings: [] }
    : { failures: [], warnings: [guardsBypassed(label, bypass, violations)] };
}

/** Throws the violations, unless the operator bypasses the guards for this run. */
export function refuseViolations(label: string, violations: readonly Violation[], run: Run): void {
  const { failures, warnings } = refusedOrWarned(label, violations, run.settings);
  for (const warning of warnings) {
    run.warn(warning);
  }
  const [first, ...rest] = failures;
  if (first !== undefined) {
    throw new ResourceError(first, ...rest);
  }
}

/** A saved state is only valid for the platform it was saved for. */
export function refuseOtherEndpoint(label: string, state: Endpoint, now: Endpoint): void {
  if (!sameEndpoint(state, now)) {
    throw new ResourceError(endpointDiffers(label, state.endpoint, now.endpoint));
  }
}

/** The schema of HiddenInputs. */
export const hiddenShape = {
  [URN]: optional(z.string()),
  secretArguments: optional(z.array(z.string(), { error: "must be a list of names" }).readonly()),
};

/**
 * Reads a saved state, which may have been edited manually. Throws if a field that a call needs is missing or has the
 * wrong type.
 * @param foundBy the field that holds its numbers, or by which people find it
 * @param forms schemas for the fields that only this kind has
 */
export function readSaved<State>(
  kind: ResourceKind,
  saved: Props,
  id: string,
  foundBy: string,
  forms: Readonly<Record<string, z.ZodType>> = {},
): State {
  const urn = saved[URN];
  const label = typeof urn === "string" ? labelOfUrn(urn) : subject(kind, id);
  // Without these strings, a resource can be neither updated nor deleted.
  const needed = z.string().min(1);
  const fields = { [foundBy]: needed, endpoint: needed, workspaceId: optional(integer), ...hiddenShape };
  const { data, error } = z.looseObject({ ...fields, ...forms }).safeParse(saved);
  if (error !== undefined) {
    const unreadable = new Set(error.issues.map(({ path }) => String(path[0])));
    throw new ResourceError(unreadableState(label, [...unreadable]));
  }
  return data as State;
}
