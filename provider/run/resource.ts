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
import type { Plan, Reason } from "./plan";
import type { Declares, KnownResource, Run } from "./run";
import { guardsBypassed, judgeFreeze, type Violation, violated } from "./violation";

/** A resource's properties, as the engine passes them. */
export type Props = Readonly<Record<string, unknown>>;

/** The result of check: the canonical inputs, and the problems found in the program's inputs. */
export interface Checked<Inputs> extends Declares {
  readonly inputs: Inputs;
  readonly failures: Message[];
  /**
   * Notes for the user about a new resource, for example that `pulumi up` will send an SMS. For a changed resource,
   * diff returns such notes in the plan.
   */
  readonly reasons?: readonly Reason[];
  /** The guard violations of a new resource. Changes are judged in diff, where the applied values are known. */
  readonly violations: Violation[];
}

export interface Created<State> {
  id: string;
  state: State;
}

/**
 * How the provider handles one kind of resource. check and diff have no side effects. In a preview, their arguments may
 * be unknown. As in the engine, `olds` is saved and `news` is declared.
 */
export interface Lifecycle<Inputs, State, Preview = Inputs> {
  readonly kind: ResourceKind;
  /** Argument checks that need neither settings nor saved state. */
  readonly schema: z.ZodType;
  /** Reads a state saved by this release or an earlier one. Throws a ResourceError if the state cannot be read. */
  readState(saved: Props, id: string): State;
  check(olds: Props | undefined, news: Props, settings: Settings): Checked<Preview>;
  /** Plans what the next `pulumi up` does with the resource. */
  diff(id: string, olds: State, news: Preview, settings: Settings): Plan;
  /**
   * Creates a resource. `original` is the resource that diff asked to replace, if any. The run remembers it from diff,
   * because the engine doesn't pass it to create.
   */
  create(inputs: Inputs, run: Run, original?: KnownResource<State>): Promise<Created<State>>;
  update(id: string, olds: State, news: Inputs, run: Run): Promise<State>;
  delete(id: string, state: State, run: Run): Promise<void>;
}

/**
 * Returns the endpoint and the token's source. A run that declares nothing, such as a destroy, uses the config in the
 * saved state.
 */
export function accessOf(run: Run): PlatformAccess {
  const { endpoint, tokenSource } = run.settings;
  return { endpoint, tokenSource: tokenSource === "config" && !run.isDeclaring() ? "state" : tokenSource };
}

// --- refusals

/** Throws if the stack is frozen. Only deletes call this, because check and diff already refuse creates and updates. */
export const refuseFrozen = (label: string, run: Run): void =>
  refuseViolations(label, judgeFreeze(run.settings.guards), run);

/** Returns a failure for each violation, or a single warning if the operator bypasses the guards for this run. */
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

/** Throws an error for the violations, or prints a warning if the operator bypasses the guards for this run. */
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

/** Throws if the settings point to a platform other than the one that the state was saved for. */
export function refuseOtherEndpoint(label: string, state: Endpoint, now: Endpoint): void {
  if (!sameEndpoint(state, now)) {
    throw new ResourceError(endpointDiffers(label, state.endpoint, now.endpoint));
  }
}

export const hiddenShape = {
  [URN]: optional(z.string()),
  secretArguments: optional(z.array(z.string(), { error: "must be a list of names" }).readonly()),
};

/**
 * Reads a saved state, which a user may have edited manually. Throws if a field that the provider needs is missing or
 * has the wrong type.
 * @param foundBy the field that identifies the resource: its numbers, or the field by which people find the voice or
 * chat
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
  // The endpoint and the identifying field are required, because every update and delete needs them.
  const needed = z.string().min(1);
  const fields = { [foundBy]: needed, endpoint: needed, workspaceId: optional(integer), ...hiddenShape };
  const { data, error } = z.looseObject({ ...fields, ...forms }).safeParse(saved);
  if (error !== undefined) {
    const unreadable = new Set(error.issues.map(({ path }) => String(path[0])));
    throw new ResourceError(unreadableState(label, [...unreadable]));
  }
  return data as State;
}
