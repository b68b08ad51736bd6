import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { chooseProxy } from "../../provider/client/proxy";
import type { Outcome } from "../../provider/core/platform/operations";
import type { Client } from "../../provider/core/routing/client";
import { type ClientOptions, clientFor, withEnvironment } from "../client/support";

/** A client in a process of its own: Node reads NODE_EXTRA_CA_CERTS when it starts. */

/** The platform, the environment that names the proxy, and the requests to send, one after the other. */
export interface Order {
  readonly url: string;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly options?: Pick<ClientOptions, "requestTimeout" | "attempts"> | undefined;
  readonly requests: readonly (readonly [keyof Client, object])[];
}

/** How a request ended; undefined fields are left out. */
export interface Ending {
  readonly outcome: string;
  readonly cause?: string;
  readonly detail?: string;
  readonly attempts: number;
}

export interface ClientProcess {
  run(order: Order): Promise<Ending[]>;
  /** All that the process has printed. */
  readonly printed: string;
  /** Ends by itself when nothing is asked any more. Resolves with its exit code. */
  end(): Promise<number | null>;
}

export function startClientProcess(env: NodeJS.ProcessEnv): ClientProcess {
  const child: ChildProcess = fork(__filename, {
    env,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    execArgv: ["-r", "tsx/cjs"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
    });
  }
  return {
    async run(order) {
      child.send(order);
      const [reply] = (await once(child, "message")) as [{ endings: Ending[] } | { error: string }];
      if ("error" in reply) {
        throw new Error(reply.error);
      }
      return reply.endings;
    },
    get printed() {
      return printed;
    },
    async end() {
      child.disconnect();
      const [code] = (await once(child, "exit")) as [number | null];
      return code;
    },
  };
}

function endingOf(outcome: Outcome<unknown>): Ending {
  if (outcome.outcome === "applied") {
    return { outcome: outcome.outcome, attempts: outcome.exchange.attempts };
  }
  const { cause, detail, exchange } = outcome.failure;
  return { outcome: outcome.outcome, cause, detail, attempts: exchange.attempts };
}

async function obey({ url, env, options, requests }: Order): Promise<Ending[]> {
  const { proxy } = env === undefined ? chooseProxy(url) : withEnvironment(env, () => chooseProxy(url));
  const client = clientFor({ url }, { ...options, proxy });
  const endings: Ending[] = [];
  for (const [name, request] of requests) {
    endings.push(endingOf(await client[name](request as never)));
  }
  return endings;
}

if (require.main === module) {
  process.on("message", (order: Order) => {
    obey(order).then(
      (endings) => process.send?.({ endings }),
      (error: Error) => process.send?.({ error: error.message }),
    );
  });
}
