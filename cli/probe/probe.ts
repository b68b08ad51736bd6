import type { ProfileChoice } from "../../emulator";
import { parseBody } from "../../provider/api/body";
import type { Api } from "../../provider/api/exchange";
import type { Failure } from "../../provider/api/failure";
import { parseJson } from "../../provider/base/json";
import type { HttpReply, HttpRequest, World } from "../../provider/base/world";
import type { Settings } from "../../provider/config/settings";
import { systemWorld } from "../../provider/engine/world";
import { verify } from "../../provider/numbers/verify";
import type { Assignment, Routing } from "../../provider/routing/routing";
import { Run } from "../../provider/run/run";
import { present } from "../lists";
import {
  type AnswerRule,
  type Answers,
  type ClearedField,
  clearingProfile,
  formsFor,
  fullRouting,
  type Meaning,
  type ProbedSettings,
  QUESTIONS,
  type Question,
  type Reply,
  type Subject,
  type Way,
  wayToClear,
} from "./questions";

/**
 * Runs the probe: asks its questions one at a time, through the provider's own client, and always clears the probed
 * number at the end.
 */

/** A request with all responses to it. There are several if the client retried the request. */
export interface Exchange {
  readonly method: string;
  /** The path in the request's URL, with special characters percent-encoded. */
  readonly path: string;
  readonly body: unknown;
  readonly attempts: readonly Attempt[];
}

export interface Attempt {
  /** The HTTP status of the response. Undefined if no response arrived. */
  readonly status: number | undefined;
  /** The parsed body, with the token removed. Undefined if there is no body or it isn't JSON. */
  readonly json: unknown;
}

export interface Answer {
  readonly name: string;
  readonly row: number;
  readonly answer: string;
  readonly meaning: Meaning;
}

/** A question that was asked, with its answer and any further answers from the same response. */
export interface Step {
  readonly asked: string;
  readonly exchange: Exchange;
  readonly reply: Reply;
  readonly answers: readonly [Answer, ...Answer[]];
}

/**
 * The number's state at the end of the probe. `accepted` means that the platform accepted the clearing request, but its
 * response doesn't prove that the agents are gone.
 */
export interface End {
  readonly number: "cleared" | "accepted" | "unchanged" | "not cleared";
  /**
   * The fields that may still have an agent. `failure` is undefined if the platform accepted the last request but kept
   * the agent, or if the platform had already refused every way to clear the field.
   */
  readonly left: readonly { readonly field: ClearedField; readonly failure: Failure | undefined }[];
}

/** The failure at which the probe stopped. */
export interface FailedRequest {
  readonly failure: Failure;
  /**
   * Whether the platform refused the request because of its outbound agent. The probe concludes this if the platform
   * accepted the same inbound agents in an earlier request.
   */
  readonly isOutboundRefused: boolean;
}

export interface Probed {
  readonly steps: readonly Step[];
  /**
   * The other requests: those that prepare the number for a question, those that clear it at the end, and the one at
   * which the probe stopped early.
   */
  readonly others: readonly Exchange[];
  readonly settings: ProbedSettings;
  readonly contradictions: readonly string[];
  readonly profile: ProfileChoice;
  /**
   * Why the probe stopped early: the user pressed Ctrl-C, or a request failed without answering a question. Also
   * undefined if an answer ended the probe (see `Meaning.stops`).
   */
  readonly stopped: "interrupted" | FailedRequest | undefined;
  readonly end: End;
}

export interface Options {
  readonly subject: Subject;
  readonly settings: Settings;
  /**
   * The clock and the network that the probe uses.
   * @default those of this machine
   */
  readonly world?: World;
  /** If this signal is aborted, the probe asks no further questions, but still clears the number. */
  readonly signal?: AbortSignal;
  /** Called after each question with its answers. */
  readonly onStep?: (step: Step) => void;
}

export async function probe(options: Options): Promise<Probed> {
  const session = new Session(options);
  let stopped: Probed["stopped"];
  let end: End | undefined;
  try {
    stopped = await session.ask();
  } finally {
    end = await session.clear();
  }
  const { steps, others, answers } = session;
  const meanings = steps.flatMap((step) => step.answers.map(({ meaning }) => meaning));
  const way = wayToClear(answers);
  const isComplete = stopped === undefined && !meanings.some(({ stops }) => stops);
  return {
    steps,
    others,
    settings: {
      ...(way !== undefined && way !== "default" && { clearWith: way }),
      ...Object.assign({}, ...meanings.map(({ settings }) => settings)),
    },
    contradictions: [
      ...meanings.flatMap(({ contradicts, says }) => (contradicts && says !== undefined ? [says] : [])),
      ...(isComplete && way === undefined ? [CANNOT_CLEAR] : []),
    ],
    profile: { ...Object.assign({}, ...meanings.map(({ profile }) => profile)), ...clearingProfile(answers) },
    stopped,
    end,
  };
}

/**
 * Runs a probe that sends nothing, to find out which requests it would send. Each request gets an empty success
 * response, as from a platform that accepts everything.
 */
export function dryRun({ subject, settings }: Pick<Options, "subject" | "settings">): Promise<Probed> {
  const reply: HttpReply = {
    came: "response",
    status: 204,
    headers: {
      retryAfter: undefined,
      date: undefined,
      location: undefined,
      contentType: undefined,
      requestId: undefined,
    },
    bytes: new Uint8Array(),
    body: "whole",
  };
  const world = { ...systemWorld, openTransport: () => async () => reply };
  return probe({ subject, settings: { ...settings, accessToken: "no-token-is-sent" }, world });
}

/**
 * While the client waits, for example before a retry, the probe checks at this interval whether the user pressed
 * Ctrl-C.
 */
const ABORT_CHECK_MS = 250;

const CANNOT_CLEAR =
  "no value of agent-platform:clearWith clears both the inbound agents and the outbound agent. Deleting a number from a stack would fail (AGP-052), and the number would keep its agents.";

class Session {
  readonly steps: Step[] = [];
  readonly others: Exchange[] = [];
  answers: Answers = {};
  readonly #options: Options;
  /** A client for each value of the `clearWith` setting, because a client reads that setting only once. */
  readonly #apis = new Map<Way, Api>();
  #attempts: { readonly request: HttpRequest; readonly reply: HttpReply }[] = [];
  /** The fields of the number that currently have a value, as far as the responses show. */
  #setFields: ReadonlySet<ClearedField> = new Set();
  /** Whether a request may have changed the number. If so, the probe has to clear the number before it ends. */
  #isTouched = false;
  #hasAccepted = false;
  #isEnding = false;

  constructor(options: Options) {
    this.#options = options;
  }

  async ask(): Promise<Probed["stopped"]> {
    for (const [name, question] of Object.entries(QUESTIONS)) {
      if (question.when?.(this.answers) === false) {
        continue;
      }
      const stopped = (await this.#prepare(question)) ?? (await this.#askQuestion(name, question));
      if (stopped !== undefined) {
        return stopped;
      }
      if (this.steps.at(-1)?.answers.some(({ meaning }) => meaning.stops)) {
        return undefined;
      }
    }
    return undefined;
  }

  /**
   * If the question tests whether a request clears a field, assigns agents first, unless the number already has them.
   */
  async #prepare({ clears }: Question): Promise<Probed["stopped"]> {
    // A request that clears the inbound agents also sends the outbound agent, which has to stay. So the number needs
    // both beforehand.
    const needed = clears?.field === "inboundAgents" ? CLEARED_FIELDS : present([clears?.field]);
    if (needed.every((field) => this.#setFields.has(field))) {
      return undefined;
    }
    const { failure, exchange } = await this.#send(fullRouting(this.#options.subject, this.answers), {}, "default");
    this.others.push(exchange);
    if (failure === undefined) {
      this.#setFields = new Set(CLEARED_FIELDS);
      return this.#stopOf(failure);
    }
    // If the platform refused the request, the outbound agent must be the cause (see `isOutboundRefused`). Stop,
    // because without this agent, later questions about clearing a field would get wrong answers.
    return this.#stopOf(failure) ?? { failure, isOutboundRefused: true };
  }

  async #askQuestion(name: string, question: Question): Promise<Probed["stopped"]> {
    const { subject, onStep } = this.#options;
    const { clears } = question;
    const asked = question.asks(subject, this.answers);
    const assigned = question.assigns(subject, this.answers);
    const mayHave = clears === undefined ? {} : fieldOf(fullRouting(subject, this.answers), clears.field);
    const { failure, reply, exchange } = await this.#send(assigned, mayHave, clears?.form ?? "default");
    const stopped = this.#stopOf(failure);
    if (stopped !== undefined) {
      this.others.push(exchange);
      return stopped;
    }
    const first = this.#read(name, question, reply);
    const also = reply.refusal === undefined ? Object.entries(question.also ?? {}) : [];
    const step: Step = {
      asked,
      exchange,
      reply,
      answers: [first, ...also.map(([extraName, reading]) => this.#read(extraName, reading, reply))],
    };
    this.#noteFields(assigned, question, reply);
    this.steps.push(step);
    onStep?.(step);
    return undefined;
  }

  #read(name: string, { row, judge, means }: AnswerRule, reply: Reply): Answer {
    const answer = judge(reply, this.answers);
    this.answers = { ...this.answers, [name]: answer };
    return { name, row, answer, meaning: means[answer] ?? {} };
  }

  #noteFields(assigned: Routing, { clears }: Question, { refusal, verdict }: Reply): void {
    if (refusal !== undefined) {
      return;
    }
    const assignedFields = CLEARED_FIELDS.filter((field) => assigned[field] !== undefined);
    const kept = this.answers.omitted === "cleared" ? [] : [...this.#setFields];
    const isCleared = clears !== undefined && !verdict?.notCleared.includes(clears.field);
    this.#setFields = new Set([...kept, ...assignedFields].filter((field) => !isCleared || field !== clears.field));
  }

  /**
   * Clears the inbound agents and the outbound agent in one request, if the probe knows a way to do that. Otherwise, or
   * if an agent is left, clears them one after the other.
   */
  async clear(): Promise<End> {
    if (!this.#isTouched) {
      return { number: "unchanged", left: [] };
    }
    this.#isEnding = true;
    const full = fullRouting(this.#options.subject, this.answers);
    const knownWay = wayToClear(this.answers);
    let cleared = knownWay === undefined ? undefined : await this.#clearBy(full, [knownWay]);
    if (cleared !== undefined && (cleared.number !== "left" || cleared.isFinal)) {
      return endOf(CLEARED_FIELDS.map((field) => [field, cleared as Cleared] as const));
    }
    const ends: (readonly [ClearedField, Cleared])[] = [];
    for (const field of CLEARED_FIELDS) {
      cleared = cleared?.isFinal ? cleared : await this.#clearBy(fieldOf(full, field), formsFor(field, this.answers));
      ends.push([field, cleared]);
    }
    return endOf(ends);
  }

  async #clearBy(fields: Routing, ways: readonly Way[]): Promise<Cleared> {
    let last: Failure | undefined;
    for (const way of ways) {
      const { failure, reply, exchange } = await this.#send({}, fields, way);
      this.others.push(exchange);
      last = failure;
      if (failure !== undefined && !isJudged(failure, this.#hasAccepted)) {
        return { number: "left", failure, isFinal: true };
      }
      if (reply.verdict !== undefined && reply.verdict.notCleared.length === 0) {
        return { number: reply.verdict.proof === "proven" ? "cleared" : "accepted" };
      }
    }
    return { number: "left", failure: last };
  }

  /**
   * Returns why the probe has to stop, or undefined if it can go on. It goes on after a refusal, because that is an
   * answer (see `isJudged`).
   */
  #stopOf(failure: Failure | undefined): Probed["stopped"] {
    if (this.#options.signal?.aborted) {
      return "interrupted";
    }
    return failure === undefined || isJudged(failure, this.#hasAccepted)
      ? undefined
      : { failure, isOutboundRefused: false };
  }

  async #send(assigned: Routing, cleared: Routing, way: Way) {
    const { subject } = this.#options;
    const { number, workspaceId } = subject;
    const scope = workspaceId === undefined ? {} : { workspaceId };
    const assignment: Assignment = { number, routing: { ...scope, ...assigned }, mayHave: [cleared] };
    this.#attempts = [];
    const outcome = await this.#apiFor(way).assignNumber(assignment);
    const { failure } = outcome;
    this.#hasAccepted ||= failure === undefined;
    this.#isTouched ||= failure === undefined || failure.outcome === "unknown";
    const exchange = this.#exchangeOf(assignment);
    const reply: Reply = {
      number,
      asked: assignment.routing,
      status: failure === undefined ? outcome.status : failure.exchange.status,
      refusal: failure && (failure.platformMessage ?? failure.detail),
      response: failure === undefined ? (outcome.response ?? {}) : {},
      verdict: failure === undefined ? verify(assignment, outcome.response ?? {}, outcome.status) : undefined,
      json: exchange.attempts.at(-1)?.json,
    };
    return { failure, reply, exchange };
  }

  #apiFor(way: Way): Api {
    const { settings, world = systemWorld } = this.#options;
    const api =
      this.#apis.get(way) ??
      new Run({ ...settings, clearWith: way === "default" ? undefined : way }, this.#recording(world)).api();
    this.#apis.set(way, api);
    return api;
  }

  /**
   * Records every attempt to send a request. After Ctrl-C, ends waits early and sends nothing, so that the current
   * request ends soon.
   */
  #recording(world: World): World {
    // The requests that clear the number are sent even after Ctrl-C.
    const isStopped = () => this.#options.signal?.aborted === true && !this.#isEnding;
    // When a wait is cut short, advance the clock by the rest of the wait, because the client reads the clock to see
    // whether the wait is over.
    let skippedMs = 0;
    const delay = async (milliseconds: number) => {
      let remaining = milliseconds;
      for (; remaining > 0 && !isStopped(); remaining -= ABORT_CHECK_MS) {
        await world.clock.delay(Math.min(remaining, ABORT_CHECK_MS));
      }
      skippedMs += Math.max(0, remaining);
    };
    return {
      ...world,
      clock: { ...world.clock, now: () => world.clock.now() + skippedMs, delay },
      openTransport: (...given) => {
        const send = world.openTransport(...given);
        return async (request, timeoutMs) => {
          const reply: HttpReply = isStopped()
            ? { came: "nothing", reached: "nowhere", timedOut: false, code: "INTERRUPTED" }
            : await send(request, timeoutMs);
          this.#attempts.push({ request, reply });
          return reply;
        };
      },
    };
  }

  #exchangeOf({ number }: Assignment): Exchange {
    const [first] = this.#attempts;
    const { accessToken = "" } = this.#options.settings;
    return {
      method: first?.request.method ?? "PUT",
      path: first === undefined ? `/api/numbers/${encodeURIComponent(number)}/agent` : first.request.url.pathname,
      body: parseJson(first?.request.body ?? ""),
      attempts: this.#attempts.map(({ reply }) => attemptOf(reply, accessToken)),
    };
  }
}

function attemptOf(reply: HttpReply, token: string): Attempt {
  if (reply.came === "nothing") {
    return { status: undefined, json: undefined };
  }
  const body = parseBody(reply.bytes, reply.headers.contentType, token);
  return { status: reply.status, json: body.form === "json" ? body.value : undefined };
}

/** The result of clearing one or both fields. */
interface Cleared {
  readonly number: "cleared" | "accepted" | "left";
  readonly failure?: Failure | undefined;
  /** Set if no other way to clear the field would work either, for example because the connection was lost. */
  readonly isFinal?: true;
}

const CLEARED_FIELDS = ["inboundAgents", "outboundAgentId"] as const;

function endOf(fields: readonly (readonly [ClearedField, Cleared])[]): End {
  const left = fields.flatMap(([field, { number, failure }]) => (number === "left" ? [{ field, failure }] : []));
  const isProven = fields.every(([, { number }]) => number === "cleared");
  const end = isProven ? "cleared" : "accepted";
  return { number: left.length > 0 ? "not cleared" : end, left };
}

/**
 * Whether a failure shows how the platform treats such requests. A server error does only if an earlier request was
 * accepted. Otherwise, the platform may just be down.
 */
const isJudged = ({ cause }: Failure, hasAccepted: boolean): boolean =>
  cause === "refused" || cause === "notFound" || (cause === "serverError" && hasAccepted);

/** Returns only the part of the routing for this field: the inbound agents, or the outbound agent with its version. */
const fieldOf = ({ inboundAgents, ...outbound }: Routing, field: ClearedField): Routing =>
  field === "inboundAgents" ? { inboundAgents } : outbound;
