import * as pulumi from "@pulumi/pulumi";
import { UNKNOWN } from "../core/common/engine";
import { isPlain, validate } from "../core/common/schemas";
import { readSettings } from "../core/config/readSettings";
import { GUARD_KEYS, NAMESPACE, SHOWN_KEYS, unknownSettings } from "../core/config/settings";
import {
  guardsOfProject,
  importReadsNothing,
  invalid,
  labelOf,
  noSuchSettings,
  render,
  secretSettings,
  wrongSettings,
} from "../core/messages";
import type { ResourceKind } from "../core/platform/kinds";
import { LIFECYCLES } from "../resources/lifecycles";
import { oncePerRun } from "./programRun";
import { isOutput } from "./secrets";

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
  options: pulumi.CustomResourceOptions = {},
): string[] {
  const { import: id } = options;
  const { problems } = isChangedLater(options) ? { problems: [] } : validate(LIFECYCLES[kind].schema, asSent(inputs));
  const found = [...(id === undefined ? [] : [importReadsNothing(kind, String(id))]), ...problems.map(invalid)];
  const who = labelOf(kind, name, Reflect.get(inputs, "number"));
  return found.map((one) => render({ ...one, who }));
}

/** May the engine, with these options, check other arguments than those that the program has written? @param paths of those arguments; else of all */
export const isChangedLater = (
  { ignoreChanges = [], transformations = [], transforms = [] }: pulumi.CustomResourceOptions,
  paths = /^/,
): boolean => transformations.length + transforms.length > 0 || ignoreChanges.some((path) => paths.test(path));

/** The inputs as check gets them: nothing is undefined, and unknown values are the engine's text for them. */
export function asSent(inputs: object): object {
  const given = Object.entries(inputs).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, valueAsSent(value)]));
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
 * Logs each mistake at the resource and returns how many there are; undefined if there is none. It returns after the engine has all mistakes that
 * were logged meanwhile, because the engine ends the run at the first resource that check refuses.
 */
export async function logMistakes(urn: pulumi.Input<string>, mistakes: readonly string[]): Promise<number | undefined> {
  // A resource that the program constructs after this one may declare the same number.
  await nextTurn();
  if (mistakes.length === 0) {
    return undefined;
  }
  const run = logged();
  for (const mistake of mistakes) {
    // The log reads only the URN of a resource.
    const resource = { urn: pulumi.output(urn) } as pulumi.Resource;
    run.last = Promise.all([run.last, pulumi.log.error(mistake, resource)]);
  }
  let awaited: Promise<unknown> | undefined;
  while (awaited !== run.last) {
    awaited = run.last;
    await awaited;
    await nextTurn();
  }
  return mistakes.length;
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export const isWithoutEngine = (): boolean =>
  pulumi.runtime.getMonitor() === undefined || pulumi.runtime.getEngine() === undefined;

/** Under mocks there is no engine that logs or checks: the first resource with mistakes throws them. */
export function throwWithoutEngine(mistakes: readonly string[]): void {
  if (isWithoutEngine() && mistakes.length > 0) {
    throw programError(mistakes.join("\n"));
  }
}

/**
 * A mistake of the program, in one sentence and without a stack. If an output fails, the SDK prints the stack of its error, and Node 20.20
 * never ends that for some stacks. The message cannot be changed, because the SDK would add that a property could not be serialized.
 */
export function programError(text: string): pulumi.RunError {
  return Object.defineProperties(new pulumi.RunError(text), {
    message: { get: () => text, set: () => {} },
    stack: { value: text, writable: true, configurable: true },
  });
}

// --- the stack's config

/** A function of the SDK that its types hide; undefined if a version has none. */
const { isConfigSecret } = pulumi.runtime as { readonly isConfigSecret?: (key: string) => boolean };

/**
 * What is wrong with the values of the stack's config. The provider says what is wrong with its environment, and with the
 * files that it reads: it may have another environment and another folder.
 */
function wrongValues(get: (key: string) => unknown): string[] {
  const isSecret = isConfigSecret && ((key: string) => isConfigSecret(`${NAMESPACE}:${key}`));
  const read = readSettings({ get, isSecret, env: {} });
  const problems = "problems" in read ? read.problems : [];
  return problems.filter(({ key }) => key !== undefined).map(({ text }) => text);
}

/**
 * Throws if a key of the stack's config is not a setting, or has a wrong value: the program sees all keys, and a provider process only those that it asks for. It
 * warns of a guard under the project's own namespace, as `pulumi config set maxShift 20` writes it, because that guards nothing. Another key
 * there, such as `baseUrl`, may be the program's own.
 */
export const refuseUnknownSettings = oncePerRun((): true => {
  const prefix = `${NAMESPACE}:`;
  const all = Object.keys(pulumi.runtime.allConfig());
  const keys = all.filter((key) => key.startsWith(prefix));
  const unknown = unknownSettings(keys.map((key) => key.slice(prefix.length)));
  if (unknown.length > 0) {
    throw programError(render(noSuchSettings(unknown)));
  }
  const secret = SHOWN_KEYS.filter((key) => isConfigSecret?.(prefix + key));
  if (secret.length > 0) {
    throw programError(render(secretSettings(secret)));
  }
  const project = pulumi.getProject();
  const wrong = wrongValues((key) => pulumi.runtime.allConfig()[prefix + key]);
  if (wrong.length > 0) {
    throw programError(render(wrongSettings(wrong)));
  }
  const unread = GUARD_KEYS.filter((key) => all.includes(`${project}:${key}`) && !keys.includes(prefix + key));
  if (unread.length > 0) {
    void pulumi.log.warn(render(guardsOfProject(project, unread)));
  }
  return true;
});
