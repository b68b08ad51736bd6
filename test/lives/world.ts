import { CliKilled, createMiniEngine, type Kept, type Run, type RunOptions } from "../support/miniEngine";
import type { Properties } from "../support/providerCalls";
import { createProviders } from "../support/providers";
import { BASE_URL, EMPTY, openPlatform, type RequestFault, type Sent, type Store, TOKEN } from "./platform";
import { declarationsOf, type Program, settingsOf } from "./program";

/** Simulates one run at a time. A `World` is a stack and its platform between two runs. */

export type Fault =
  | { readonly at: "request"; readonly index: number; readonly kind: RequestFault }
  /** The CLI is killed before or after it saves a step. `index` counts the saved steps from 0. */
  | { readonly at: "save"; readonly index: number; readonly kind: "before" | "after" };

/**
 * The order of operations. Resources are always registered in the program's order.
 * - `serial`: each operation finishes before the next resource is registered.
 * - `together`: all resources are registered first, so several requests are in progress at once.
 * - `reversed`: like `together`, but the last of these requests is handled first.
 */
export type Order = "serial" | "together" | "reversed";

/** One run of `pulumi up`. */
export interface Step {
  readonly program: Program;
  readonly order?: Order;
  readonly guards?: Properties;
  readonly continueOnError?: boolean;
  /** The name of the resource that depends on a failing output, if any. */
  readonly rejects?: string;
  readonly isInline?: boolean;
  /** The fault in this run. Its `index` counts from 0. */
  readonly fault?: Fault;
}

export interface World {
  readonly kept: Kept;
  readonly store: Store;
  /** The number of IDs generated so far, which makes each new ID unique. */
  readonly ids: number;
}

export const NOTHING: World = { kept: { state: [], given: {} }, store: EMPTY, ids: 0 };

export interface RunResult {
  readonly world: World;
  /** Undefined if the CLI was killed. */
  readonly run: Run | undefined;
  readonly failures: Run["failures"];
  readonly sent: readonly Sent[];
  readonly isDead: boolean;
  /** How many steps were saved. */
  readonly saves: number;
  /** For each saved step, how many requests had been sent before it was saved. */
  readonly sentBySave: readonly number[];
  /** How many requests were in progress once the program had declared all of its resources. */
  readonly together: number;
}

/** @param settings the settings, without the `agent-platform:` prefix */
export function configFor(settings: Properties = {}, baseUrl = BASE_URL) {
  const named = Object.fromEntries(Object.entries(settings).map(([key, value]) => [`agent-platform:${key}`, value]));
  return {
    "agent-platform:baseUrl": baseUrl,
    "agent-platform:accessToken": TOKEN,
    ...named,
  };
}

export async function runStep(
  world: World,
  step: Step,
  command: "up" | "preview" = "up",
  triggers = 0,
): Promise<RunResult> {
  const { program, order = "serial", fault, guards, rejects, isInline, continueOnError } = step;
  const gate = newGate(order);
  let { ids } = world;
  let saves = 0;
  const sentBySave: number[] = [];
  let isDead = false;
  const platform = openPlatform(world.store, {
    faultAt: (index) => (fault?.at === "request" && fault.index === index ? fault.kind : undefined),
    pass: gate.pass,
    die() {
      isDead = true;
      providers.die();
    },
  });
  const providers = createProviders({
    ...worldOf(platform),
    newId(prefix) {
      ids += 1;
      return `${prefix}-made-${ids}`;
    },
  });
  const engine = createMiniEngine(providers, world.kept);
  const declared = declarationsOf(program, triggers).map((declaration) =>
    declaration.name === rejects ? { ...declaration, isRejected: true } : declaration,
  );
  const options: RunOptions = {
    config: configFor(settingsOf(guards)),
    ...(continueOnError !== undefined && { continueOnError }),
    ...(isInline !== undefined && { isInline }),
    isParallel: order !== "serial",
    programEnded: gate.open,
    atSave(_step, moment) {
      if (moment === "before") {
        sentBySave.push(platform.sent.length);
      }
      if (fault?.at === "save" && fault.kind === moment && fault.index === saves) {
        isDead = true;
        throw new CliKilled();
      }
      saves += moment === "after" ? 1 : 0;
    },
  };
  const ended = await engine[command](declared, options).catch((error: unknown): CliKilled => {
    if (error instanceof CliKilled) {
      return error;
    }
    throw error;
  });
  return {
    world: { kept: engine.kept, store: platform.store, ids },
    run: ended instanceof CliKilled ? undefined : ended,
    failures: ended.failures,
    sent: platform.sent,
    isDead,
    saves,
    sentBySave,
    together: gate.waited(),
  };
}

/** Connects the provider to the platform. The provider's clock starts at zero in each run and skips all waits. */
function worldOf({ transport }: ReturnType<typeof openPlatform>) {
  let ms = 0;
  const now = () => ms;
  const delay = async (milliseconds: number) => {
    ms += milliseconds;
  };
  return { openTransport: () => transport, clock: { now, wallClock: now, random: () => 0.5, delay } };
}

/**
 * Holds all requests until the program has declared all of its resources. In serial order, lets each request through
 * immediately.
 */
function newGate(order: Order) {
  const waiting: (() => void)[] = [];
  let isOpen = order === "serial";
  let waited = 0;
  return {
    waited: () => waited,
    pass: (): Promise<void> => (isOpen ? Promise.resolve() : new Promise((done) => waiting.push(done))),
    async open(): Promise<void> {
      if (isOpen) {
        return;
      }
      // Give each operation in progress time to send its request.
      await new Promise((done) => setImmediate(done));
      isOpen = true;
      waited = waiting.length;
      for (const done of order === "reversed" ? waiting.reverse() : waiting) {
        done();
      }
    },
  };
}
