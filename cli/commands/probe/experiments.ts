import { ourRecord } from "../../../provider/core/change/verify";
import { causeText } from "../../../provider/core/messages";
import type {
  AssignmentAnswer,
  AssignNumberRequest,
  Client,
  Failure,
  NumberAnswer,
  WeightedAgent,
} from "../../../provider/core/platform/operations";
import type { Agent } from "../../../provider/core/routing/split";

/** The PUTs that find out what the interface does not specify (4.1). Each is one question. facts.ts reads the answers. */

export interface Subject {
  readonly number: string;
  /** Two agents that exist, or more. The first is also the outbound one. */
  readonly agents: readonly [Agent, Agent, ...Agent[]];
  readonly scope: Pick<AssignNumberRequest, "accountSid" | "workspaceId">;
}

interface World {
  readonly client: Pick<Client, "assignNumber">;
  /** Tells what is being asked. */
  readonly say: (line: string) => void;
  readonly wait: (ms: number) => Promise<void>;
  readonly isStopped: () => boolean;
}

type Bindings = Pick<AssignNumberRequest, "inboundAgents" | "outboundAgentId" | "outboundAgentVersion">;

/** One question and its answer. */
export interface Answered {
  readonly sent: Bindings;
  readonly isAccepted: boolean;
  readonly status: number | undefined;
  /** What was wrong, in the platform's words. */
  readonly refusal: string | undefined;
  readonly sight: Sight;
  /** How many times it was sent again until a response showed what was sent. */
  readonly repeats: number;
}

type Question =
  | "whole"
  | "fraction"
  | "otherSum"
  | "notWhole"
  | "zero"
  | "three"
  | "unversioned"
  | "outbound"
  | "withoutOutbound"
  | "reversed"
  | "withoutInbound"
  | "null"
  | "empty";

export type Answers = Partial<Record<Question, Answered>>;

export interface Probed {
  readonly answers: Answers;
  readonly puts: number;
  /** Why it ended early. */
  readonly ended: string | undefined;
  /** What is known of the number now. */
  readonly left: "cleared" | "cleared, but not verified" | "not cleared" | "not touched" | "not known";
}

/** The probe ends early: the network, the token or the server has failed, or the operator has stopped it. */
class Ended extends Error {}

/** What ended the work early, if something did. */
const endOf = (work: Promise<void>): Promise<Ended | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof Ended) {
        return error;
      }
      throw error;
    },
  );

const WAITS_MS = [0, 500, 1500];

export async function experiment(plan: Subject, world: World): Promise<Probed> {
  const answers: Answers = {};
  const run = runner(plan, world);
  const ended = await endOf(ask(answers, plan, run));
  return { answers, ended: ended?.message, left: await clearUp(answers, plan, run), puts: run.puts() };
}

type Runner = ReturnType<typeof runner>;

function runner({ number, scope }: Subject, { client, say, wait, isStopped }: World) {
  let puts = 0;
  let lag = 0;
  let mayBeBound = false;
  let lastAccepted: Bindings | undefined;

  async function send(sent: Bindings) {
    puts += 1;
    const outcome = await client.assignNumber({ number, ...scope, ...sent });
    if (outcome.outcome !== "rejected") {
      mayBeBound = true;
    }
    if (outcome.outcome === "unknown") {
      throw new Ended(causeText(outcome.failure));
    }
    return outcome;
  }

  async function once(sent: Bindings): Promise<Omit<Answered, "repeats">> {
    const outcome = await send(sent);
    if (outcome.outcome === "rejected") {
      const { failure } = outcome;
      if (!(await isOfTheRequest(failure))) {
        throw new Ended(causeText(failure));
      }
      const { status } = failure.exchange;
      return { sent, isAccepted: false, status, refusal: causeText(failure), sight: sightOf(number, undefined) };
    }
    lastAccepted = sent;
    const { answer, exchange } = outcome;
    return { sent, isAccepted: true, status: exchange.status, refusal: undefined, sight: sightOf(number, answer) };
  }

  /**
   * Does the refusal concern the question? A 401, 403 or 404 may concern the token or the number: then the last accepted PUT fails as well.
   */
  async function isOfTheRequest({ cause, exchange }: Failure): Promise<boolean> {
    if (exchange.status === undefined) {
      return false;
    }
    if (cause === "refused") {
      return true;
    }
    const isDoubtful = cause === "unauthenticated" || cause === "forbidden" || cause === "notFound";
    return isDoubtful && lastAccepted !== undefined && (await send(lastAccepted)).outcome === "applied";
  }

  /** The first stale response tells how often each later request is sent again before its response counts (assumption 37). */
  async function retryStale(sent: Bindings): Promise<Answered> {
    const asked = sent.inboundAgents ?? [];
    let put = await once(sent);
    let repeats = 0;
    while (put.isAccepted && repeats < WAITS_MS.length && (repeats < lag || !showsInbound(put.sight, asked))) {
      await wait(WAITS_MS[repeats] ?? 0);
      repeats += 1;
      put = await once(sent);
    }
    if (put.isAccepted && asked.length > 0 && showsInbound(put.sight, asked)) {
      lag = Math.max(lag, repeats);
    }
    return { ...put, repeats };
  }

  return {
    async put(question: string, sent: Bindings): Promise<Answered> {
      if (isStopped()) {
        throw new Ended("stopped by you");
      }
      say(question);
      return retryStale(sent);
    },
    /** Clears the number, also after the operator has stopped the probe. */
    async clear(sent: Bindings): Promise<Answered> {
      say("clearing the number");
      return retryStale(sent);
    },
    puts: () => puts,
    mayBeBound: () => mayBeBound,
  };
}

async function ask(answers: Answers, plan: Subject, { put }: Runner): Promise<void> {
  const [a, b, c] = plan.agents;
  const outbound = { outboundAgentId: a.agentId, outboundAgentVersion: a.agentVersion };
  const inbound = (...entries: (readonly [Agent, number])[]) => ({
    inboundAgents: entries.map(([agent, weight]) => ({ ...agent, weight })),
  });

  answers.whole = await put("weights 70 and 30", inbound([a, 70], [b, 30]));
  answers.fraction = await put("weights 0.7 and 0.3", inbound([a, 0.7], [b, 0.3]));
  answers.otherSum = await put("weights 7 and 3", inbound([b, 7], [a, 3]));
  answers.notWhole = await put("weights 66.5 and 33.5", inbound([b, 66.5], [a, 33.5]));
  const [full] = acceptedSums(answers);
  if (full === undefined) {
    throw new Ended(answers.whole.refusal ?? "no split is accepted");
  }

  answers.zero = await put("an agent with weight 0", inbound([a, full], [b, 0]));
  if (c !== undefined) {
    answers.three = await put("three agents", inbound([a, full / 2], [b, full / 4], [c, full / 4]));
  }
  if (a.agentVersion !== undefined) {
    answers.unversioned = await put("an agent without a version", inbound([{ agentId: a.agentId }, full]));
  }
  const both = { ...inbound([b, full]), ...outbound };
  answers.outbound = await put("an outbound agent", both);
  answers.withoutOutbound = await put("the outbound agent left out", inbound([b, full]));
  answers.reversed = await put("both, in another order", {
    ...inbound([b, full * 0.4], [a, full * 0.6]),
    ...outbound,
  });
  answers.withoutInbound = await put("the inbound agents left out", outbound);
  await put("both again", both);
  answers.null = await put("null in both places", NOTHING.null);
  await put("both again", both);
  answers.empty = await put('[] and ""', NOTHING.empty);
}

/** The sums of weights that the platform accepted. */
export function acceptedSums({ whole, fraction, otherSum }: Answers): number[] {
  const tried = [
    [100, whole],
    [1, fraction],
    [10, otherSum],
  ] as const;
  return tried.flatMap(([sum, put]) => (put?.isAccepted ? [sum] : []));
}

const NOTHING = {
  null: { inboundAgents: null, outboundAgentId: null, outboundAgentVersion: null },
  empty: { inboundAgents: [] as WeightedAgent[], outboundAgentId: "" },
  omit: {},
} satisfies Record<string, Bindings>;

/** Every way of clearing in turn, until a response shows that nothing is bound. */
async function clearUp(answers: Answers, plan: Subject, run: Runner): Promise<Probed["left"]> {
  if (!run.mayBeBound()) {
    return "not touched";
  }
  let left: Probed["left"] = "not known";
  const clearing = async () => {
    for (const way of ["null", "empty", "omit"] as const) {
      const put = left === "cleared" ? undefined : await run.clear(NOTHING[way]);
      left = put?.isAccepted ? leftAfter(put, answers, plan) : left;
    }
  };
  return (await endOf(clearing())) === undefined ? left : "not known";
}

function leftAfter({ sight }: Answered, answers: Answers, plan: Subject): Probed["left"] {
  const ids = inboundIds(sight);
  const wasShown = Object.values(answers).some((put) => (inboundIds(put.sight) ?? []).length > 0);
  const isBound = (shown: readonly string[]) => plan.agents.some(({ agentId }) => shown.includes(agentId));
  if (isBound(ids ?? []) || isBound(outboundIds(sight))) {
    return "not cleared";
  }
  return ids === undefined && !(wasShown && sight.response !== undefined) ? "cleared, but not verified" : "cleared";
}

/** A default agent may stay when nothing is bound any more (assumption 38). */
const outboundIds = (sight: Sight): string[] =>
  MIRRORS.filter(({ field }) => field !== DEFAULT_AGENT).flatMap(({ ids }) => ids(sight));

// --- what a response shows

/** What a response shows about the number, without any assumption about the meaning of its fields. */
export type Sight = ReturnType<typeof sightOf>;

function sightOf(number: string, response: NumberAnswer | undefined) {
  const record = ourRecord(number, response?.numbers ?? []);
  const views: AssignmentAnswer[] = [record, response?.assignment ?? undefined].filter((view) => view !== undefined);
  return {
    response,
    record,
    /** The record's, else the assignment's. */
    inbound: views.map((view) => view.inboundAgents).find((value) => value !== undefined),
    inboundId: views.map((view) => view.inboundAgentId).find((value) => value !== undefined),
  };
}

const idsOf = (value: string | null | undefined | readonly WeightedAgent[]): string[] => {
  if (typeof value === "string") {
    return value === "" ? [] : [value];
  }
  return (value ?? []).map(({ agentId }) => agentId);
};

export const DEFAULT_AGENT = "record default_agent_id";

/** The fields of a response that may name the outbound agent (interface 2.2, 2.3). */
export const MIRRORS = [
  { field: "record agent_id", ids: ({ record }: Sight) => idsOf(record?.agentId) },
  { field: "record outbound_agents", ids: ({ record }: Sight) => idsOf(record?.outboundAgents) },
  { field: DEFAULT_AGENT, ids: ({ record }: Sight) => idsOf(record?.defaultAgentId) },
  { field: "assignment agent_id", ids: ({ response }: Sight) => idsOf(response?.assignment?.agentId) },
  { field: "assignment outbound_agents", ids: ({ response }: Sight) => idsOf(response?.assignment?.outboundAgents) },
];

/** The ids of the agents that the response shows as inbound; undefined if it has no such field. */
export function inboundIds({ inbound, inboundId }: Sight): readonly string[] | undefined {
  return inbound === undefined && inboundId === undefined
    ? undefined
    : idsOf(inbound === undefined ? inboundId : inbound);
}

/** Does the response show the agents that were sent? Versions are not compared. */
function showsInbound(sight: Sight, asked: readonly WeightedAgent[]): boolean {
  if (asked.length === 0) {
    return true;
  }
  const { inbound, inboundId } = sight;
  if (inbound === undefined) {
    return inboundId === undefined || asked.some(({ agentId }) => agentId === inboundId);
  }
  const shown = idsOf(inbound);
  return asked.every(({ agentId, weight }) => weight === 0 || shown.includes(agentId)) && shown.length <= asked.length;
}
