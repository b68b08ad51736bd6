import { createPlatform, type Platform } from "../../emulator/platform";
import { defaultProfile } from "../../emulator/profile";
import { routeOf } from "../../emulator/route";
import { type Chat, routingOf, type StoredNumber, type Voice } from "../../emulator/store";
import type { HttpReply, Transport } from "../../provider/base/world";
import { response, silence } from "../support/replies";

/** The emulator's platform without its HTTP server. The oracles check the data that it stores. */

export const TOKEN = "tok-51b0f2c7a99e4d0c8a17";
export const BASE_URL = "https://platform.example";

/** What a fault does to a request: whether the platform acts on it, and which response the client gets. */
interface Trouble {
  readonly acts: boolean;
  /**
   * What the client gets: an error status, no response, or a response with the old routing. By default, the platform's
   * normal response.
   */
  readonly gets?: number | "nothing" | "the old routing";
  /** The `Retry-After` header of a 429, in seconds. */
  readonly retryAfter?: string;
  /** Whether the provider's process is killed as well. */
  readonly dies?: true;
}

const TROUBLES = {
  refused: { acts: false, gets: 422 },
  tooMany: { acts: false, gets: 429, retryAfter: "1" },
  lostBefore: { acts: false, gets: "nothing" },
  lostAfter: { acts: true, gets: "nothing" },
  /** For the rest of the run, the platform reports success for this number but changes nothing. */
  contradicting: { acts: false, gets: "the old routing" },
  diesBefore: { acts: false, gets: "nothing", dies: true },
  diesAfter: { acts: true, gets: "nothing", dies: true },
} as const satisfies Record<string, Trouble>;
export type RequestFault = keyof typeof TROUBLES;
export const REQUEST_FAULTS = Object.keys(TROUBLES) as RequestFault[];

/** The fields of a number's routing that the oracles compare. */
export interface Assigned {
  readonly calls: Readonly<Record<string, number>>;
  readonly inboundWebhookUrl?: string | undefined;
  readonly outboundAgentId?: string | undefined;
}

/** A request's operation, and the number, chat or voice that it is for. */
export interface Asked {
  readonly operation: "assignNumber" | "createSmsChat" | "addCommunityVoice" | "endChat";
  /** The number, if the request assigns or clears one. */
  readonly number: string | undefined;
  /** The ID of the chat that the request ends, if any. */
  readonly chatId: string | undefined;
  /** The logical name of the voice or chat that the request creates, if any (see `logicalOf`). */
  readonly logical: string | undefined;
}

/** A request that the platform has received, and its effect. */
export interface Sent extends Asked {
  readonly before: Assigned | undefined;
  /** The number's routing after the request. Undefined if the platform did not act. */
  readonly after: Assigned | undefined;
  readonly isAnswered: boolean;
  /** Whether the platform reported success but changed nothing. */
  readonly isContradicted: boolean;
  /** Whether the client got an error response, so it knows that nothing was changed. */
  readonly isRefused: boolean;
}

export interface Store {
  readonly numbers: ReadonlyMap<string, StoredNumber>;
  readonly chats: readonly Chat[];
  readonly voices: readonly Voice[];
}

export const EMPTY: Store = { numbers: new Map(), chats: [], voices: [] };

export interface PlatformOptions {
  /** Returns the fault that hits this request, if any. `index` is its position in the run, starting at 0. */
  readonly faultAt: (index: number, request: Asked) => RequestFault | undefined;
  /** Delays the request until the promise resolves, so that several resources can have requests in progress at once. */
  readonly pass: (request: Asked) => Promise<void>;
  /** Kills the provider's process. */
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

  function troubleOf(request: Asked): Trouble {
    const { number } = request;
    const planned = faultAt(sent.length, request);
    if (planned === "contradicting" && number !== undefined) {
      contradicted.add(number);
    }
    if (contradicted.has(number)) {
      return TROUBLES.contradicting;
    }
    const trouble: Trouble = planned === undefined ? { acts: true } : TROUBLES[planned];
    // Only the response to an assignment contains a routing, so this fault doesn't affect other requests.
    return number === undefined && trouble.gets === "the old routing" ? { acts: true } : trouble;
  }

  const act: Transport = async ({ method, url, body = "" }) => {
    const route = routeOf(method, url.pathname);
    const { number, chatId } = route.parameters;
    const json = JSON.parse(body || "{}") as Record<string, unknown>;
    const asked: Asked = { operation: route.operation as Sent["operation"], number, chatId, logical: logicalIn(json) };
    await pass(asked);
    const { acts, gets, dies, retryAfter } = troubleOf(asked);
    const incoming = { route, token: TOKEN, headers: JSON_HEADERS, rawBody: body, body: json };
    const before = assignedTo(account, number);
    const decision = platform.decide(incoming);
    const shown = gets === "the old routing" ? unchanged(platform, incoming, account) : decision.response;
    const commit = acts ? decision.commit : undefined;
    commit?.();
    const isApplied = commit !== undefined;
    const reply = replyOf(gets, shown, retryAfter);
    sent.push({
      ...asked,
      before,
      after: isApplied ? assignedTo(account, number) : undefined,
      isAnswered: gets !== "nothing",
      isContradicted: contradicted.has(number),
      isRefused: !isApplied && reply.came === "response" && reply.status >= 400,
    });
    if (dies) {
      isDead = true;
      die();
    }
    return reply;
  };

  // A killed process sends no more requests, but those that it has already sent still reach the platform.
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

function fill(account: Account, { numbers, chats, voices }: Store): void {
  for (const [number, stored] of numbers) {
    account.numbers.set(number, stored);
  }
  account.posted.chats.push(...chats);
  account.posted.voices.push(...voices);
}

const assignedTo = (account: Account, number: string | undefined): Assigned | undefined => {
  const stored = number === undefined ? undefined : account.numbers.get(number);
  return stored && assignedIn(stored);
};

export function assignedIn({ routing }: StoredNumber): Assigned {
  const { inboundAgents, inboundWebhookUrl, outboundAgentId } = routingOf(routing);
  return { calls: inboundAgents, inboundWebhookUrl, outboundAgentId };
}

/** Returns the response to an empty PUT, which shows the number's routing without changing it. */
function unchanged(platform: Platform, incoming: Parameters<Platform["decide"]>[0], account: Account) {
  const stored = account.numbers.get(incoming.route.parameters.number ?? "");
  const scope = { accountSid: stored?.accountSid ?? ACCOUNT, workspaceId: stored?.workspaceId ?? 42 };
  return platform.decide({ ...incoming, body: scope, rawBody: "{}" }).response;
}

function logicalIn({ metadata, voiceName }: Record<string, unknown>): string | undefined {
  return (metadata as { logical?: string } | undefined)?.logical ?? (voiceName as string | undefined);
}

interface Response {
  readonly status: number;
  readonly body?: unknown;
}

const responseOf = ({ status, body }: Response, retryAfter?: string): HttpReply =>
  response(status, body === undefined ? "" : JSON.stringify(body), retryAfter);

const LOST = silence("open", "ECONNRESET");

function replyOf(gets: Trouble["gets"], shown: Response, retryAfter: string | undefined): HttpReply {
  if (gets === "nothing") {
    return LOST;
  }
  return responseOf(typeof gets === "number" ? { status: gets, body: { error: "not today" } } : shown, retryAfter);
}
