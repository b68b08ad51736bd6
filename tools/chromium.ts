import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Readable, Writable } from "node:stream";

/** Controls a real browser over a pipe, so the DevTools protocol needs neither a package nor a port. */

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"];

/**
 * Returns the path in CHROMIUM if that file exists, and otherwise the first browser on PATH. Throws if there is none,
 * so that browser tests fail instead of being skipped.
 */
function findChromium(): string {
  const onPath = (process.env.PATH ?? "").split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  const found = [process.env.CHROMIUM ?? "", ...onPath].find((path) => path !== "" && existsSync(path));
  if (found === undefined) {
    throw new Error(
      "No Chromium on PATH. Install one (`apt-get install chromium`), or set CHROMIUM to its executable.",
    );
  }
  return found;
}

type Params = Readonly<Record<string, unknown>>;
interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: Record<string, never>;
  readonly error?: { readonly message: string };
  readonly sessionId?: string;
}

export interface Tab {
  send(method: string, params?: Params): Promise<Record<string, never>>;
  /** All events from the browser since the tab was opened. */
  readonly events: readonly { readonly method: string; readonly params: Params }[];
  /** Opens a URL, and resolves when it has loaded. */
  open(url: string): Promise<void>;
  /** Evaluates an expression in the page. */
  evaluate<T>(expression: string): Promise<T>;
}

/** @param test receives a new tab */
export async function withChromium<Result>(test: (tab: Tab) => Promise<Result>): Promise<Result> {
  const profile = mkdtempSync(join(tmpdir(), "agent-platform-chromium-"));
  const root = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const child = spawn(
    findChromium(),
    [
      "--headless=new",
      "--remote-debugging-pipe",
      `--user-data-dir=${profile}`,
      "--disable-gpu",
      "--hide-scrollbars",
      ...root,
    ],
    { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], detached: true },
  );
  try {
    return await test(await newTab(child));
  } finally {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    // Kill the process group, because its helpers write into the profile as long as they live.
    process.kill(-(child.pid ?? 0), "SIGKILL");
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

async function newTab(child: ChildProcess): Promise<Tab> {
  const [, , , input, output] = child.stdio as unknown as [null, null, null, Writable, Readable];
  const waiting = new Map<number, (message: Message) => void>();
  const listeners = new Map<string, () => void>();
  const events: { method: string; params: Params }[] = [];
  let [lastId, rest, session] = [0, "", undefined as string | undefined];

  function take(message: Message): void {
    if (message.id !== undefined) {
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    } else if (message.method !== undefined) {
      events.push({ method: message.method, params: message.params ?? {} });
      listeners.get(message.method)?.();
    }
  }
  output.setEncoding("utf8").on("data", (text: string) => {
    const messages = (rest + text).split("\0");
    rest = messages.pop() ?? "";
    for (const json of messages) {
      take(JSON.parse(json) as Message);
    }
  });
  const send: Tab["send"] = (method, params = {}) =>
    new Promise((resolve, reject) => {
      lastId += 1;
      const exited = () => reject(new Error(`Chromium ended before ${method} was done.`));
      child.once("exit", exited);
      waiting.set(lastId, ({ result = {}, error }) => {
        child.off("exit", exited);
        return error === undefined ? resolve(result) : reject(new Error(`${method}: ${error.message}`));
      });
      input.write(`${JSON.stringify({ id: lastId, method, params, ...(session && { sessionId: session }) })}\0`);
    });

  const { targetId } = await send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  session = sessionId;
  for (const domain of ["Page", "Runtime", "Log", "Network"]) {
    await send(`${domain}.enable`);
  }
  return {
    send,
    events,
    async open(url) {
      const loaded = new Promise<void>((resolve) => listeners.set("Page.loadEventFired", resolve));
      await send("Page.navigate", { url });
      await loaded;
    },
    async evaluate(expression) {
      const { result, exceptionDetails } = await send("Runtime.evaluate", {
        expression,
        returnByValue: true,
        awaitPromise: true,
      });
      if (exceptionDetails !== undefined) {
        throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
      }
      return (result as unknown as { value: never } | undefined)?.value as never;
    },
  };
}
