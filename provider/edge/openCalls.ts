import { hash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, uptime } from "node:os";
import { dirname, join } from "node:path";
import type { Environment } from "../core/config/settings";
import { isWatched } from "./engineWatch";

/**
 * The calls that send and have not ended. If this process alone is killed, the engine goes on: it saves nothing of a call that was under way,
 * not even that there was one. So each call leaves a file in Pulumi's own folder of this user, and takes it away when it ends. Commands that
 * look into a stack read what is left. A file that cannot be written changes nothing, because it must not stop a request.
 */

const folderIn = ({ PULUMI_HOME, HOME }: Environment): string =>
  join(PULUMI_HOME || join(HOME || homedir(), ".pulumi"), "agent-platform");

/** What names the numbers and the rollout. Neither may be secret. */
const NAMING = ["number", "numbers", "rollout"];

export interface OpenCall {
  readonly operation: "creating" | "updating" | "deleting";
  readonly urn: string;
  readonly inputs: object;
}

/** The traces of calls, as the processes of one machine leave and find them. */
export interface Traces {
  /** Makes the call, and leaves a trace while it is under way. */
  leavingTrace<T>(open: OpenCall, call: () => Promise<T>): Promise<T>;
  /** Did an earlier process begin to create the resource, and end before its call did? Then its trace is taken away. */
  takeInterrupted(urn: string): boolean;
}

/** In files. Without an engine, as in a test, nobody would look for one. */
export const traces: Traces = {
  leavingTrace: (open, call) => (isWatched() ? leavingTrace(open, call) : call()),
  takeInterrupted: (urn) => isWatched() && takeInterrupted(urn),
};

export async function leavingTrace<T>(open: OpenCall, call: () => Promise<T>): Promise<T> {
  const file = orElse(undefined, () => writeTrace(open));
  try {
    return await call();
  } finally {
    orElse(undefined, () => file && rmSync(file, { force: true }));
  }
}

const fileOf = (urn: string): string => join(folderIn(process.env), `${hash("sha256", urn).slice(0, 16)}.json`);

/** Returns the path of the file. */
function writeTrace({ operation, urn, inputs }: OpenCall): string {
  const file = fileOf(urn);
  const named = Object.fromEntries(Object.entries(inputs).filter(([name]) => NAMING.includes(name)));
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const text = JSON.stringify({ operation, urn, inputs: named, pid: process.pid, at: new Date() });
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

/**
 * The engine lets one run at a time work on a stack, so whoever left the file has ended. Its process id proves nothing, because another process
 * may have it by now. A file that cannot be taken away does not count, because it would stop every retry.
 */
export const takeInterrupted = (urn: string): boolean =>
  orElse(false, () => {
    const { operation } = JSON.parse(readFileSync(fileOf(urn), "utf8")) as Readonly<Record<string, unknown>>;
    if (operation !== "creating") {
      return false;
    }
    rmSync(fileOf(urn));
    return true;
  });

/** What calls on this machine have left, of whatever stack, as it stands in their files, each with the path of its file. */
export function openCalls(env: Environment): unknown[] {
  const files = orElse([], () => readdirSync(folderIn(env)).map((name) => join(folderIn(env), name)));
  return files.map((file) => orElse(undefined, () => ({ ...JSON.parse(readFileSync(file, "utf8")), file })));
}

/** Is the process alive that had the id at that time? One from before the start of this machine is not: another process has its id. */
export function isAlive(pid: number, at: Date): boolean {
  if (at.getTime() < Date.now() - uptime() * 1000) {
    return false;
  }
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function orElse<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
