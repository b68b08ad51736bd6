import * as messages from "../core/messages";
import { identityOf } from "../core/numberList";
import type { Plan } from "../core/plan";
import { boundFields, clearedByMove, isNothingCleared, isNothingToClear, type Routing } from "../core/routing";
import type { ClearMode, Settings } from "../core/settings";
import type { Heard, Holder, Told } from "./heard";

/**
 * What a run remembers: which numbers and chats the running program declares, which of them were assigned, what the engine replaces, and
 * whether something failed. check, diff, create and update write it. A delete reads it, because the engine creates before it deletes: the
 * delete of a renamed resource must not clear the number that its new name has just been given.
 */

/** A resource of the running program, as check gets it. */
export interface Declaration {
  readonly urn: string;
  /** Is its number secret, or are its numbers? */
  readonly isSecret: boolean;
  /** Numbers, and the keys of the chats that it adopts. */
  readonly keys: readonly string[];
  /** What it binds to one of its numbers. */
  readonly routingFor?: ((number: string) => Routing) | undefined;
}

/** A number that another resource of the program has declared before. */
export interface Taken {
  readonly number: string;
  readonly by: Holder;
}

/** A resource that the engine is about to replace: its create finds here what the engine does not tell it. */
export interface Replacement<State = object> {
  readonly id: string;
  readonly olds: State;
  /** The inputs that diff judged. */
  readonly news: object;
  /** Did diff judge the guards of the whole resource? */
  readonly isJudged: boolean;
}

/** The resource that the program goes on with under an id. */
export interface Continued {
  readonly urn: string;
  readonly inputs: object;
  /** Its state before this run; of a replacement, that of its original. */
  readonly stateBefore: object | undefined;
}

/** How the processes of a run tell each other what they remember. */
export interface RunFile {
  /** The key of a number or of a chat in the file. */
  keyOf(identity: readonly string[]): string;
  /** Throws if the others cannot be told. */
  tell(told: Told): void;
  heard(): Heard;
  /** Throws if the file cannot be read: then it is not known what the others declare, and nothing may be cleared. */
  refuseIfUnusable(): void;
  isAlive(pid: number): boolean;
}

/** One request for one number. */
export interface Task {
  readonly number: string;
  /** What is to be bound. */
  readonly routing: Routing;
  /** What the platform may have for the number. The request clears what this has and `routing` does not have. */
  readonly held: Routing;
}

/** What a delete does with a number, and the request for that, if it needs one. */
export type Release =
  | { readonly does: "clear"; readonly task: Task }
  | { readonly does: "nothing"; readonly task?: undefined }
  /** Another resource of this provider declares it. The task clears what only the deleted resource had bound. */
  | { readonly does: "keep"; readonly task?: Task | undefined }
  /** A resource of another provider declares it. `stays` names the fields that only the deleted resource had bound: no request clears them. */
  | { readonly does: "leave"; readonly stays: readonly string[]; readonly task?: undefined }
  | { readonly does: "postpone"; readonly why: string; readonly task?: undefined };

export type Run = ReturnType<typeof newRun>;

/** The key of a chat. No number has a line break, so no number has the same key. */
export const chatKey = (id: string): string => `chat\n${id}`;
const isChat = (key: string): boolean => key.includes("\n");

/** The resource of this process that declares a key. */
interface LocalHolder {
  readonly urn: string;
  readonly routingFor: ((number: string) => Routing) | undefined;
  /** Is it certain that the platform has what is declared? */
  isConfirmed: boolean;
}

export function newRun(settings: Settings, file: RunFile) {
  const declared = new Map<string, LocalHolder>();
  const declaredUrns = new Map<string, readonly string[]>();
  const replacing = new Map<string, Replacement>();
  const replacedIds = new Set<string>();
  const continued = new Map<string, Continued>();
  const lastSent = new Map<string, Routing>();
  const untold = new Map<string, string[]>();
  const secretFields = new Map<string, readonly string[]>();
  let meetsUnknown = false;

  // A chat exists once on its platform, whatever token asks for it.
  const hashOf = (key: string): string =>
    file.keyOf(identityOf(key, settings.endpoint, isChat(key) ? "" : (settings.accessToken ?? "")));

  function confirm(urn: string, except: ReadonlySet<string>): void {
    for (const key of declaredUrns.get(urn) ?? []) {
      const one = declared.get(key);
      if (one?.urn === urn && !except.has(key)) {
        one.isConfirmed = true;
      }
    }
  }

  function forgetContinued(urn: string): void {
    for (const [id, one] of continued) {
      if (one.urn === urn) {
        continued.delete(id);
      }
    }
  }

  /** For a number that another resource of this process declares: its agents stay, and what else only the deleted resource had bound is cleared. */
  function keptHere(number: string, held: Routing, { isConfirmed, routingFor }: LocalHolder): Release {
    if (!isConfirmed) {
      return { does: "postpone", why: messages.UNCONFIRMED };
    }
    const { inboundAgents: _, ...others } = held;
    const sent = lastSent.get(number);
    if (sent !== undefined) {
      const isNothing = isNothingCleared(clearedByMove(held, sent));
      return { does: "keep", task: isNothing ? undefined : { number, routing: sent, held: others } };
    }
    // The new holder sent nothing in this run, because the engine takes it for unchanged. But the deleted resource may have sent its routing
    // after it, in an earlier run that broke off. So the routing of the new holder is sent again.
    const routing = routingFor?.(number);
    return { does: "keep", task: routing && { number, routing, held: others } };
  }

  /** For a number that another process of the run declares. That process tells which fields it bound, but not their values. */
  function keptElsewhere(key: string, held: Routing, holders: readonly Holder[], heard: Heard): Release {
    const fields = heard.fieldsApplied(key);
    if (fields !== undefined) {
      return { does: "leave", stays: boundFields(held).filter((field) => !fields.includes(field)) };
    }
    if (!holders.some(({ pid }) => file.isAlive(pid))) {
      return { does: "postpone", why: messages.DECLARER_GONE };
    }
    // If something failed, it may have been the request for this number: the next run sends it.
    return { does: "postpone", why: heard.hasFailed ? messages.UNCONFIRMED : messages.NOT_SENT_BY_HOLDER };
  }

  return {
    /** The way of clearing that worked in this run. */
    clearedWith: undefined as ClearMode | undefined,
    /** Has this run printed the warning that responses list no agents? */
    isUnverifiedTold: false,

    // --- check

    /** Notes what a resource declares. Returns the first of its numbers that another resource declared before. */
    declare({ urn, isSecret, keys, routingFor }: Declaration): Taken | undefined {
      declaredUrns.set(urn, keys);
      for (const key of keys) {
        declared.set(key, { urn, routingFor, isConfirmed: false });
      }
      const hashes = keys.map(hashOf);
      file.tell({ by: urn, declares: hashes, ...(isSecret && { isSecret }) });
      const heard = file.heard();
      for (const [index, number] of keys.entries()) {
        const by = heard.firstHolderOf(hashes[index] as string);
        if (by !== undefined && by.urn !== urn && !isChat(number)) {
          return { number, by };
        }
      }
      return undefined;
    },
    /** The check has passed, and the create comes next. */
    awaitCreate(urn: string): void {
      file.tell({ by: urn, awaitsCreate: true });
    },
    /** An unknown value occurs only in a preview. */
    meetUnknown(): void {
      meetsUnknown = true;
    },
    get isPreview(): boolean {
      return meetsUnknown;
    },
    /** The original, if diff has asked for a replacement. */
    replacementOf: (urn: string): Replacement | undefined => replacing.get(urn),
    /** The replacement was refused, so no create will come. */
    dropReplacement: (urn: string): boolean => replacing.delete(urn),

    // --- diff

    /**
     * Notes what diff tells the engine about a resource. At a refresh the engine also asks for a diff of resources that it then deletes. No
     * check has declared those, so nothing is noted.
     */
    noteDiff(urn: string, diffed: Replacement, { replaces, binds }: Plan): void {
      if (!declaredUrns.has(urn)) {
        return;
      }
      if (replaces.length > 0) {
        replacing.set(urn, diffed);
        replacedIds.add(diffed.id);
        continued.delete(diffed.id);
        return;
      }
      continued.set(diffed.id, { urn, inputs: diffed.news, stateBefore: diffed.olds });
      if (binds !== undefined) {
        confirm(urn, new Set(binds));
      }
    },

    // --- create and update

    /**
     * The create begins. Returns the original if diff asked for a replacement. If not, the resource is new, or the operator has forced its
     * replacement with `--replace`: then no resource goes on under the id of the original.
     */
    begin(urn: string): Replacement | undefined {
      const replaced = replacing.get(urn);
      replacing.delete(urn);
      if (replaced === undefined) {
        forgetContinued(urn);
      }
      file.tell({ by: urn, begins: true });
      return replaced;
    },
    created(urn: string, id: string, inputs: object, replaced: Replacement | undefined): void {
      continued.set(id, { urn, inputs, stateBefore: replaced?.olds });
      confirm(urn, new Set());
    },
    /** A request is about to be sent. Until it is applied, the delete of another resource must not clear the number. */
    binding(number: string): void {
      const { urn = "", routingFor } = declared.get(number) ?? {};
      declared.set(number, { urn, routingFor, isConfirmed: false });
    },
    accepted(number: string, routing: Routing): void {
      lastSent.set(number, routing);
    },
    /** The number has what its resource declares. */
    bound(number: string, routing: Routing): void {
      const one = declared.get(number);
      if (one !== undefined) {
        one.isConfirmed = true;
      }
      const fields = JSON.stringify(boundFields(routing));
      const hashes = untold.get(fields) ?? [];
      untold.set(fields, hashes);
      hashes.push(hashOf(number));
    },
    /** Tells the other processes what was bound since the last call. */
    tellBound(): void {
      for (const [fields, applied] of untold) {
        file.tell({ applied, fields: JSON.parse(fields) });
      }
      untold.clear();
    },
    /** A new chat may have the id of the one that it replaces, if the platform continues that one: then no delete of this run ends it. */
    declareChat(urn: string, id: string): void {
      declared.set(chatKey(id), { urn, routingFor: undefined, isConfirmed: true });
      file.tell({ by: urn, declares: [hashOf(chatKey(id))] });
    },
    /** With `--continue-on-error` the deletes still come, although the program did not declare what depends on the failed resource. */
    failed(): void {
      file.tell({ failed: true });
    },

    // --- delete

    /** The resource that the program goes on with under the id of one that is deleted. */
    continuedAs: (id: string): Continued | undefined => continued.get(id),
    /** Has diff replaced it in this run? If it was unresolved, the operator has resolved it, so its delete gives no warning. */
    isReplaced: (id: string): boolean => replacedIds.has(id),
    /** Is a create still to come? Then the delete comes in the middle of the run, when it is not known what else the program declares. */
    isMidway: (): boolean => file.heard().awaitsCreate && !file.heard().hasFailed,
    /** What all processes of the run have told. */
    heard: (): Heard => file.heard(),
    noteRemoved(count: number): void {
      file.tell({ removes: count });
    },
    /** Is another resource going on with this chat, or is that unknown? If neither, the chat may be ended. */
    keepsChat(id: string): "continues" | "unknown" | undefined {
      const key = chatKey(id);
      if (declared.has(key) || continued.has(id)) {
        return "continues";
      }
      file.refuseIfUnusable();
      const hash = hashOf(key);
      const holders = file.heard().holdersOf(hash);
      if (holders.length > 0) {
        return holders.some(({ pid }) => file.isAlive(pid)) ? "continues" : "unknown";
      }
      return file.heard().mayBeHeld(hash) ? "unknown" : undefined;
    },
    /** Decides what a delete does with a number, and nothing else decides it. @param fallback what the number gets if no resource declares it */
    release(number: string, held: Routing, fallback: Routing): Release {
      const here = declared.get(number);
      if (here !== undefined) {
        return keptHere(number, held, here);
      }
      file.refuseIfUnusable();
      const [heard, key] = [file.heard(), hashOf(number)];
      const holders = heard.holdersOf(key);
      if (holders.length > 0) {
        return keptElsewhere(key, held, holders, heard);
      }
      if (heard.mayBeHeld(key)) {
        return { does: "postpone", why: messages.DECLARER_GONE };
      }
      if (heard.isLeftOut(key)) {
        return { does: "postpone", why: messages.LEFT_OUT };
      }
      if (isNothingToClear(held, fallback)) {
        return { does: "nothing" };
      }
      return heard.hasFailed
        ? { does: "postpone", why: messages.RUN_FAILED }
        : { does: "clear", task: { number, routing: fallback, held } };
    },

    // --- secrets

    /** No message may show what the responses about these numbers say of these arguments. */
    keepSecret(numbers: readonly string[], secretArguments: readonly string[] | undefined): void {
      // Most groups have no secret, and a group may have 50,000 numbers.
      for (const number of secretArguments?.length ? numbers : []) {
        secretFields.set(number, [...new Set([...(secretFields.get(number) ?? []), ...(secretArguments ?? [])])]);
      }
    },
    secretFieldsOf: (number: string): readonly string[] | undefined => secretFields.get(number),
  };
}
