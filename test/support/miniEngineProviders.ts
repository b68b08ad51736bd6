import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeMark } from "../../provider/edge/failedMark";
import { defaultEdge, type EdgeName } from "./edges";
import { idleEngine } from "./idleEngine";
import { type Connection, type Kind, type Properties, ProviderError, providerText } from "./providerCalls";
import { type ProviderProcess, startProvider } from "./providerProcess";

export type Providers = ReturnType<typeof createProviders>;

/** What is left in a process after so many runs (a client for each) must not grow without end: this many take 150 MB. */
const RUNS_PER_PROCESS = 2000;

/**
 * The provider process of one stack. The engine starts one for each run, which costs half a second of a core; here a process lives on and every
 * run gets a session of its own in it: another comment behind the provider's text makes the SDK configure it again, another setting makes the
 * provider open another session, and the folder with the mark of a failed program is emptied.
 * @param attempts how often one operation is sent at most: what a retry does is seen in the tests that ask for it
 */
export function createProviders(edge: EdgeName = defaultEdge, attempts = 1) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "agent-platform-providers-")));
  let entry: { process: ProviderProcess; since: number; configured: number; read: number } | undefined;
  let run = 0;
  let config: Properties = {};
  let said = "";
  /** Killed in this run: the engine starts no other one, and every further call fails. */
  let isKilled = false;
  let isClosed = false;
  let opening: Promise<unknown> = Promise.resolve();

  /** The engine starts the provider once, also if two of its resources ask for it at the same moment. */
  function open(): Promise<ProviderProcess> {
    const mine = opening.then(opened);
    opening = mine.catch(() => undefined);
    return mine;
  }

  async function opened() {
    // A chain that time ran out for is still under way: it must not start what nothing would end.
    if (isClosed) {
      throw new Error("the provider is closed");
    }
    if (entry !== undefined && entry.configured !== run && run - entry.since > RUNS_PER_PROCESS) {
      await end();
    }
    entry ??= {
      process: await startProvider({ edge, env: { TMPDIR: folder, TEST_ATTEMPTS: String(attempts) } }),
      since: run,
      configured: -1,
      read: 0,
    };
    if (entry.configured !== run) {
      await entry.process.configure({ ...config, "agent-platform:requestTimeout": requestTimeout() });
      entry.configured = run;
    }
    return entry.process;
  }

  /** Too little longer to be noticed, and enough to be another setting. */
  const requestTimeout = (): number => Number(config["agent-platform:requestTimeout"] ?? 30) + run * 1e-7;

  async function end(): Promise<void> {
    const { process } = entry ?? {};
    entry = undefined;
    await process?.close();
  }

  function collect(): void {
    if (entry !== undefined) {
      said += entry.process.stderr.slice(entry.read);
      entry.read = entry.process.stderr.length;
    }
  }

  return {
    begin(next: Properties): void {
      run += 1;
      config = next;
      collect();
      said = "";
      isKilled = false;
      forgetMarks(folder);
    },
    /** The provider's process, configured for this run, with properties as the state holds them. */
    async connect(kind: Kind): Promise<Connection> {
      const process = isKilled ? undefined : await open();
      if (isKilled || process === undefined) {
        return dead;
      }
      // A process that is gone and that no test killed has crashed: no test may take that for a fault that it injected.
      const isCrash = () => !isKilled && entry?.process === process;
      return translated(process, kind, run, (error) => {
        if (error instanceof ProviderError && error.code === 14 && isCrash()) {
          throw new Error(`the provider's process ended by itself: ${error.message}\n${process.stderr}`);
        }
        throw error;
      });
    },
    /** The mark that the program leaves if it fails. */
    async programFailed(): Promise<void> {
      const address = await idleEngine();
      const given = tmpdir();
      // From here on nothing waits: another life in this process has a folder of its own.
      process.env.TMPDIR = folder;
      writeMark(address);
      process.env.TMPDIR = given;
    },
    /** SIGKILL of the process that this run has, as the kernel or an operator does it; calls under way fail with code 14. */
    async killAll(): Promise<void> {
      collect();
      isKilled = true;
      const { process, configured } = entry ?? {};
      if (configured === run) {
        entry = undefined;
        await process?.kill();
        await process?.close();
      }
    },
    /** What the provider of this run has written to standard error: it stays among the stack's diagnostics. */
    async said(): Promise<string> {
      // Written before the answer was sent, it is in the pipe already; two rounds of the event loop read it.
      for (let round = 0; round < 2; round++) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      collect();
      return said;
    },
    async close(): Promise<void> {
      isClosed = true;
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The marks of programs of earlier runs. The folders stay: to remove one takes longer than a call of the provider. */
function forgetMarks(folder: string): void {
  for (const own of readdirSync(folder)) {
    for (const name of readdirSync(join(folder, own))) {
      rmSync(join(folder, own, name));
    }
  }
}

function translated(process: ProviderProcess, kind: Kind, run: number, failed: (error: unknown) => never): Connection {
  const text = `${providerText(kind)} // run ${run}`;
  const sent = (props: Properties): Properties => {
    if (props.__provider !== providerText(kind)) {
      throw new Error("the state lost the provider's text");
    }
    return { ...props, __provider: text };
  };
  const saved = (props: Properties): Properties => {
    if (props.__provider !== text) {
      throw new Error("the answer lost the provider's text");
    }
    return { ...props, __provider: providerText(kind) };
  };
  return {
    async check(olds, news) {
      const { inputs, failures } = await process.check(olds && sent(olds), sent(news)).catch(failed);
      return { inputs: saved(inputs), failures };
    },
    diff: (id, olds, news) => process.diff(id, sent(olds), sent(news)).catch(failed),
    async create(inputs) {
      const { id, outs } = await savedOnFailure(() => process.create(sent(inputs)), saved).catch(failed);
      return { id, outs: saved(outs) };
    },
    async update(id, olds, news) {
      const { outs } = await savedOnFailure(() => process.update(id, sent(olds), sent(news)), saved).catch(failed);
      return { outs: saved(outs) };
    },
    async read(id, props) {
      const answer = await process.read(id, sent(props)).catch(failed);
      return { id: answer.id, props: saved(answer.props) };
    },
    delete: (id, props) => process.delete(id, sent(props)).catch(failed),
  };
}

const unavailable = async (): Promise<never> => {
  throw new ProviderError({ message: "the provider's process is gone", code: 14, initFailed: undefined });
};
const dead: Connection = {
  check: unavailable,
  diff: unavailable,
  create: unavailable,
  update: unavailable,
  read: unavailable,
  delete: unavailable,
};

async function savedOnFailure<T>(call: () => Promise<T>, saved: (props: Properties) => Properties): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const { initFailed } = error as { initFailed?: { properties: Properties } };
    if (initFailed !== undefined) {
      Object.assign(initFailed, { properties: saved(initFailed.properties) });
    }
    throw error;
  }
}
