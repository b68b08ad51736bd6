import { isObject } from "./equality";
import { escapedForRegExp, withoutEncoded } from "./redact";

/**
 * What a request sends may be secret: a key in the URL of a webhook, the variables of a chat. A response that says why it refuses often
 * repeats the request, so these texts are taken out of what is shown. Agents and workspaces stay: who answers a call is never secret.
 */

/** Texts of a request, each with the name of its field. */
export type SentTexts = ReadonlyMap<string, string>;

const NEVER_SECRET =
  /^(?:inboundAgents|outboundAgentId|outboundAgentVersion|agent_?id|chatId|workspaceId|isTimeRoutingEnabled|endpoint|__.*)$/i;

/** A shorter text is a part of many words. */
const SHORTEST = 3;

/** @param fields the fields of a request, by the names that a message may show */
export function textsSent(fields: object): SentTexts {
  const sent = new Map<string, string>();
  for (const [name, value] of Object.entries(fields)) {
    for (const text of NEVER_SECRET.test(name) ? [] : textsIn(value).flatMap(secretParts)) {
      sent.set(text, /^[\w-]{1,64}$/.test(name) ? name : "sent");
    }
  }
  const agents = JSON.stringify(Object.entries(fields).filter(([name]) => NEVER_SECRET.test(name)));
  return new Map([...sent].filter(([text]) => text.length >= SHORTEST && !agents.includes(text)));
}

/** Keys of a map are the program's as well. */
function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) {
    return value.flatMap(textsIn);
  }
  if (isObject(value)) {
    return Object.entries(value).flatMap(([key, item]) => [key, ...textsIn(item)]);
  }
  return ["string", "number"].includes(typeof value) ? [String(value)] : [];
}

/** Of a URL, what is behind its host, and each value of its query: as it is, in a URL, and in JSON. */
function secretParts(text: string): string[] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const parts = url?.host
    ? [text.slice(text.indexOf(url.host) + url.host.length), ...url.searchParams.values()]
    : [text];
  return parts.flatMap((part) => [part, encodeURIComponent(part.toWellFormed()), JSON.stringify(part).slice(1, -1)]);
}

/** Of a longer text, each piece of this length is taken out, because a response may have cut it. */
const PIECE = 8;

export function withoutSent(text: string, sent: SentTexts): string {
  const pieces = new Map<string, string>();
  for (const [secret, name] of sent) {
    for (let start = 0; start + PIECE <= secret.length; start += 1) {
      pieces.set(secret.slice(start, start + PIECE), name);
    }
  }
  const hidden = { length: PIECE, isIn: (plain: string) => withoutPieces(plain, pieces) !== plain };
  const short = [...sent.keys()].filter((secret) => secret.length < PIECE).map(escapedForRegExp);
  const words = new RegExp(`(?<![\\p{L}\\p{N}])(?:${short.join("|") || "(?!)"})(?![\\p{L}\\p{N}])`, "gu");
  return withoutPieces(withoutEncoded(text, hidden, "[sent]"), pieces).replace(words, (word) => `[${sent.get(word)}]`);
}

function withoutPieces(text: string, pieces: ReadonlyMap<string, string>): string {
  let [shown, end] = ["", 0];
  for (let start = 0; start < text.length; start += 1) {
    const name = pieces.get(text.slice(start, start + PIECE));
    if (start >= end) {
      shown += name === undefined ? text[start] : `[${name}]`;
    }
    end = name === undefined ? end : start + PIECE;
  }
  return shown;
}

/** The failure of a request that sends little, as a clear does: its response may repeat what was sent before. */
export const withoutSaved = <Failed extends { readonly platformMessage?: string | undefined }>(
  failure: Failed,
  saved: object,
): Failed => ({
  ...failure,
  platformMessage: failure.platformMessage && withoutSent(failure.platformMessage, textsSent(saved)),
});
