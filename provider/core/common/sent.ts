import { isObject } from "./equality";
import { escapedForRegExp } from "./redact";

/**
 * What a request sends may be secret: a key in the URL of a webhook, the variables of a chat. A response that says why it refuses often
 * repeats the request, so these texts are taken out of what is shown. Agents and workspaces stay: who answers a call is never secret.
 */

/** Texts of a request, each with the name of its field. */
export type SentTexts = ReadonlyMap<string, string>;

const NEVER_SECRET =
  /^(?:inboundAgents|outboundAgentId|outboundAgentVersion|agent_?id|chatId|workspaceId|isTimeRoutingEnabled|endpoint|__.*)$/i;

/** A shorter text is a part of many words. */
const SHORTEST = 6;

/** @param fields the fields of a request, by the names that a message may show */
export function textsSent(fields: object): SentTexts {
  const entries = Object.entries(fields);
  const shown = JSON.stringify(entries.filter(([name]) => NEVER_SECRET.test(name)));
  const sent = entries
    .filter(([name]) => !NEVER_SECRET.test(name))
    .flatMap(([name, value]) => textsIn(value).map((text) => [text, name] as const))
    .filter(([text]) => text.length >= SHORTEST && !shown.includes(text));
  return new Map(sent);
}

/** Keys of a map are the program's as well. Of a URL, what is behind its host and each value of its query may stand alone. */
function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) {
    return value.flatMap(textsIn);
  }
  if (isObject(value)) {
    return Object.entries(value).flatMap(([key, item]) => [key, ...textsIn(item)]);
  }
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.host ? [text, url.pathname + url.search, ...url.searchParams.values()] : [text];
}

/** The text without these texts: as they are, in a URL, and in JSON. */
export function withoutSent(text: string, sent: SentTexts): string {
  const spellings = new Map(
    [...sent].flatMap(([secret, name]) =>
      [secret, encodeURIComponent(secret.toWellFormed()), JSON.stringify(secret).slice(1, -1)].map((spelling) => [
        spelling,
        name,
      ]),
    ),
  );
  // Of two that begin at the same place, the longer one counts.
  const longestFirst = [...spellings.keys()].sort((a, b) => b.length - a.length).map(escapedForRegExp);
  const found = new RegExp(longestFirst.join("|") || "(?!)", "g");
  return text.replace(found, (spelling) => `[${spellings.get(spelling)}]`);
}

/** The failure of a request that sends little, as a clear does: its response may repeat what was sent before. */
export const withoutSaved = <Failed extends { readonly platformMessage?: string | undefined }>(
  failure: Failed,
  saved: object,
): Failed => ({
  ...failure,
  platformMessage: failure.platformMessage && withoutSent(failure.platformMessage, textsSent(saved)),
});
