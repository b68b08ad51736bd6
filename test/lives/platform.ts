import { createPlatform, type Platform } from "../../emulator/platform";
import type { Chat, Voice } from "../../emulator/posted";
import { defaultProfile } from "../../emulator/profile";
import { routeOf } from "../../emulator/route";
import { routingOf, type StoredNumber } from "../../emulator/store";
import type { Reply, Transport } from "../../provider/client/transport";

/** The emulator's platform without its server: the store that the lives are judged by. */

export const TOKEN = "tok-51b0f2c7a99e4d0c8a17";
export const BASE_URL = "https://platform.example";

/** What a request meets. `contradicting` lasts as long as the run: the platform says yes and changes nothing. */
const REQUEST_FAULTS = [
  "refused",
  "lostBefore",
  "lostAfter",
  "contradicting",
  "stale",
  "tooMany",
  "diesBefore",
  "diesAfter",
] as const;
export type RequestFault = (typeof REQUEST_FAULTS)[number];

/** What a number has, as callers notice it. */
export interface Bound {
  readonly calls: Readonly<Record<string, number>>;
  readonly inboundWebhookUrl?: string | undefined;
  readonly outboundAgentId?: string | undefined;
}

/** What a request asks for. */
export interface Asked {
  readonly operation: "assignNumber" | "createSmsChat" | "addCommunityVoice" | "endChat";
  /** Of an assignment. */
  readonly number: string | undefined;
  /** Of a chat that is ended. */
  readonly chatId: string | undefined;
  /** Of a chat or a voice that is posted: what it is known by. */
  readonly logical: string | undefined;
}

/** One request of a run. */
export interface Sent extends Asked {
  readonly before: Bound | undefined;
  /** What the number has then; undefined if the platform did not act. */
  readonly after: Bound | undefined;
  readonly isApplied: boolean;
  readonly isAnswered: boolean;
  /** Did the platform say yes, and change nothing? */
  readonly isContradicted: boolean;
  /** Did the client get a certain no? */
  readonly isRefused: boolean;
}

export interface Store {
  readonly numbers: ReadonlyMap<string, StoredNumber>;
  readonly chats: readonly Chat[];
  readonly voices: readonly Voice[];
}

export const EMPTY: Store = { numbers: new Map(), chats: [], voices: [] };

export interface PlatformOptions {
  /** What the request meets that is the n-th of the run. */
  readonly faultAt: (index: number, request: Asked) => RequestFault | undefined;
  /** A request that has to wait, because the life wants the requests of several resources under way at once. */
  readonly pass: (request: Asked) => Promise<void>;
  /** The provider's process is killed. */
  readonly die: () => void;
}

type Account = Platform["account"];

export function openPlatform(store: Store, { faultAt, pass, die }: PlatformOptions) {
  const clock = { now: () => new Date(0), monotonic: () => 0 };
  const platform = createPlatform({
    profile: defaultProfile,
    seed: 1,
    clock,
    token: TOKEN,
    accountSid: ACCOUNT,
    workspaceId: 42,
  });
  const { account } = platform;
  fill(account, store);
  const sent: Sent[] = [];
  const contradicted = new Set<string | undefined>();
  let isDead = false;

  function troubleOf(request: Asked) {
    const { number } = request;
    const planned = faultAt(sent.length, request);
    // Only the response to an assignment shows what there is.
    const fault = number === undefined && (planned === "stale" || planned === "contradicting") ? undefined : planned;
    if (fault === "contradicting") {
      contradicted.add(number);
    }
    return { fault, isContradicted: contradicted.has(number) };
  }

  const act: Transport = async ({ method, url, body = "" }) => {
    const route = routeOf(method, url.pathname);
    const { number, chatId } = route.parameters;
    const json = JSON.parse(body || "{}") as Record<string, unknown>;
    const asked: Asked = { operation: route.operation as Sent["operation"], number, chatId, logical: logicalIn(json) };
    await pass(asked);
    const { fault, isContradicted } = troubleOf(asked);
    const incoming = { route, token: TOKEN, headers: JSON_HEADERS, rawBody: body, body: json };
    const before = boundOf(account, number);
    const decision = platform.admit(incoming)();
    const isActing = !isContradicted && !WITHOUT_ACTING.has(fault);
    const shown = isContradicted || fault === "stale" ? unchanged(platform, incoming, account) : decision.answer;
    const commit = isActing ? decision.commit : undefined;
    commit?.();
    const isApplied = commit !== undefined;
    const after = isApplied ? boundOf(account, number) : undefined;
    const isRefused = !isApplied && (REFUSING.has(fault) || shown.status >= 400);
    const isAnswered = !LOSING.has(fault);
    sent.push({ ...asked, before, after, isApplied, isAnswered, isContradicted, isRefused });
    if (DYING.has(fault)) {
      isDead = true;
      die();
    }
    return replyTo(fault) ?? responseOf(shown);
  };

  // A process that was killed sends no more; what it has sent before is on its way.
  const transport: Transport = async (...request) => (isDead ? LOST : act(...request));

  return {
    transport,
    sent: sent as readonly Sent[],
    get store(): Store {
      return {
        numbers: new Map(account.numbers),
        chats: [...account.posted.chats],
        voices: [...account.posted.voices],
      };
    },
  };
}

export const ACCOUNT = "5d3a8c1e-0f7b-4b62-9a55-6a1f0c2b7d90";
const JSON_HEADERS = { "content-type": "application/json" };
const REFUSING: ReadonlySet<RequestFault | undefined> = new Set<RequestFault>(["refused", "tooMany"]);
const LOSING: ReadonlySet<RequestFault | undefined> = new Set<RequestFault>([
  "lostBefore",
  "lostAfter",
  "diesBefore",
  "diesAfter",
]);
const DYING: ReadonlySet<RequestFault | undefined> = new Set<RequestFault>(["diesBefore", "diesAfter"]);
const WITHOUT_ACTING: ReadonlySet<RequestFault | undefined> = new Set<RequestFault>([
  "refused",
  "lostBefore",
  "tooMany",
  "diesBefore",
]);

function fill(account: Account, { numbers, chats, voices }: Store): void {
  for (const [number, stored] of numbers) {
    account.numbers.set(number, stored);
  }
  account.posted.chats.push(...chats);
  account.posted.voices.push(...voices);
}

const boundOf = (account: Account, number: string | undefined): Bound | undefined => {
  const stored = number === undefined ? undefined : account.numbers.get(number);
  return stored && bound(stored);
};

export function bound({ bindings }: StoredNumber): Bound {
  const { inboundAgents, inboundWebhookUrl, outboundAgentId } = routingOf(bindings);
  return { calls: inboundAgents, inboundWebhookUrl, outboundAgentId };
}

/** The response to an empty PUT, which leaves everything as it is. */
function unchanged(platform: Platform, incoming: Parameters<Platform["admit"]>[0], account: Account) {
  const known = account.numbers.get(incoming.route.parameters.number ?? "");
  const scope = { accountSid: known?.accountSid ?? ACCOUNT, workspaceId: known?.workspaceId ?? 42 };
  return platform.admit({ ...incoming, body: scope, rawBody: "{}" })().answer;
}

function logicalIn({ metadata, voiceName }: Record<string, unknown>): string | undefined {
  return (metadata as { logical?: string } | undefined)?.logical ?? (voiceName as string | undefined);
}

const HEADERS = {
  retryAfter: [],
  date: undefined,
  location: undefined,
  contentType: "application/json",
  requestId: undefined,
};

const responseOf = ({ status, body }: { readonly status: number; readonly body?: unknown }): Reply => ({
  came: "response",
  status,
  headers: HEADERS,
  bytes: Buffer.from(body === undefined ? "" : JSON.stringify(body)),
  body: "whole",
});

const LOST: Reply = { came: "nothing", reached: "open", timedOut: false, code: "ECONNRESET" };

/** Undefined if the client gets the platform's own response. */
function replyTo(fault: RequestFault | undefined): Reply | undefined {
  switch (fault) {
    case "refused":
      return responseOf({ status: 422, body: { error: "not today" } });
    case "tooMany":
      return {
        ...responseOf({ status: 429, body: { error: "too many requests" } }),
        headers: { ...HEADERS, retryAfter: ["1"] },
      } as Reply;
    case "lostBefore":
    case "lostAfter":
    case "diesBefore":
    case "diesAfter":
      return LOST;
    default:
      return undefined;
  }
}
