import * as z from "zod";
import { partsOf } from "../../provider/core/common/urn";
import { isOfNumbers } from "../../provider/core/platform/kinds";
import { isAlive, openCalls } from "../../provider/edge/openCalls";
import type { Io } from "../io";
import { isPartial, type Run, readHistory } from "./history";
import { declaredNumbers, type Properties, properties, resourceKind } from "./values";

/**
 * Calls whose process ended before they did, while the engine went on. The engine saves nothing of them, and Pulumi's record says only that
 * the run failed. What is known comes from the files that the provider leaves on this machine.
 */

const call = z.object({
  urn: z.string(),
  operation: z.string(),
  inputs: properties,
  pid: z.number(),
  at: z.coerce.date(),
  file: z.string(),
});

type LeftCall = z.infer<typeof call>;

export interface BrokenCall extends LeftCall {
  /** Does the program no longer declare what the call was to make? Then nothing is sent until it does so again. */
  readonly isUndeclared: boolean;
}

interface Saved {
  readonly urn: string;
  readonly outputs: Properties;
}

export async function brokenCalls(asked: string, saved: readonly Saved[], io: Io): Promise<BrokenCall[]> {
  const { stack, project } = partsOf(saved[0]?.urn ?? "");
  const left = openCalls(io.env)
    .flatMap((one) => call.safeParse(one).data ?? [])
    .filter(({ urn }) => partsOf(urn).stack === stack && partsOf(urn).project === project);
  const runs = left.length === 0 ? [] : await readHistory(asked, io);
  return left
    .filter((one) => !isUnderWay(one, runs))
    .map((one) => ({ ...one, isUndeclared: isUndeclared(one, runs, saved) }))
    .filter((one) => !one.isUndeclared || isKilledPost(one));
}

/** Does a run that has not ended still make the call? */
function isUnderWay({ at, pid }: LeftCall, runs: readonly Run[]): boolean {
  // The times of runs are in whole seconds.
  const isOfEnded = ({ startTime, endTime }: Run) =>
    startTime <= at && endTime && at.getTime() < endTime.getTime() + 1000;
  return !runs.some(isOfEnded) && isAlive(pid, at);
}

/** Its next create is saved as unresolved because of the file, however late it comes. */
function isKilledPost({ urn, operation }: LeftCall): boolean {
  const kind = resourceKind(partsOf(urn).type);
  return kind !== undefined && !isOfNumbers(kind) && operation === "creating";
}

/**
 * A later run over the whole stack has succeeded. Then the program no longer makes what the call was to make, and nothing is sent again. But
 * numbers that the resource still declares may have what the call sent, until it sends them again: that takes the file away.
 */
function isUndeclared({ urn, at, inputs }: LeftCall, runs: readonly Run[], saved: readonly Saved[]): boolean {
  const isLater = (run: Run) =>
    ["update", "destroy"].includes(run.kind) && run.result === "succeeded" && !isPartial(run) && run.startTime > at;
  const declared = saved.filter((one) => one.urn === urn).flatMap(({ outputs }) => declaredNumbers(outputs));
  return runs.some(isLater) && !declaredNumbers(inputs).some((number) => declared.includes(number));
}
