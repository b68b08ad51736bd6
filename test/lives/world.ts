import { CliKilled, createMiniEngine, type Kept, type Run, type RunOptions } from "../support/miniEngine";
import type { Properties } from "../support/providerCalls";
import { createProviders } from "../support/providers";
import { BASE_URL, EMPTY, openPlatform, type RequestFault, type Sent, type Store, TOKEN } from "./platform";
import { declarationsOf, type Program, settingsOf } from "./program";

/** A stack and its platform between two runs, and one run from there. */

export type Fault =
  | { readonly at: "request"; readonly index: number; readonly kind: RequestFault }
  /** The CLI is killed before or after the state has the n-th step. */
  | { readonly at: "save"; readonly index: number; readonly kind: "before" | "after" };

/**
 * What the engine may do in another order. The resources are registered in the order of the program. `together`: each is under way while the next
 * one is registered; `reversed`: and the last one is done first.
 */
export type Order = "serial" | "together" | "reversed";

/** One run of `pulumi up`. */
export interface Step {
  readonly program: Program;
  readonly order?: Order;
  readonly guards?: Properties;
  readonly continueOnError?: boolean;
  /** The name of the resource that has an argument which fails. */
  readonly rejects?: string;
  readonly isInline?: boolean;
  /** What one use of the run meets, counted from 0. */
  readonly fault?: Fault;
}

export interface World {
  readonly kept: Kept;
  readonly store: Store;
  /** How many ids were made up, so that no two are equal. */
  readonly ids: number;
}

export const NOTHING: World = { kept: { state: [], given: {} }, store: EMPTY, ids: 0 };

export interface Lived {
  readonly world: World;
  /** Undefined if the CLI was killed. */
  readonly run: Run | undefined;
  readonly failures: Run["failures"];
  readonly sent: readonly Sent[];
  readonly isDead: boolean;
  /** Where a fault can be: how many steps were saved. */
  readonly saves: number;
  /** How many requests were sent when each step was about to be saved. */
  readonly sentBySave: readonly number[];
  /** How many requests were under way when the program had declared everything. */
  readonly together: number;
}

/** The settings have names without the namespace. */
export function configFor(settings: Properties = {}, baseUrl = BASE_URL) {
  const named = Object.fromEntries(Object.entries(settings).map(([key, value]) => [`agent-platform:${key}`, value]));
  return {
    "agent-platform:baseUrl": baseUrl,
    "agent-platform:accessToken": TOKEN,
    ...named,
  };
}

export async function live(world: World, step: Step, command: "up" | "preview" = "up", triggers = 0): Promise<Lived> {
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
  const declared = declarationsOf(program, triggers).map((one) =>
    one.name === rejects ? { ...one, isRejected: true } : one,
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

/** The platform of the life, and a clock that begins with each run. */
function worldOf({ transport }: ReturnType<typeof openPlatform>) {
  let ms = 0;
  const now = () => ms;
  const delay = async (milliseconds: number) => {
    ms += milliseconds;
  };
  return { openTransport: () => transport, clock: { now, wallClock: now, random: () => 0.5, delay } };
}

/** Holds requests until the program has declared all of its resources. */
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
      // What is under way gets as far as its request.
      await new Promise((done) => setImmediate(done));
      isOpen = true;
      waited = waiting.length;
      for (const done of order === "reversed" ? waiting.reverse() : waiting) {
        done();
      }
    },
  };
}
