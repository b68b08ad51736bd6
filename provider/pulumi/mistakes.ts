import * as pulumi from "@pulumi/pulumi";
import type { ZodType } from "zod";
import { isPlain, type Problem, UNKNOWN, validate } from "../core/common/schemas";
import { invalid, labelOf, render } from "../core/messages";
import type { ResourceKind } from "../core/platform/kinds";
import type { RoutingArgs } from "../resources/args";
import { oncePerRun } from "./perRun";
import { programError } from "./programError";
import { callSiteOf, lineOf } from "./programLine";
import { isOutput } from "./secrets";
import { lineOfSplit } from "./splits";

/**
 * The engine stops at the first check that fails, so a program with eight mistakes would show one. The program therefore judges by itself
 * what it knows of the arguments, by the provider's own schema, and logs each mistake as an error at its resource. The resource is
 * registered all the same, with the number of its mistakes, and its check refuses it. Otherwise the engine would delete it.
 * The provider judges outputs, guards and settings.
 */
export function mistakesIn(
  kind: ResourceKind,
  name: string,
  inputs: object,
  { options = {}, called }: { options?: pulumi.CustomResourceOptions | undefined; called: Called },
): string[] {
  if (isChangedLater(options)) {
    return [];
  }
  const known = asSent(inputs, lastGood.get(kind));
  const { problems } = validate(schemaOf(kind), known);
  if (problems.length === 0) {
    lastGood.set(kind, inputs);
  }
  const who = labelOf(kind, name, Reflect.get(inputs, "number"));
  return problems.map((problem) => {
    const { lines, ...message } = invalid(problem);
    return render({ ...message, who, lines: [[...lines, ...whereIs(problem, inputs, called)].join(" ")] });
  });
}

/** The class that the program has called. */
type Called = new (...args: never[]) => object;

/** The line of the program that wrote the split or the rollout. The program may write a split far from the resources that share it. */
function whereIs({ path }: Problem, inputs: object, called: Called): string[] {
  const [, argument] = /^(inboundAgents|rollout)\b/.exec(path) ?? [];
  const { inboundAgents } = inputs as RoutingArgs;
  const line = argument === "rollout" ? lineOf(callSiteOf(called)) : lineOfSplit(inboundAgents);
  return argument && line ? [`The ${argument === "rollout" ? argument : "split"} is in ${line}.`] : [];
}

/** The last inputs without a mistake. Values that the next resource shares with them, such as the split, are not judged again. */
const lastGood = new Map<ResourceKind, object>();

/** The schemas are loaded with the first resource. */
const schemaOf = (kind: ResourceKind): ZodType =>
  (require("../resources/lifecycles") as typeof import("../resources/lifecycles")).LIFECYCLES[kind].schema;

/** With these options the engine checks other arguments than those that the program has written. */
const isChangedLater = ({
  ignoreChanges = [],
  transformations = [],
  transforms = [],
}: pulumi.CustomResourceOptions): boolean => ignoreChanges.length + transformations.length + transforms.length > 0;

/** The inputs as check gets them: nothing is undefined, and unknown values are the engine's text for them. */
function asSent(inputs: object, judged: object = {}): object {
  const given = Object.entries(inputs).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => [name, Reflect.get(judged, name) === value ? UNKNOWN : valueAsSent(value)]),
  );
}

function valueAsSent(value: unknown): unknown {
  if (typeof value !== "object" || value === null) {
    return value;
  }
  if (isOutput(value)) {
    return UNKNOWN;
  }
  if (Array.isArray(value)) {
    return value.map((item) => valueAsSent(item) ?? null);
  }
  // The schema has to see a Date, of which the engine would make an empty object.
  return isPlain(value) ? asSent(value) : value;
}

/** Ends when the engine has all mistakes that were logged in this run. */
const logged = oncePerRun((): { last: Promise<unknown> } => ({ last: Promise.resolve() }));

/**
 * Logs each mistake at the resource and returns how many there are. It returns after the engine has all mistakes that were logged meanwhile,
 * because the engine ends the run at the first resource that check refuses.
 */
export async function logMistakes(urn: pulumi.Input<string>, mistakes: readonly string[]): Promise<number> {
  const run = logged();
  for (const mistake of mistakes) {
    // The log reads only the URN of a resource.
    const resource = { urn: pulumi.output(urn) } as pulumi.Resource;
    run.last = Promise.all([run.last, pulumi.log.error(mistake, resource)]);
  }
  let heard: Promise<unknown> | undefined;
  while (heard !== run.last) {
    heard = run.last;
    await heard;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return mistakes.length;
}

/** Under mocks there is no engine that logs or checks: the first resource with mistakes throws them. */
export function throwWithoutEngine(mistakes: readonly string[]): void {
  const isAlone = pulumi.runtime.getMonitor() === undefined || pulumi.runtime.getEngine() === undefined;
  if (isAlone && mistakes.length > 0) {
    throw programError(mistakes.join("\n"));
  }
}
