import { hash } from "node:crypto";
import * as messages from "../../core/messages";
import { existsOnce, identityOf } from "../../core/numberList";
import type { Settings } from "../../core/settings";
import { type Declared, type Declarer, ResourceError } from "../../resources/lifecycle";
import { answerWith, ask, type Question } from "./neighbours";
import {
  append,
  awaits,
  begins,
  declares,
  declaresInProgram,
  failed,
  isAlive,
  KEY_LENGTH,
  listens,
  openShared,
  orRefuse,
} from "./sharedFile";

/**
 * Which numbers the running program declares. The engine creates before it deletes, so the delete of a renamed resource
 * would clear the number that its new name has just been given. Each provider has a process of its own; all
 * processes of a run get the engine's address as their argument, so a private file named by it is what they share.
 */

/** Sees that a number which this process declares holds what is declared, and says why it may not. */
type AnswerRelease = Declared["askDeclarer"];

/** A chat exists once on its platform, whatever token asks for it. Only what stands for a chat has more than a line. */
const keyOf = (number: string, { endpoint, accessToken = "" }: Settings): string =>
  hashOf(identityOf(number, endpoint, number.includes("\n") ? "" : accessToken));

const hashOf = (parts: readonly string[]): string =>
  hash("sha256", JSON.stringify(parts), "base64url").slice(0, KEY_LENGTH);

/** What a resource of the program declares, and what it holds once it is registered. */
type Telling = (endpoint: string, declares: readonly string[], holds: readonly string[]) => void;

/**
 * The program says by itself which numbers it declares: of a resource that `--target` or `--exclude` leaves out, no provider process
 * ever hears. What such a resource holds none of them declares either; of one that was asked for, a transform may have changed the
 * numbers. An extension is left to the provider processes, for the program does not know whose account it is in.
 */
export function declaredByProgram(engineAddress: string): Telling {
  const shared = openShared(engineAddress);
  const fresh: string[] = [];
  return (endpoint, declared, holds) => {
    const [held] = holds.filter(existsOnce);
    // Where the file cannot be used, the provider processes let nothing go.
    if (!("file" in shared) || held === undefined) {
      return;
    }
    const keys = declared.filter(existsOnce).map((number) => hashOf([endpoint, "", number]));
    if (fresh.push(declaresInProgram(keys, hashOf([endpoint, "", held]))) === 1) {
      queueMicrotask(() => orRefuse(shared, () => append(shared.file, fresh.splice(0).join(""))));
    }
  };
}

export function declaredBy(
  settings: Settings,
  engineAddress: string | undefined,
  answerRelease: AnswerRelease,
): Declared {
  const own = new Map<string, Declarer | undefined>();
  const awaited = new Set<string>();
  let hasFailed = false;
  let isListening = false;
  const opened = engineAddress === undefined ? undefined : openShared(engineAddress);
  const shared = opened !== undefined && "file" in opened ? opened : undefined;
  const read = () => shared && orRefuse(shared, shared.read);
  const tell = (line: string) => shared && orRefuse(shared, () => append(shared.file, line));

  const answer = ({ key, number, held, who }: Question) =>
    own.has(number) && keyOf(number, settings) === key ? answerRelease(number, held, who).catch(inWords) : undefined;

  /** Where it cannot be told where this process listens, the others cannot ask, and let nothing go. */
  function listenOnce(file: string): void {
    if (!isListening) {
      isListening = true;
      answerWith(answer)
        .then((door) => append(file, listens(door)))
        .catch(() => {});
    }
  }

  return {
    declareAll(numbers, by) {
      const fresh = numbers.filter((number) => !own.has(number));
      for (const number of fresh) {
        own.set(number, by);
      }
      if (shared === undefined || fresh.length === 0) {
        return;
      }
      listenOnce(shared.file);
      const keys = fresh.map((number) => keyOf(number, settings));
      // A process that cannot tell the others what it declares must stop: they would clear it.
      orRefuse(shared, () => append(shared.file, declares(keys, by)));
    },
    declaredBefore(numbers, by) {
      const others = read();
      for (const number of numbers) {
        const first = (others?.hasOthers && others.firstOf(keyOf(number, settings))) || own.get(number);
        if (first !== undefined && first.urn !== by.urn) {
          return { number, first };
        }
      }
      return undefined;
    },
    whereIs(number) {
      if (own.has(number)) {
        return "here";
      }
      if (opened !== undefined && "why" in opened) {
        throw new ResourceError(messages.unknownDeclarations(opened.why, opened.folder));
      }
      const [others, key] = [read(), keyOf(number, settings)];
      const writer = others?.writerOf(key);
      if (writer === undefined) {
        return others?.isLeftOut(key) ? "left out" : undefined;
      }
      return isAlive(writer) ? "elsewhere" : "gone";
    },
    async askDeclarer(number, held, who) {
      const key = keyOf(number, settings);
      const others = read();
      const door = others?.doorOf(others.writerOf(key) ?? 0);
      const asked = door && ask(door, { key, number, held, who }, Math.ceil(settings.deadline * 1000) * MOST_DEADLINES);
      return asked?.catch(() => messages.DECLARER_GONE) ?? messages.DECLARER_GONE;
    },
    awaitCreate(numbers) {
      const key = hashOf([numbers]);
      awaited.add(key);
      tell(awaits(key));
    },
    beginCreate(numbers) {
      const key = hashOf([numbers]);
      if (awaited.delete(key)) {
        tell(begins(key));
      }
    },
    awaitsCreate: () => awaited.size > 0 || read()?.awaitsCreate === true,
    noteFailure() {
      hasFailed = true;
      tell(failed());
    },
    hasFailed: () => hasFailed || read()?.hasFailed === true,
  };
}

/** A number is sent a few times where a platform refuses one way of clearing or shows it late; each time has a deadline of its own. */
const MOST_DEADLINES = 10;

const inWords = (error: unknown): string =>
  messages.notSentAgain(error instanceof Error ? error.message : String(error));
