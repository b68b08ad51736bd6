import { isObject, parseJson } from "../core/common/equality";
import { clean } from "../core/common/redact";
import { textsSent, withoutSent } from "../core/common/sent";
import { decodeLoosely, mediaType, type ParsedBody } from "./body";
import type { HttpResponse } from "./transport";

/** Why the platform refuses, in its own words. The interface specifies one form of them (7.1). */

/** The texts of the forms `{error}`, `{message}`, `{detail}` and `{errors: []}`, also inside each other. */
function textsOf(json: unknown, depth = 0): string[] {
  if (depth > DEEPEST) {
    return [];
  }
  if (typeof json === "string") {
    return json.trim() === "" ? [] : [json.trim()];
  }
  if (Array.isArray(json)) {
    return json.flatMap((item) => textsOf(item, depth + 1));
  }
  const { error, message, detail, errors } = isObject(json) ? json : ({} as Record<string, unknown>);
  return [error, message, detail, errors].flatMap((value) => textsOf(value, depth + 1));
}

const DEEPEST = 8;

/** The words of gateways about a path that they do not know. */
const ROUTER_WORDS =
  /^(?:404\W*)?(?:(?:page|path|route|endpoint|url|service)\W+)?not\W*found\W*$|\bno (?:matching )?route\b/i;

/** Is it `{error}` as the interface has it, with nothing beside it, and in words that a gateway does not use of an unknown path? */
export const isPlatformError = (json: unknown): boolean =>
  isObject(json) &&
  Object.keys(json).length === 1 &&
  typeof json.error === "string" &&
  json.error !== "" &&
  !ROUTER_WORDS.test(json.error);

/** What must not be shown of a request. */
export interface Unshown {
  readonly token: string;
  readonly request: { readonly body: string; readonly headers?: Readonly<Record<string, string>> | undefined };
}

/** More of a text is not looked through. */
const LONGEST_TEXT = 4000;
const LONGEST_QUOTE = 200;

function fitToShow(text: string, { token, request }: Unshown, longest?: number): string | undefined {
  const sent = textsSent({ ...(parseJson(request.body) as object), ...request.headers });
  return clean(withoutSent(text.slice(0, LONGEST_TEXT), sent), token, longest) || undefined;
}

/** The words of a body, in one of the common forms. Of a 2xx nothing else is shown, because it may hold a chat or a voice. */
export function wordsIn(json: unknown, unshown: Unshown): string | undefined {
  return fitToShow([...new Set(textsOf(json))].join("; "), unshown);
}

/** Why a response refuses, fit to be shown: its words, else its beginning. A page of HTML is not quoted, nor a part of a body. */
export function wordsOf(reply: HttpResponse, body: ParsedBody, unshown: Unshown): string | undefined {
  const words = body.kind === "json" ? wordsIn(body.value, unshown) : undefined;
  const text = decodeLoosely(reply.bytes);
  const isNothing = body.kind === "json" && /^\s*(?:null|\{\s*\}|\[\s*\]|"\s*")\s*$/.test(text);
  const isPage = mediaType(reply.headers.contentType) === "text/html" || /<(?:!doctype )?html/i.test(text);
  return words ?? (isNothing || isPage || reply.body !== "whole" ? undefined : fitToShow(text, unshown, LONGEST_QUOTE));
}
