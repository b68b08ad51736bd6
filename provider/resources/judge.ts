import { z } from "zod";
import { removable } from "../core/fleet";
import * as guards from "../core/guards";
import { optional } from "../core/inputs";
import type { Message } from "../core/messages";
import * as messages from "../core/messages";
import type { OnDelete, Routing } from "../core/routing";
import { same } from "../core/same";
import type { Guards, Settings } from "../core/settings";
import type { Split } from "../core/traffic";
import { isUnknown } from "../core/unknown";
import { ResourceError, type Session } from "./lifecycle";

/** The guards as the resources apply them: which is judged when. */

export interface ProgramGuardInputs {
  weightTotal?: number | undefined;
  maxShift?: number | undefined;
}

const positive = z.number({ error: "must be a finite number" }).positive({ error: "must be above 0" });
const percent = z
  .number({ error: "must be a finite number" })
  .min(0, { error: "must be from 0 to 100" })
  .max(100, { error: "must be from 0 to 100" });

export const guardShape = { weightTotal: optional(positive), maxShift: optional(percent) };

/** What the guards judge of a resource: its split, and the one that it falls back to. */
type Judged = Routing & { onDelete?: OnDelete | undefined };

/** What the inputs alone show. A new resource is judged whole; a change is judged in diff, which knows what was applied. */
export function judgeDeclared(
  inputs: Judged & ProgramGuardInputs,
  settings: Settings,
  isNew: boolean,
): { failures: Message[]; trips: Message[] } {
  const split = knownSplit(inputs.inboundAgents);
  const stack = settings.guards;
  const failures = guards.loosened(knownGuards(inputs), stack).map(({ path, limit }) => messages.loosens(path, limit));
  const trips = [
    ...(split === undefined ? [] : guards.tripsTotal(split, totalFor(inputs, stack))),
    ...(isNew && split !== undefined ? guards.tripsAgents(split, undefined, stack) : []),
    ...(isNew ? frozen(settings) : []),
  ];
  return { failures, trips: [...trips.map(messages.tripped), ...(isNew ? judgeFallback({}, inputs, settings) : [])] };
}

const totalFor = (inputs: ProgramGuardInputs, stack: Guards): number | undefined =>
  stack.weightTotal ?? knownGuards(inputs).weightTotal;

/** A fallback gets every call when the resource goes, and no check sees that: it is judged where it is declared. */
const fallbackOf = ({ onDelete }: Judged): Split | undefined =>
  onDelete === undefined || onDelete === "clear" || isUnknown(onDelete)
    ? undefined
    : knownSplit(onDelete.inboundAgents);

interface Applied extends Judged {
  previousInboundAgents?: Split | undefined;
}

/** What a change would do to the calls. Going back to the split that was applied before is never refused. */
export function judgeChange(olds: Applied, news: Judged & ProgramGuardInputs, settings: Settings): Message[] {
  const trips = [...judgeSplit(olds, news, settings), ...frozen(settings)].map(messages.tripped);
  return [...trips, ...judgeFallback(olds, news, settings)];
}

/** Also of a change that sends nothing, as that of `onDelete` alone. What was saved and stays is not judged again. */
export function judgeFallback(olds: Judged, news: Judged & ProgramGuardInputs, settings: Settings): Message[] {
  const { guards: stack } = settings;
  const [before, after] = [fallbackOf(olds), fallbackOf(news)];
  if (after === undefined || same(before, after)) return [];
  const trips = [...guards.tripsTotal(after, totalFor(news, stack)), ...guards.tripsAgents(after, before, stack)];
  return trips.map((trip) => messages.trippedAt("onDelete.inboundAgents", trip));
}

function judgeSplit(olds: Applied, news: Routing & ProgramGuardInputs, { guards: stack }: Settings): guards.Tripped[] {
  const [before, after] = [knownSplit(olds.inboundAgents), knownSplit(news.inboundAgents)];
  if (after === undefined || same(before, after) || same(olds.previousInboundAgents, after)) return [];
  const max = guards.tighter(stack.maxShift, knownGuards(news).maxShift);
  return [...guards.tripsShift(before ?? {}, after, max), ...guards.tripsAgents(after, before, stack)];
}

const frozen = ({ guards: { freeze } }: Settings): guards.Tripped[] =>
  freeze === undefined ? [] : [{ guard: "freeze", reason: freeze }];

/** The last stop, for what no preview saw: a delete has no check. */
export function refuseFrozen(who: string, session: Session): void {
  const [trip] = frozen(session.settings);
  if (trip === undefined) return;
  const message = messages.about(who, messages.tripped(trip));
  if (session.settings.override === undefined) throw new ResourceError(message);
  session.warn(messages.guardsOpen(session.settings.override, [message]));
}

const knownSplit = (split: Split | undefined): Split | undefined => (isUnknown(split) ? undefined : split);

function knownGuards({ weightTotal, maxShift }: ProgramGuardInputs): ProgramGuardInputs {
  return {
    weightTotal: isUnknown(weightTotal) ? undefined : weightTotal,
    maxShift: isUnknown(maxShift) ? undefined : maxShift,
  };
}

/** While the stack is frozen, what would POST is refused at preview. */
export const judgeFreeze = (settings: Settings): Message[] => frozen(settings).map(messages.tripped);

/** A slip in a list of numbers must not unassign a fleet. */
export function judgeRemoval(leaving: readonly string[], of: number, { guards: { maxRemove } }: Settings): Message[] {
  const max = removable(of, maxRemove);
  return leaving.length <= max ? [] : [messages.tripped({ guard: "maxRemove", leaving, max })];
}
