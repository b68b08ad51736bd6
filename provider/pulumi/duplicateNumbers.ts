import * as pulumi from "@pulumi/pulumi";
import type { Endpoint } from "../core/endpoint";
import { render } from "../core/messages/message";
import { declaredTwice } from "../core/messages/program";
import { numbersOf } from "../core/numberList";
import { existsOnce } from "../core/numberScope";
import { declaredByProgram } from "../edge/declared";
import { isAddress } from "../edge/engineWatch";
import { isChangedLater } from "./mistakes";
import { endpointOf } from "./platformProvider";
import { programError } from "./programError";
import { holdsOutput } from "./secrets";

/** A number has one routing: two declarations of it in one program would overwrite each other, run after run. */

/** What one resource declares. Its provider is known only once it is constructed. */
export interface Declaration {
  /** The argument as the engine is to get it: an output is judged as soon as its value is known, and before it is sent. */
  watched(numbers: unknown): unknown;
  /** Judges what is known already. */
  conclude(resource: pulumi.CustomResource): void;
}

interface Holder {
  readonly kind: string;
  readonly name: string;
  readonly parent: pulumi.Resource | undefined;
  /** Its place among the resources of the program. */
  readonly order: number;
}

interface Held {
  readonly by: Holder;
  readonly isSecret: boolean;
}

/** By where they exist (an endpoint, or one provider), the numbers that are declared. */
interface Run {
  readonly places: Map<unknown, Map<string, Held>>;
  /** Of each provider that was met, its platform, where the program knows it. */
  readonly platforms: Map<pulumi.ProviderResource | undefined, Endpoint | undefined>;
  /** Tells the provider processes of the run what the program declares; a preview deletes nothing. */
  readonly tell: ((number: string, place: Endpoint) => void) | undefined;
  resources: number;
}

/** By the monitor, which each run has for itself: several programs may run in one process. */
const runs = new WeakMap<object, Run>();
const NO_MONITOR = {};
const DEFAULT_PROVIDER = {};

function currentRun(): Run {
  const monitor = pulumi.runtime.getMonitor() ?? NO_MONITOR;
  const run = runs.get(monitor) ?? { places: new Map(), platforms: new Map(), tell: newTell(), resources: 0 };
  runs.set(monitor, run);
  return run;
}

function newTell(): Run["tell"] {
  const address = pulumi.runtime.isDryRun() ? undefined : engineAddress();
  return isAddress(address) ? declaredByProgram(address) : undefined;
}

/** The provider processes of the run get it as their argument. */
function engineAddress(): string | undefined {
  const engine = pulumi.runtime.getEngine() as { getChannel?(): { getTarget(): string } } | undefined;
  return engine
    ?.getChannel?.()
    .getTarget()
    .replace(/^dns:\/*/, "");
}

export function newDeclaration(kind: string, name: string, opts: pulumi.CustomResourceOptions = {}): Declaration {
  const run = currentRun();
  run.resources += 1;
  const by: Holder = { kind, name, parent: opts.parent, order: run.resources };
  const tell = isChangedLater(opts) ? undefined : run.tell;
  const literals: unknown[] = [];
  let provider: pulumi.ProviderResource | undefined;

  function hold(value: unknown, isSecret: boolean): void {
    const platform = platformOf(provider, run);
    for (const number of listed(value)) {
      declareOnce(run, placeOf(number, provider, platform), number, { by, isSecret });
      if (platform !== undefined) {
        tell?.(number, platform);
      }
    }
  }

  function watch(value: unknown): unknown {
    if (!holdsOutput(value)) {
      literals.push(value);
      return value;
    }
    const output = pulumi.output(value) as pulumi.Output<unknown>;
    return output.apply(async (known) => {
      hold(known, await pulumi.isSecret(output));
      return known;
    });
  }

  return {
    // Of a list with numbers that are not known yet, each is judged by itself.
    watched: (numbers) => (Array.isArray(numbers) && holdsOutput(numbers) ? numbers.map(watch) : watch(numbers)),
    conclude(resource) {
      provider = resource.getProvider("pulumi-nodejs:dynamic:Resource");
      for (const value of literals) {
        hold(value, false);
      }
    },
  };
}

function declareOnce({ places }: Run, place: unknown, number: string, held: Held): void {
  const there = places.get(place) ?? new Map<string, Held>();
  places.set(place, there);
  const other = there.get(number);
  if (other !== undefined && !isSame(other.by, held.by)) {
    throw slipOf(number, other, held);
  }
  there.set(number, held);
}

/** The engine refuses two resources of one URN by itself; mocks do not, and a test may build one program several times. */
const isSame = (one: Holder, other: Holder): boolean =>
  one.kind === other.kind && one.name === other.name && one.parent?.constructor === other.parent?.constructor;

const placeOf = (
  number: string,
  provider: pulumi.ProviderResource | undefined,
  platform: Endpoint | undefined,
): unknown => (existsOnce(number) ? platform?.endpoint : undefined) ?? provider ?? DEFAULT_PROVIDER;

function platformOf(provider: pulumi.ProviderResource | undefined, { platforms }: Run): Endpoint | undefined {
  if (!platforms.has(provider)) {
    platforms.set(provider, endpointOf(provider));
  }
  return platforms.get(provider);
}

function slipOf(number: string, one: Held, other: Held): pulumi.RunError {
  const isInOrder = one.by.order < other.by.order;
  const [first, second] = isInOrder ? [one, other] : [other, one];
  const isSecret = one.isSecret || other.isSecret;
  return programError(render(declaredTwice({ number, isSecret, holders: [label(first.by), label(second.by)] })));
}

const label = ({ kind, name }: Holder): string => `${kind} "${name}"`;

/** A number; a list; a map from number to label; or the text that a group has as its output. */
function listed(value: unknown): string[] {
  if (typeof value === "string") {
    return value.endsWith("\n") ? numbersOf(value) : [value];
  }
  if (Array.isArray(value)) {
    return value.filter((item) => typeof item === "string");
  }
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}
