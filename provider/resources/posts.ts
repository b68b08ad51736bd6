import * as z from "zod";
import type { Code } from "../core/codes";
import { endpointOf } from "../core/endpoint";
import { defined, same } from "../core/equality";
import { judgeFreeze } from "../core/guards";
import { resourceLabel, shownShort } from "../core/label";
import * as messages from "../core/messages";
import type { Client, Outcome } from "../core/operations";
import { type PostState, planPost, RECORDED, REPLACES, type UnresolvedArgs } from "../core/plan";
import { integer, isUnknown, optional, type Problem, plainText, secretArguments, validate } from "../core/schemas";
import type { Settings } from "../core/settings";
import { URN } from "../core/urn";
import { type Lifecycle, type Props, ResourceError, SavedError, type Session } from "./lifecycle";
import { contextOf, readSaved, refuseFrozen } from "./refusals";

/**
 * The common lifecycle of a voice and a chat. If the outcome of a POST is unknown, the resource is saved as unresolved, and the POST is never
 * sent again by itself. The operator resolves it with `adopt` or `retryUnresolved`. Both replace the resource, because only a create can
 * give the engine a new id.
 */

export interface PostInputs extends UnresolvedArgs {
  readonly workspaceId: number;
  /** Arguments whose values are secret, so that no message shows one. */
  readonly secretArguments?: readonly string[] | undefined;
  readonly [URN]?: string | undefined;
}

/** The inputs, and the fields of the response that no input has the name of. */
export type SavedPost<Inputs, Answer> = Inputs &
  PostState &
  Partial<{ readonly [Key in Exclude<keyof Answer, keyof Inputs>]: Exclude<Answer[Key], null> }>;

/** The arguments that both take. */
export const postShape = {
  workspaceId: optional(integer),
  retryUnresolved: optional(plainText),
  secretArguments: optional(secretArguments),
  [URN]: optional(z.string()),
};

/** By what people find one on the platform. */
export interface Known<Inputs> {
  readonly noun: "voice" | "chat";
  readonly knownBy: { readonly argument: keyof Inputs & string; readonly phrase: (value: string) => string };
}

/** `chat to +15557654321`, or the noun alone if that is secret. */
export function phraseOf<Inputs extends PostInputs>({ noun, knownBy }: Known<Inputs>, inputs: Inputs): string {
  const { argument, phrase } = knownBy;
  const isHidden = inputs.secretArguments?.includes(argument) === true;
  return isHidden ? noun : phrase(shownShort(String(inputs[argument])));
}

/** What differs between the two. */
interface PostKind<Inputs extends PostInputs, Answer extends object> extends Known<Inputs> {
  readonly kind: "CommunityVoice" | "SmsChat";
  readonly idName: keyof Answer & string;
  readonly schema: z.ZodObject<typeof postShape> &
    z.ZodType<Omit<Inputs, "workspaceId"> & { workspaceId?: number | undefined }>;
  problems?(inputs: Inputs, settings: Settings): Problem[];
  /** The key under which the program declares the id that it adopts (`Checked.declares`). */
  readonly key?: (id: string) => string;
  post(client: Client, inputs: Inputs): Promise<Outcome<Answer>>;
  /** The code of an unknown outcome. */
  readonly code: Code;
  /** What is true after the platform has refused. */
  readonly refused: string;
  /** Deletes a resource whose POST certainly succeeded. */
  remove(id: string, state: SavedPost<Inputs, Answer>, session: Session): Promise<void>;
}

export function postLifecycle<Inputs extends PostInputs, Answer extends object>(
  it: PostKind<Inputs, Answer>,
): Lifecycle<Inputs, SavedPost<Inputs, Answer>> {
  type State = SavedPost<Inputs, Answer>;
  const label = (inputs: Inputs): string => resourceLabel(it.kind, inputs);
  const inDoubt = (inputs: Inputs): messages.InDoubt => ({
    noun: it.noun,
    what: phraseOf(it, inputs),
    where: `workspace ${inputs.workspaceId}`,
  });
  const stillUnresolved = (id: string, state: State, news: Inputs): messages.Message =>
    messages.stillUnresolved(inDoubt(state), label(news), id);

  return {
    kind: it.kind,
    schema: it.schema,
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
      // The two contradict each other: the provider cannot know which one is meant.
      if (inputs.adopt !== undefined && inputs.retryUnresolved !== undefined) {
        failures.push(messages.twoAnswers());
      }
      failures.push(...(it.problems?.(inputs, settings) ?? []).map((problem) => messages.invalid(problem, "AGP-004")));
      const violations = olds === undefined && inputs.adopt === undefined ? judgeFreeze(settings) : [];
      const declares = it.key === undefined ? [] : adoptedBy(olds, inputs, REPLACES[it.kind]).map(it.key);
      return { inputs, failures, ...nothing, violations, declares };
    },

    diff(id, olds, news, settings) {
      const plan = planPost(it.kind, id, olds, news, settings);
      if (!olds.unresolved) {
        // A replacement ends the old chat, and another platform cannot.
        if (plan.ends && olds.endpoint !== settings.endpoint) {
          throw new ResourceError(messages.endpointDiffersAtReplace(label(news), olds.endpoint, settings.endpoint));
        }
        refuseOwnId(id, news, plan.replaces, label(news));
      }
      return plan;
    },

    /** One line if nothing is sent although a reader may expect it, or while the resource is unresolved. */
    explain: (id, olds, news, { reasons }) =>
      reasons.map((reason) =>
        messages.isTold(reason) ? messages.reasonMessage(label(news), reason, false) : stillUnresolved(id, olds, news),
      ),

    /** The only place that sends a POST for a new voice or chat. */
    async create(inputs, session) {
      const endpoint = endpointOf(session.settings);
      const { adopt } = inputs;
      if (adopt !== undefined) {
        return { id: adopt, state: { ...inputs, [it.idName]: adopt, ...endpoint } as State };
      }
      const who = label(inputs);
      refuseFrozen(who, session);
      const outcome = await it.post(session.client(), inputs);
      const context = { ...contextOf(inputs.workspaceId, session), who, action: "create" };
      if (outcome.outcome === "rejected") {
        throw new ResourceError(messages.rejected(outcome.failure, { ...context, truth: it.refused }));
      }
      if (outcome.outcome === "unknown") {
        const id = session.newId("unresolved");
        const truth = messages.unresolved(inDoubt(inputs), who, id);
        const message = messages.unknownOutcome(it.code, outcome.failure, { ...context, truth });
        throw new SavedError(message, id, { ...inputs, ...endpoint, unresolved: true });
      }
      if (outcome.issues.length > 0) {
        session.warn(messages.answerIssues(who, outcome.issues));
      }
      const answer = outcome.answer as Answer;
      const id = String(answer[it.idName]);
      // A platform may go on with the chat that this one replaces: then no delete of this run ends it.
      const { [URN]: urn } = inputs;
      if (it.key !== undefined && urn !== undefined) {
        session.run.declareChat(urn, id);
      }
      return { id, state: { ...inputs, ...outputsOf(answer, it.schema.shape), ...endpoint } as State };
    },

    /** Nothing is sent: the API can change neither. */
    async update(id, olds, news, session) {
      if (!olds.unresolved) {
        const fields = RECORDED[it.kind].map((field) => [field, Reflect.get(news, field)]);
        return defined({ ...olds, [URN]: news[URN], ...Object.fromEntries(fields) });
      }
      session.warn(stillUnresolved(id, olds, news));
      return olds;
    },

    /** An unresolved resource is only removed from the state. There is no warning if its replacement has resolved it. */
    async delete(id, state, session) {
      if (!state.unresolved) {
        await it.remove(id, state, session);
      } else if (!session.run.isReplaced(id)) {
        session.warn(messages.unresolvedForgotten(inDoubt(state), label(state)));
      }
    },
  };
}

/** The ids that these inputs adopt: now, and at create if nothing replaces the resource. */
function adoptedBy(olds: Props | undefined, news: PostInputs, replacing: readonly string[]): string[] {
  const isReplaced = replacing.some((field) => !same(olds?.[field], Reflect.get(news, field)));
  const ids = [news.adopt, isReplaced ? undefined : olds?.adopt];
  return ids.filter((id): id is string => typeof id === "string" && !isUnknown(id));
}

/** A replacement that adopts the id that it replaces would send nothing, and would keep a chat that its own delete ends. */
function refuseOwnId(id: string, news: PostInputs, replaces: readonly string[], who: string): void {
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
