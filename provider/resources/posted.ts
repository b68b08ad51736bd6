import type * as z from "zod";
import type { Code } from "../core/codes";
import { endpointOf } from "../core/endpoint";
import { defined, same } from "../core/equality";
import { judgeFreeze } from "../core/guards";
import * as messages from "../core/messages";
import type { Client, Outcome } from "../core/operations";
import { type PostedState, planPosted, RECORDED, REPLACES, type UnresolvedArgs } from "../core/plan";
import { integer, isUnknown, optional, type Problem, plainText, secretArguments, validate } from "../core/schemas";
import type { Settings } from "../core/settings";
import { type Lifecycle, type Props, ResourceError, SavedError, type Session } from "./lifecycle";
import { contextOf, readSaved, refuseFrozen } from "./refusals";

/**
 * What a voice and a chat do alike. A POST whose outcome nobody knows is saved as such and never sent again by itself; the operator
 * resolves it with `adopt` or `retryUnresolved`. Both ask for a replacement, because only a create can give the engine a new id.
 */

export interface PostedInputs extends UnresolvedArgs {
  readonly workspaceId: number;
  /** Arguments whose values are secret, so that no message shows one. */
  readonly secretArguments?: readonly string[] | undefined;
}

/** The inputs, and what the platform answered, but for what the inputs say under the same name. */
export type Posted<Inputs, Answer> = Inputs &
  PostedState &
  Partial<{ readonly [Key in Exclude<keyof Answer, keyof Inputs>]: Exclude<Answer[Key], null> }>;

/** The arguments that both take. */
export const postedShape = {
  workspaceId: optional(integer),
  retryUnresolved: optional(plainText),
  secretArguments: optional(secretArguments),
};

/** What differs. */
interface PostedKind<Inputs extends PostedInputs, Answer extends object> {
  readonly kind: "CommunityVoice" | "SmsChat";
  readonly noun: "voice" | "chat";
  readonly idName: keyof Answer & string;
  readonly schema: z.ZodObject<typeof postedShape> &
    z.ZodType<Omit<Inputs, "workspaceId"> & { workspaceId?: number | undefined }>;
  who(inputs: Inputs): string;
  problems?(inputs: Inputs, settings: Settings): Problem[];
  /** What the program holds on to by the id that it adopts, as `Checked.declares` has it. */
  readonly key?: (id: string) => string;
  post(client: Client, inputs: Inputs): Promise<Outcome<Answer>>;
  /** Of an unknown outcome. */
  readonly code: Code;
  /** What is true once the platform has refused. */
  readonly refused: string;
  /** Deletes what certainly was posted. */
  remove(id: string, state: Posted<Inputs, Answer>, session: Session): Promise<void>;
}

export function postedLifecycle<Inputs extends PostedInputs, Answer extends object>(
  it: PostedKind<Inputs, Answer>,
): Lifecycle<Inputs, Posted<Inputs, Answer>> {
  type State = Posted<Inputs, Answer>;
  const where = ({ workspaceId }: Inputs): string => `workspace ${workspaceId}`;
  const stillUnresolved = (id: string, state: State): messages.Message =>
    messages.stillUnresolved(it.noun, it.who(state), where(state), id);

  return {
    kind: it.kind,
    schema: it.schema,
    who: it.who,
    readState: (saved, id) => readSaved<State>(it.kind, saved, id),

    check(olds, news, settings) {
      const { value, problems } = validate(it.schema, news);
      const failures = problems.map((problem) => messages.invalid(problem));
      const nothing = { warnings: [], violations: [], declares: [] };
      if (value === undefined) {
        return { inputs: { ...news } as unknown as Inputs, failures, ...nothing };
      }
      const workspaceId = value.workspaceId ?? settings.workspaceId;
      if (workspaceId === undefined) {
        failures.push(messages.workspaceMissing());
      }
      const inputs = defined({ ...value, workspaceId }) as Inputs;
      // Two answers to one question: which is meant, nobody can know.
      if (inputs.adopt !== undefined && inputs.retryUnresolved !== undefined) {
        failures.push(messages.twoAnswers());
      }
      failures.push(...(it.problems?.(inputs, settings) ?? []).map((problem) => messages.invalid(problem, "AGP-004")));
      const violations = olds === undefined && inputs.adopt === undefined ? judgeFreeze(settings) : [];
      const declares = it.key === undefined ? [] : adoptedBy(olds, inputs, REPLACES[it.kind]).map(it.key);
      return { inputs, failures, ...nothing, violations, declares };
    },

    diff(id, olds, news, settings) {
      const plan = planPosted(it.kind, id, olds, news, settings);
      if (!olds.unresolved) {
        // A replacement ends the old chat, and another platform cannot.
        if (plan.ends && olds.endpoint !== settings.endpoint) {
          throw new ResourceError(messages.endpointDiffersAtReplace(it.who(olds), olds.endpoint, settings.endpoint));
        }
        refuseOwnId(id, news, plan.replaces, it.who(olds));
      }
      return plan;
    },

    /** One line where nothing is sent although it may look so, or while it is unresolved. */
    explain: (id, olds, _news, { reasons }) =>
      reasons.map((reason) =>
        messages.isTold(reason) ? messages.reasonMessage(it.who(olds), reason, false) : stillUnresolved(id, olds),
      ),

    /** What is posted is POSTed here and nowhere else. */
    async create(inputs, session) {
      const endpoint = endpointOf(session.settings);
      const { adopt } = inputs;
      if (adopt !== undefined) {
        return { id: adopt, state: { ...inputs, [it.idName]: adopt, ...endpoint } as State };
      }
      const who = it.who(inputs);
      refuseFrozen(who, session);
      const outcome = await it.post(session.client(), inputs);
      const context = { ...contextOf(inputs.workspaceId, session), who, action: "create" };
      if (outcome.outcome === "rejected") {
        throw new ResourceError(messages.rejected(outcome.failure, { ...context, truth: it.refused }));
      }
      if (outcome.outcome === "unknown") {
        const id = session.newId("unresolved");
        const truth = messages.unresolved(it.noun, who, where(inputs), id);
        const message = messages.unknownOutcome(it.code, outcome.failure, { ...context, truth });
        throw new SavedError(message, id, { ...inputs, ...endpoint, unresolved: true });
      }
      if (outcome.issues.length > 0) {
        session.warn(messages.answerIssues(who, outcome.issues));
      }
      const answer = outcome.answer as Answer;
      const id = String(answer[it.idName]);
      // A platform may go on with the chat that this one replaces: then no delete of this run ends it.
      if (it.key !== undefined) {
        session.declared.declareAll([it.key(id)]);
      }
      return { id, state: { ...inputs, ...outputsOf(answer, it.schema.shape), ...endpoint } as State };
    },

    /** Nothing is sent: the API can change neither. */
    async update(id, olds, news, session) {
      if (!olds.unresolved) {
        const fields = RECORDED[it.kind].map((field) => [field, Reflect.get(news, field)]);
        return defined({ ...olds, ...Object.fromEntries(fields) });
      }
      session.warn(stillUnresolved(id, olds));
      return olds;
    },

    /** What nobody knows to exist is only forgotten; without a word, where its replacement has resolved it. */
    async delete(id, state, session) {
      if (!state.unresolved) {
        await it.remove(id, state, session);
      } else if (!session.memory.resolvedIds.has(id)) {
        session.warn(messages.unresolvedForgotten(it.noun, it.who(state), where(state)));
      }
    },
  };
}

/** What goes on with these inputs: what they adopt, and what they adopted at create, as long as nothing replaces it. */
function adoptedBy(olds: Props | undefined, news: PostedInputs, replacing: readonly string[]): string[] {
  const isReplaced = replacing.some((field) => !same(olds?.[field], Reflect.get(news, field)));
  const ids = [news.adopt, isReplaced ? undefined : olds?.adopt];
  return ids.filter((id): id is string => typeof id === "string" && !isUnknown(id));
}

/** A replacement that adopts the very id that it replaces sends nothing, and goes on with a chat that it has just ended. */
function refuseOwnId(id: string, news: PostedInputs, replaces: readonly string[], who: string): void {
  // A value that is not known yet may turn out to be the same.
  const changed = replaces.filter((field) => !isUnknown(Reflect.get(news, field)));
  if (news.adopt === id && changed.length > 0) {
    throw new ResourceError(messages.adoptsItself(who, changed, id));
  }
}

const outputsOf = (answer: object, shape: object): object =>
  Object.fromEntries(
    Object.entries(answer).filter(([name, value]) => !(name in shape) && value !== null && value !== undefined),
  );
