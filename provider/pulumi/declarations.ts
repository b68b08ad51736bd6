import * as pulumi from "@pulumi/pulumi";
import { declaredTwice, render, subject } from "../core/messages";
import { existsOnce, numbersOf } from "../core/numberList";
import { programError } from "./mistakes";
import { oncePerRun } from "./perRun";
import { endpointOf } from "./platformProvider";
import { holdsOutput } from "./secrets";
import { newTelling, whenRegistered } from "./tellProviders";

/**
 * The numbers that a program declares: each by one resource alone, since two would overwrite each other in every run, and told to the
 * provider processes.
 */

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
  readonly scopes: Map<unknown, Map<string, Held>>;
  /** Of each provider that was met, the scope of its numbers in international format. */
  readonly worlds: Map<pulumi.ProviderResource | undefined, unknown>;
  readonly tell: ReturnType<typeof newTelling>;
  resources: number;
}

const currentRun = oncePerRun((): Run => ({ scopes: new Map(), worlds: new Map(), tell: newTelling(), resources: 0 }));
const DEFAULT_PROVIDER = {};

export function newDeclaration(kind: string, name: string, parent: pulumi.Resource | undefined): Declaration {
  const run = currentRun();
  run.resources += 1;
  const by: Holder = { kind, name, parent, order: run.resources };
  const literals: unknown[] = [];
  const numbers: string[] = [];
  let provider: pulumi.ProviderResource | undefined;

  function hold(value: unknown, isSecret: boolean): void {
    for (const number of listed(value)) {
      declareOnce(run, scopeOf(number, provider, run), number, { by, isSecret });
      numbers.push(number);
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
    watched: (given) => (Array.isArray(given) && holdsOutput(given) ? given.map(watch) : watch(given)),
    conclude(resource) {
      provider = resource.getProvider("pulumi-nodejs:dynamic:Resource");
      for (const value of literals) {
        hold(value, false);
      }
      const { tell } = run;
      const endpoint = tell && worldOf(provider, run);
      if (typeof endpoint === "string") {
        whenRegistered(resource, (held) => tell?.(endpoint, numbers, listed(held)));
      }
    },
  };
}

function declareOnce({ scopes }: Run, scope: unknown, number: string, held: Held): void {
  const there = scopes.get(scope) ?? new Map<string, Held>();
  scopes.set(scope, there);
  const other = there.get(number);
  if (other !== undefined && !isSame(other.by, held.by)) {
    throw slipOf(number, other, held);
  }
  there.set(number, held);
}

/** The engine refuses two resources of one URN by itself; mocks do not, and a test may build one program several times. */
const isSame = (one: Holder, other: Holder): boolean =>
  one.kind === other.kind && one.name === other.name && one.parent?.constructor === other.parent?.constructor;

const scopeOf = (number: string, provider: pulumi.ProviderResource | undefined, run: Run): unknown =>
  existsOnce(number) ? worldOf(provider, run) : (provider ?? DEFAULT_PROVIDER);

/** An endpoint, or where the program does not know it the provider alone. */
function worldOf(provider: pulumi.ProviderResource | undefined, { worlds }: Run): unknown {
  const world = worlds.get(provider) ?? endpointOf(provider) ?? provider ?? DEFAULT_PROVIDER;
  worlds.set(provider, world);
  return world;
}

function slipOf(number: string, one: Held, other: Held): pulumi.RunError {
  const isInOrder = one.by.order < other.by.order;
  const [first, second] = isInOrder ? [one, other] : [other, one];
  const isSecret = one.isSecret || other.isSecret;
  return programError(render(declaredTwice({ number, isSecret, holders: [label(first), label(second)] })));
}

const label = ({ by }: Held): string => subject(by.kind, by.name);

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
