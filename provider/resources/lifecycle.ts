import * as z from "zod";
import type { Client } from "../core/api/responses";
import { type HiddenInputs, hiddenShape, integer, optional } from "../core/common/schemas";
import { URN } from "../core/common/urn";
import type { Settings } from "../core/config/settings";
import * as messages from "../core/messages";
import { judgeFreeze, type Violation } from "../core/numbers/guards";
import type { Plan } from "../core/numbers/plan";
import { type Endpoint, sameEndpoint } from "../core/platform/endpoint";
import type { ResourceKind } from "../core/platform/kinds";
import { ResourceError } from "./errors";
import type { Declares, Known, Memory } from "./run/memory";

/** What all kinds of resources have in common: their shape, what they may use of the world, their errors and refusals. */

/** Properties as the engine has them. */
export type Props = Readonly<Record<string, unknown>>;

/** The result of check: the canonical inputs, and what is wrong with those of the program. */
export interface Checked<Inputs> extends Declares {
  readonly inputs: Inputs;
  readonly failures: messages.Message[];
  /** What the guards refuse of a new resource. They judge a change in diff, which knows what was applied. */
  readonly violations: Violation[];
}

export interface Created<State> {
  id: string;
  state: State;
}

/** What calls may use of the world. The edge makes one for each provider process. */
export interface Session {
  readonly settings: Settings;
  readonly concurrency: number;
  /** Throws if no token is set: only a call that sends needs one. */
  client(): Client;
  /** Prints a warning once a run, however often the engine calls. Never throws. */
  readonly warn: (message: messages.Message) => void;
  /** What this run remembers. */
  readonly run: Memory;
  newId(prefix: string): string;
  wait(ms: number): Promise<void>;
  /** Is there a program whose process marks its failure? */
  readonly expectsProgramMark: boolean;
  /** The time of day, ISO 8601 in UTC. */
  time(): string;
}

/**
 * One kind of resource: a pure check and diff, and the calls that send. The names are the engine's: `olds` is what is saved, `news` what is declared.
 */
export interface Lifecycle<Inputs, State> {
  readonly kind: ResourceKind;
  /** The rules of the arguments that depend neither on settings nor on the saved state. */
  readonly schema: z.ZodType;
  /** Reads a saved state of this or an earlier release. Throws a ResourceError if it cannot be read. */
  readState(saved: Props, id: string): State;
  check(olds: Props | undefined, news: Props, settings: Settings): Checked<Inputs>;
  /** What an `up` would do. */
  diff(id: string, olds: State, news: Inputs, settings: Settings): Plan;
  /** `original` is what it replaces, if diff has asked for that. The engine does not tell create about it. */
  create(inputs: Inputs, session: Session, original?: Known<State>): Promise<Created<State>>;
  update(id: string, olds: State, news: Inputs, session: Session): Promise<State>;
  delete(id: string, state: State, session: Session): Promise<void>;
}

/** The platform and the token of a delete. In a run that declares nothing, such as a destroy, the config is that of the last run. */
export function targetOfDelete({ settings, run }: Session): messages.PlatformAccess {
  const isSaved = settings.tokenSource === "config" && !run.isDeclaring();
  return isSaved ? { ...settings, tokenSource: "state" } : settings;
}

// --- refusals

/** Throws if the stack is frozen, before anything is sent. check and diff have judged a freeze before, but a delete has neither. */
export const refuseFrozen = (who: string, session: Session): void =>
  refuseViolations(who, judgeFreeze(session.settings), session);

/** Messages about the violations. If the operator bypasses the guards for this run, there are none, but a warning. */
export function refusals(who: string, violations: readonly Violation[], session: Session): messages.Message[] {
  const { bypass } = session.settings;
  if (violations.length === 0) {
    return [];
  }
  if (bypass === undefined) {
    return messages.violated(who, violations);
  }
  session.warn(messages.guardsBypassed(who, bypass, violations));
  return [];
}

/** Throws the violations, unless the operator bypasses the guards for this run. */
export function refuseViolations(who: string, violations: readonly Violation[], session: Session): void {
  const [first, ...rest] = refusals(who, violations, session);
  if (first !== undefined) {
    throw new ResourceError(first, ...rest);
  }
}

/** A state says nothing about another platform than its own. */
export function refuseOtherEndpoint(who: string, state: Endpoint & HiddenInputs, now: Endpoint): void {
  if (!sameEndpoint(state, now)) {
    throw new ResourceError(messages.endpointDiffers(who, state.endpoint, now.endpoint, state[URN]));
  }
}

/** A text without which a resource can be neither updated nor deleted. */
const neededText = z.string().min(1);

/**
 * Reads a saved state, which may have been edited manually. Throws if a field that a call needs is missing or has the wrong type.
 * @param foundBy the field that names its numbers, or by which people find it
 * @param forms of the fields that only this kind has
 */
export function readSaved<State>(
  kind: ResourceKind,
  saved: Props,
  id: string,
  foundBy: string,
  forms: Readonly<Record<string, z.ZodType>> = {},
): State {
  const urn = saved[URN];
  const who = typeof urn === "string" ? messages.labelOfUrn(urn) : messages.subject(kind, id);
  const fields = { [foundBy]: neededText, endpoint: neededText, workspaceId: optional(integer), ...hiddenShape };
  const { data, error } = z.looseObject({ ...fields, ...forms }).safeParse(saved);
  if (error !== undefined) {
    const unreadable = new Set(error.issues.map(({ path }) => String(path[0])));
    throw new ResourceError(messages.unreadableState(who, [...unreadable]));
  }
  return data as State;
}
