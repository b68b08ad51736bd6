import * as pulumi from "@pulumi/pulumi";
import type { ZodType } from "zod";
import { invalid, programNotValid, render } from "../core/messages";
import { UNKNOWN, validate } from "../core/schemas";
import type { ResourceKind } from "../core/urn";
import { oncePerRun } from "./perRun";
import { isOutput } from "./secrets";

/**
 * The engine stops at the first check that fails, so a program with eight mistakes would show one. What is known of the arguments
 * is judged in the program, by the provider's own schema: each mistake is an error at its resource, and the resource is not
 * registered, so that the provider does not say it again. Outputs, guards and settings are the provider's to judge.
 */
export function mistakesIn(kind: ResourceKind, inputs: object, options: pulumi.CustomResourceOptions = {}): string[] {
  if (isChangedLater(options)) {
    return [];
  }
  const known = asSent(inputs, lastGood.get(kind));
  const { problems } = validate(SCHEMAS[kind](), known);
  if (problems.length === 0) {
    lastGood.set(kind, inputs);
  }
  return problems.map((problem) => render(invalid(problem)));
}

/** Most resources of a program share most values, above all the split: what was found good in the one before is not judged again. */
const lastGood = new Map<ResourceKind, object>();

/** Loaded with the first resource of the kind. */
const SCHEMAS: Readonly<Record<ResourceKind, () => ZodType>> = {
  NumberAssignment: () =>
    (require("../resources/numberAssignment") as typeof import("../resources/numberAssignment")).numberAssignment
      .schema,
  NumberGroup: () =>
    (require("../resources/numberGroup") as typeof import("../resources/numberGroup")).numberGroup.schema,
  CommunityVoice: () =>
    (require("../resources/communityVoice") as typeof import("../resources/communityVoice")).communityVoice.schema,
  SmsChat: () => (require("../resources/smsChat") as typeof import("../resources/smsChat")).smsChat.schema,
};

/** With these options the engine checks other arguments than the program's. */
const isChangedLater = ({ ignoreChanges = [], transformations = [], transforms = [] }: pulumi.CustomResourceOptions) =>
  ignoreChanges.length + transformations.length + transforms.length > 0;

/** As check gets it: nothing that is undefined, and the engine's text for what is not known yet. */
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
  return Array.isArray(value) ? value.map((item) => valueAsSent(item) ?? null) : asSent(value);
}

/** The one error that fails a run, which the SDK reports once. */
const failure = oncePerRun(() => programError(render(programNotValid())));

/**
 * Says what is wrong at the resource, which is to be registered with this promise among its inputs: so it never is, and the run
 * fails. Without an engine, as under mocks, there is nobody to tell: the first resource with mistakes throws them.
 */
export function refuse(urn: pulumi.Output<string>, mistakes: readonly string[]): Promise<never> {
  if (pulumi.runtime.getMonitor() === undefined || pulumi.runtime.getEngine() === undefined) {
    throw programError(mistakes.join("\n"));
  }
  for (const mistake of mistakes) {
    // Of a resource the log reads the URN alone; that of a resource that is never registered would never be known.
    void pulumi.log.error(mistake, { urn } as pulumi.Resource);
  }
  return Promise.reject(failure());
}

/**
 * A slip of the program, in one sentence and without a stack: of what goes wrong behind an output the SDK prints the stack, and
 * Node 20.20 never ends that where a frame lies directly in a scope's folder, as the SDK's own do. The sentence stays as it is:
 * the SDK writes in front of it that a property could not be serialized.
 */
export function programError(text: string): pulumi.RunError {
  return Object.defineProperties(new pulumi.RunError(text), {
    message: { get: () => text, set: () => {} },
    stack: { value: text, writable: true, configurable: true },
  });
}
