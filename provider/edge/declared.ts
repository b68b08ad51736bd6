import { createHash, hash } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import * as messages from "../core/messages";
import { existsOnce } from "../core/numberScope";
import type { Settings } from "../core/settings";
import { type Declared, type Declarer, ResourceError } from "../resources/lifecycle";

/**
 * Which numbers the running program declares. The engine creates before it deletes, so the delete of a renamed resource
 * would clear the number that its new name has just been given. Each provider instance has a process of its own; all
 * processes of a run get the engine's address as their argument, so a private file named by it is what they share.
 */

/** A number in international format exists once in the world, whatever token asks for it; an extension exists once an account. */
function keyOf(number: string, { endpoint, accessToken = "" }: Settings): string {
  const scope = existsOnce(number) ? "" : accessToken;
  return hash("sha256", JSON.stringify([endpoint, scope, number]), "base64url").slice(0, 24);
}

export function declaredBy(settings: Settings, engineAddress: string | undefined): Declared {
  const own = new Map<string, Declarer | undefined>();
  let hasFailed = false;
  const shared = engineAddress === undefined ? undefined : openShared(engineAddress);
  return {
    declareAll(numbers, by) {
      const fresh = numbers.filter((number) => !own.has(number));
      for (const number of fresh) {
        own.set(number, by);
      }
      if (shared === undefined || "why" in shared || fresh.length === 0) {
        return;
      }
      const [tag, ...header] = by === undefined ? [""] : introduced(by);
      const lines = fresh.map((number) => `${process.pid} ${keyOf(number, settings)}${tag}\n`);
      // A process that cannot tell the others what it declares must stop: they would clear it.
      orRefuse(shared, () => append(shared.file, [...header, ...lines].join("")));
    },
    declaredBefore(numbers, by) {
      const isShared = shared !== undefined && "file" in shared && orRefuse(shared, shared.hasOthers);
      for (const number of numbers) {
        const first = (isShared && shared.firstOf(keyOf(number, settings))) || own.get(number);
        if (first !== undefined && first.urn !== by.urn) {
          return { number, first };
        }
      }
      return undefined;
    },
    isDeclared(number) {
      if (own.has(number) || shared === undefined) {
        return own.has(number);
      }
      if ("why" in shared) {
        throw new ResourceError(messages.unknownDeclarations(shared.why, shared.folder));
      }
      return orRefuse(shared, () => shared.has(keyOf(number, settings)));
    },
    noteFailure() {
      hasFailed = true;
      if (shared !== undefined && "file" in shared) {
        orRefuse(shared, () => append(shared.file, `${process.pid} ${FAILED}\n`));
      }
    },
    hasFailed: () =>
      hasFailed || (shared !== undefined && "file" in shared && orRefuse(shared, () => shared.has(FAILED))),
  };
}

/** Stands where a key of a number does, and is never one: those are longer. */
const FAILED = "failed";

/** What was written at each number that a resource names itself for, and the line before them that says which one it is. */
function introduced(by: Declarer): [tag: string, header: string] {
  const text = JSON.stringify(by);
  const tag = hash("sha256", text, "base64url").slice(0, 12);
  return [` ${tag}`, `${process.pid} ${WHO}${tag} ${Buffer.from(text).toString("base64url")}\n`];
}

/** Begins where a key of a number would, and no key does. */
const WHO = "@";

interface Reader {
  has(key: string): boolean;
  /** Has another process written anything? Reads on; the next question does not. */
  hasOthers(): boolean;
  /** Who declared it first, as far as anyone said and was read. */
  firstOf(key: string): Declarer | undefined;
}

type Shared = { folder: string; why: string } | ({ folder: string; file: string } & Reader);

/** What the processes of a run share, or why they cannot: then nothing may be cleared, for another one may declare it. */
function openShared(engineAddress: string): Shared {
  const folder = join(tmpdir(), `agent-platform-${process.getuid?.() ?? userInfo().username}`);
  try {
    const why = refusalOf(folder);
    if (why !== undefined) {
      return { folder, why };
    }
    const file = join(folder, createHash("sha256").update(engineAddress).digest("hex").slice(0, 16));
    // Also a process that declares nothing finds out here whether the others could.
    appendFileSync(file, "", { mode: 0o600 });
    return { folder, file, ...readerOf(file) };
  } catch (error) {
    return { folder, why: reasonOf(error) };
  }
}

function orRefuse<T>({ folder }: Shared, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new ResourceError(messages.unknownDeclarations(reasonOf(error), folder));
  }
}

const reasonOf = (error: unknown): string =>
  `cannot be used (${error instanceof Error && "code" in error ? String(error.code) : "unexpected error"})`;

/**
 * Only where the folder is ours alone: another user must be able neither to read nor to plant a declaration. It is named by the
 * user's id, for in a container that id may have no name.
 */
function refusalOf(folder: string): string | undefined {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { mode, uid } = lstatSync(folder);
  if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o077) !== 0)) {
    return uid === process.getuid() ? `has mode ${(mode & 0o777).toString(8)}` : "belongs to another user";
  }
  prune(folder);
  return undefined;
}

const A_DAY_MS = 86_400_000;

/** Nobody tells a provider process that its run is over, so each one sweeps what runs of the days before left. */
function prune(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > A_DAY_MS) {
      // Another process may be at the same.
      rmSync(file, { force: true });
    }
  }
}

/**
 * Asked once for each number that is cleared and each resource that is checked, so only what was added since the last question is read. Addresses come back
 * in later runs: what stands there at the beginning counts where its writer lives still. From then on this run alone writes there, and
 * what it declares holds until its end, also where the process that wrote it dies.
 */
function readerOf(file: string): Reader {
  const declared = new Map<string, string | undefined>();
  const declarers = new Map<string, Declarer>();
  let hasOthers = false;
  let position = 0;
  let begun = "";

  function readOn(isOfThisRun: (pid: number) => boolean): void {
    const { size } = statSync(file);
    if (size <= position) {
      return;
    }
    const part = readPart(file, position, size);
    position += part.length;
    const lines = (begun + part).split("\n");
    // Another process may be in the middle of a line.
    begun = lines.pop() ?? "";
    for (const line of lines) {
      const [pid = "", key = "", more] = line.split(" ");
      if (!isOfThisRun(Number(pid))) {
        continue;
      }
      hasOthers ||= Number(pid) !== process.pid;
      if (key.startsWith(WHO)) {
        declarers.set(key.slice(WHO.length), JSON.parse(Buffer.from(more ?? "", "base64url").toString()));
      } else if (!declared.has(key)) {
        declared.set(key, more);
      }
    }
  }

  readOn(onceFor(isAlive));
  return {
    has(key) {
      readOn(() => true);
      return declared.has(key);
    },
    hasOthers() {
      readOn(() => true);
      return hasOthers;
    },
    firstOf: (key) => declarers.get(declared.get(key) ?? ""),
  };
}

/** A process has written up to 100,000 lines. */
function onceFor<Key, Answer>(ask: (key: Key) => Answer): (key: Key) => Answer {
  const known = new Map<Key, Answer>();
  return (key) => {
    const answer = known.get(key) ?? ask(key);
    known.set(key, answer);
    return answer;
  };
}

/** The file is there since the process began: one that got lost must not be begun anew, without what the others declared. */
function append(file: string, text: string): void {
  const descriptor = openSync(file, constants.O_WRONLY | constants.O_APPEND);
  try {
    appendFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

function readPart(file: string, from: number, to: number): string {
  const part = Buffer.alloc(to - from);
  const descriptor = openSync(file, "r");
  try {
    return part.toString("latin1", 0, readSync(descriptor, part, 0, part.length, from));
  } finally {
    closeSync(descriptor);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
