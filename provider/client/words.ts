import { STATUS_CODES } from "node:http";
import { isObject, parseJson } from "../core/common/equality";
import { clean } from "../core/common/redact";
import { textsSent, withoutSent } from "../core/common/sent";
import { shortList } from "../core/messages";
import { decodeLoosely, mediaType, type ParsedBody } from "./body";
import type { HttpResponse } from "./transport";

/** Why the platform refuses, in its own words. The interface specifies one form (7.1); frameworks and gateways write many. */

/** The end of a key that has texts for people, in small letters without `_` and `-`. */
const WORDS_KEY =
  /(?:error|message|msg|detail|description|reason|title|fault|faultstring|issue|violation|constraint|cause|invalidparam|modelstate)s?$/;
/** What an error may repeat of its request, or of its server: never words. */
const REPEATED_KEY =
  /^(?:input|request|payload|headers|params|arguments|rejectedvalue|ctx|stack|stacktrace|trace|links?|help|type)$/;
/** The place of an error that is one of a list. */
const PLACE_KEY = /^(?:loc|field|path|pointer|param|property|instancepath|source|name)$/;

const lettersOf = (key: string): string => key.toLowerCase().replace(/[^a-z]/g, "");

/** Bodies are no deeper; JSON in a text counts as one more level. */
const DEEPEST = 8;

/**
 * The texts of an error. @param isWords is it the value of such a key, or a body without keys? Then a key below it is a field, with what is
 * wrong with it: `{"errors": {"inboundAgents": ["is not valid"]}}`.
 */
function errorTexts(json: unknown, isWords: boolean, depth = 0): string[] {
  if (typeof json === "string") {
    const inner = /^\s*[[{]/.test(json) && depth < DEEPEST ? errorTexts(parseJson(json), false, depth + 1) : [];
    return inner.length > 0 || !isWords ? inner : [json.trim()].filter((text) => text !== "");
  }
  if (Array.isArray(json) && depth < DEEPEST) {
    return json.flatMap((item) => withPlace(item, errorTexts(item, isWords, depth + 1)));
  }
  if (!isObject(json) || depth >= DEEPEST) {
    return [];
  }
  const fields = Object.entries(json).filter(([key]) => !REPEATED_KEY.test(lettersOf(key)));
  const direct = fields.flatMap(([key, value]) =>
    WORDS_KEY.test(lettersOf(key)) ? errorTexts(value, true, depth + 1) : [],
  );
  const below = ([key, value]: [string, unknown]) =>
    errorTexts(value, isWords, depth + 1).map((text) => (isWords ? `${key}: ${text}` : text));
  return direct.length > 0 ? direct : fields.flatMap(below);
}

function withPlace(item: unknown, texts: string[]): string[] {
  const place = errorPlace(item);
  return place === "" || texts.length === 0 ? texts : [`${place}: ${texts.join(": ")}`];
}

function errorPlace(item: unknown): string {
  const places = isObject(item) ? Object.entries(item).filter(([key]) => PLACE_KEY.test(lettersOf(key))) : [];
  const texts = places.map(([, value]) => (isObject(value) ? errorPlace(value) : [value].flat().join(".")));
  return texts.find((text) => text !== "") ?? "";
}

/** What a response says beside its status, if that is all it says: `Bad Request`. */
function telling(texts: readonly string[], status: number): string[] {
  const more = texts.filter((text) => lettersOf(text) !== lettersOf(STATUS_CODES[status] ?? "-"));
  return [...new Set(more.length > 0 ? more : texts)];
}

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

const MOST_TEXTS = 5;
const LONGEST_JSON = 200;
/** More of a text is not looked through. */
const LONGEST_TEXT = 4000;

function fitToShow(text: string, { token, request }: Unshown, longest?: number): string | undefined {
  const sent = textsSent({ ...(parseJson(request.body) as object), ...request.headers });
  return clean(withoutSent(text.slice(0, LONGEST_TEXT), sent), token, longest) || undefined;
}

const shownWords = (texts: readonly string[], { status }: HttpResponse, unshown: Unshown): string | undefined =>
  fitToShow(shortList(telling(texts, status), MOST_TEXTS, "; "), unshown);

/**
 * Why a response refuses, fit to be shown: the texts of its JSON, else its beginning, the text of XML, or plain text. A page of HTML is not
 * quoted, nor a part of a body.
 */
export function wordsOf(reply: HttpResponse, body: ParsedBody, unshown: Unshown): string | undefined {
  if (body.kind === "json") {
    const [json, texts] = [JSON.stringify(body.value), errorTexts(body.value, !isObject(body.value))];
    const isSilent = ["null", "{}", "[]", '""'].includes(json);
    return texts.length > 0 || isSilent ? shownWords(texts, reply, unshown) : fitToShow(json, unshown, LONGEST_JSON);
  }
  const type = mediaType(reply.headers.contentType);
  if (body.kind === "empty" || reply.body !== "whole" || type === "text/html") {
    return undefined;
  }
  const text = decodeLoosely(reply.bytes);
  if (body.isPage) {
    const isHtml = /<(?:!doctype )?html/i.test(text);
    return isHtml ? undefined : fitToShow(text.replace(/<[^<>]*>/g, " ").replace(/\s+/g, " "), unshown);
  }
  return /^(?:text\/plain|unknown|.*json)$/.test(type) ? fitToShow(text, unshown) : undefined;
}

/** The words of a 2xx whose body is not that of its operation: no field of a voice or a chat. */
export function wordsOfUnusable(reply: HttpResponse, value: unknown, unshown: Unshown): string | undefined {
  const { error, errors, message } = isObject(value) ? value : { error: undefined, errors: undefined, message: value };
  return shownWords(errorTexts({ error, errors, message }, false), reply, unshown);
}
