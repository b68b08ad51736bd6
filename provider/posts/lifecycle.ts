import type * as z from "zod";
import type { Api } from "../api/exchange";
import type { Outcome } from "../api/failure";
import { optionalArgument, type Problem, validate } from "../base/arguments";
import { type HiddenInputs, isUnknown, type Previewed, URN } from "../base/engine";
import { defined, pick } from "../base/json";
import { integer, plainText } from "../base/schemas";
import { excerpt } from "../base/text";
import { type PostedKind, postedAs } from "../config/kinds";
import type { Settings } from "../config/settings";
import { type Endpoint, sameEndpoint } from "../routing/group";
import { invalid, postponed, RUN_FAILED } from "../run/messages";
import { changedFields, NOTHING, type Plan, type Reason, type UncertainPost } from "../run/plan";
import {
  accessOf,
  type Checked,
  type Created,
  hiddenShape,
  type Lifecycle,
  type Props,
  readSaved,
  refuseFrozen,
  refuseOtherEndpoint,
} from "../run/resource";
import { postedKey, type Run } from "../run/run";
import { judgeFreeze } from "../run/violation";
import { ResourceError, resourceLabel, SavedError } from "../words/message";
import {
  adoptedElsewhere,
  adoptsItself,
  alreadyEnded,
  createFailed,
  endFailed,
  staysOnPlatform,
  twoResolutions,
  unresolvedForgotten,
  workspaceMissing,
} from "./messages";

/**
 * The lifecycle of voices and chats. After a POST with an unknown outcome, a resource is unresolved until the operator
 * sets `adopt` or `retryUnresolved`. Either one replaces the resource, because only a create can return a new ID.
 */

export interface PostInputs extends HiddenInputs {
  readonly workspaceId: number;
  /**
   * The ID of an existing voice or chat to adopt without sending anything. Once the resource exists and is resolved,
   * changing this ID has no effect.
   */
  readonly adopt?: string | undefined;
  /** To send a POST again after its outcome was unknown, the operator sets this to the resource's own ID. */
  readonly retryUnresolved?: string | undefined;
}

/**
 * The saved state: the inputs, and the fields of the response. If a field of the response has the name of an argument,
 * only the argument is saved.
 */
type SavedPost<Inputs = PostInputs> = Inputs & Endpoint & { readonly unresolved?: true | undefined };

/** Arguments common to all posted resources. */
export const postShape = {
  workspaceId: optionalArgument("public", integer),
  retryUnresolved: optionalArgument("secret", plainText),
  ...hiddenShape,
};

/** The arguments in a preview, where some may be unknown because they depend on resources that don't exist yet. */
export type PreviewedPost<Inputs> = Previewed<Omit<Inputs, keyof HiddenInputs>> & HiddenInputs;

/** The arguments as written in the program, which may leave `workspaceId` to the settings. */
type Written<Inputs> = PreviewedPost<Omit<Inputs, "workspaceId"> & { workspaceId?: number | undefined }>;

/** The parts of the lifecycle that differ between voices and chats. */
interface PostKind<Inputs extends PostInputs> {
  readonly kind: PostedKind;
  readonly schema: z.ZodObject<typeof postShape> & z.ZodType<Written<Inputs>>;
  problems?(inputs: PreviewedPost<Inputs>, settings: Settings): Problem[];
  post(api: Api, inputs: Inputs): Promise<Outcome<object>>;
  /** Sends the request that ends a chat. Absent for voices, which the API cannot delete. */
  end?(api: Api, id: string, state: PostInputs): Promise<Outcome<unknown>>;
}

export function postLifecycle<Inputs extends PostInputs>(
  postKind: PostKind<Inputs>,
): Lifecycle<Inputs, SavedPost<Inputs>, PreviewedPost<Inputs>> {
  const { kind, schema, end } = postKind;
  const row = postedAs(kind);

  return {
    kind,
    schema,
    readState: (saved, id) => readSaved<SavedPost<Inputs>>(kind, saved, id, row.foundBy),
    check: (olds, news, settings) => checkPost(postKind, olds, news, settings),

    diff: (id, olds, news, settings) =>
      olds.unresolved
        ? planUnresolved(id, uncertainPost(kind, withSecrets(olds, news)), news, settings)
        : planPost(kind, id, olds, news, settings),

    async create(inputs, run) {
      const { adopt } = inputs;
      return adopt === undefined
        ? post(postKind, inputs, run)
        : { id: adopt, state: { ...inputs, [row.idName]: adopt, endpoint: run.settings.endpoint } };
    },

    /** Records the new inputs without sending anything, because the API can change neither voices nor chats. */
    async update(_id, olds, news, run) {
      refuseUnknownOutcome(run, news[URN]);
      return olds.unresolved
        ? withSecrets(olds, news)
        : defined({ ...olds, [URN]: news[URN], ...pick(byName(news), row.recorded) });
    },

    delete: (id, state, run) =>
      end === undefined || state.unresolved ? forget(kind, id, state, run) : endPosted(kind, end, id, state, run),
  };
}

function checkPost<Inputs extends PostInputs>(
  { kind, schema, problems: moreProblems }: PostKind<Inputs>,
  olds: Props | undefined,
  news: Props,
  settings: Settings,
): Checked<PreviewedPost<Inputs>> {
  const { value, problems } = validate(schema, news);
  if (value === undefined) {
    const failures = problems.map((problem) => invalid(problem));
    return { inputs: { ...news } as unknown as PreviewedPost<Inputs>, failures, violations: [] };
  }
  const workspaceId = value.workspaceId ?? settings.workspaceId;
  const inputs = defined({ ...value, workspaceId }) as PreviewedPost<Inputs>;
  const { adopt, retryUnresolved }: PreviewedPost<PostInputs> = inputs;
  const { noun } = postedAs(kind);
  const isPosted = olds === undefined && adopt === undefined;
  return {
    inputs,
    failures: [
      ...(workspaceId === undefined ? [workspaceMissing()] : []),
      ...(adopt !== undefined && retryUnresolved !== undefined ? [twoResolutions()] : []),
      ...(moreProblems?.(inputs, settings) ?? []).map((problem) => invalid(problem)),
    ],
    violations: isPosted ? judgeFreeze(settings.guards) : [],
    reasons: isPosted ? [postsAhead(kind, inputs)] : [],
    adopts: adopt !== undefined && !isUnknown(adopt) ? postedKey(noun, adopt) : undefined,
  };
}

/**
 * Sends the POST for a new resource. If its outcome is unknown, every retry in this run (by a resource hook, for
 * example) throws the same error and sends nothing.
 */
async function post<Inputs extends PostInputs>(
  { kind, schema, post: send }: PostKind<Inputs>,
  inputs: Inputs,
  run: Run,
): Promise<Created<SavedPost<Inputs>>> {
  refuseUnknownOutcome(run, inputs[URN]);
  const { endpoint } = run.settings;
  const label = resourceLabel(kind, inputs);
  const posted = uncertainPost(kind, inputs);
  const unresolvedId = run.world.newId("unresolved");
  const outcome = await send(run.api(), inputs);
  if (outcome.failure !== undefined) {
    const { failure } = outcome;
    const message = createFailed(label, failure, run.settings, posted, unresolvedId);
    if (failure.outcome !== "unknown") {
      throw new ResourceError(message);
    }
    const error = new SavedError(message, unresolvedId, { ...inputs, endpoint, unresolved: true });
    if (inputs[URN] !== undefined) {
      run.noteUnknownOutcome(inputs[URN], error);
    }
    throw error;
  }
  const response: Props = { ...outcome.response };
  const id = String(response[postedAs(kind).idName]);
  // Don't let a response field overwrite an argument. If the platform spells a value differently, the next diff would
  // show a change.
  const outputs = Object.entries(response).filter(([name, value]) => !(name in schema.shape) && value !== null);
  return { id, state: { ...inputs, ...defined(Object.fromEntries(outputs)), endpoint } };
}

/** Returns the inputs as a record, for reading an argument whose name is in a variable, such as `foundBy`. */
const byName = (inputs: PreviewedPost<PostInputs>): Props => ({ ...inputs });

function refuseUnknownOutcome(run: Run, urn: string | undefined): void {
  const error = urn === undefined ? undefined : run.unknownOutcomeOf(urn);
  if (error !== undefined) {
    throw error;
  }
}

/** Describes a voice or chat for messages, such as `chat to +15557654321`, or only `chat` if that number is secret. */
function uncertainPost(kind: PostedKind, inputs: PostInputs): UncertainPost {
  const { foundBy, noun, named } = postedAs(kind);
  const value = excerpt(String(byName(inputs)[foundBy]));
  const isSecret = inputs.secretArguments?.includes(foundBy) === true;
  return { kind, name: isSecret ? noun : named(value), place: `workspace ${inputs.workspaceId}` };
}

function postsAhead(kind: PostedKind, inputs: PreviewedPost<PostInputs>): Reason {
  const { foundBy } = postedAs(kind);
  const { [foundBy]: value } = byName(inputs);
  const isHidden = isUnknown(value) || inputs.secretArguments?.includes(foundBy) === true;
  return { why: "posts", kind, name: isHidden ? undefined : excerpt(String(value)) };
}

/**
 * Returns an unresolved state with the program's current list of secret arguments, because messages must not show a
 * value that the program has since made secret.
 */
const withSecrets = <State extends PostInputs>(olds: State, { secretArguments }: HiddenInputs): State =>
  defined({ ...olds, secretArguments });

/**
 * Refuses a delete if something failed in this run, because then the provider may not know everything that the program
 * declares.
 */
function refuseFailedRun(label: string, run: Run): void {
  if (run.hasFailed()) {
    throw new ResourceError(postponed(label, RUN_FAILED));
  }
}

/**
 * Removes a voice or an unresolved chat from the state without sending anything. Warns about what may remain on the
 * platform, unless the operator has resolved it.
 */
async function forget(kind: PostedKind, id: string, state: SavedPost, run: Run): Promise<void> {
  const label = resourceLabel(kind, state);
  const isReplaced = run.isReplaced(id);
  if (!isReplaced) {
    // A program that failed may still declare this resource. If its state were removed, the next run would create the
    // resource a second time.
    refuseFailedRun(label, run);
  }
  const row = postedAs(kind);
  if (run.isPostKept(row, id)) {
    // Another resource uses the same voice, for example because it adopted the voice after `--replace`. Tell the
    // operator that the voice is kept.
    run.warn(adoptedElsewhere(row.noun, label, id));
  } else if (!state.unresolved) {
    run.warn(staysOnPlatform(uncertainPost(kind, state), label));
  } else if (!isReplaced) {
    run.warn(unresolvedForgotten(uncertainPost(kind, state), label));
  }
}

async function endPosted(
  kind: PostedKind,
  end: NonNullable<PostKind<PostInputs>["end"]>,
  id: string,
  state: SavedPost,
  run: Run,
): Promise<void> {
  const row = postedAs(kind);
  const label = resourceLabel(kind, state);
  refuseOtherEndpoint(label, state, run.settings);
  // Don't end a chat that another resource keeps. After a rename without an alias, for example, the resource may have
  // adopted the chat under its new name.
  if (run.isPostKept(row, id)) {
    return run.warn(adoptedElsewhere(row.noun, label, id));
  }
  refuseFailedRun(label, run);
  refuseFrozen(label, run);
  const { failure } = await end(run.api(), id, state);
  if (failure === undefined) {
    return;
  }
  const status = failure.exchange.status ?? 0;
  // Treat the chat as ended after a 404, 409 or 410. The API does not specify their meaning here (docs/assumptions.md,
  // row 22).
  if (failure.outcome === "rejected" && [404, 409, 410].includes(status)) {
    return run.warn(alreadyEnded(label, id, status));
  }
  throw new ResourceError(endFailed(label, failure, accessOf(run), id));
}

/**
 * Plans a change to a voice or chat. An unknown value counts as changed, because otherwise a preview could show an
 * update where `pulumi up` sends an SMS.
 */
function planPost(
  kind: PostedKind,
  id: string,
  olds: SavedPost,
  news: PreviewedPost<PostInputs>,
  settings: Settings,
): Plan {
  const row = postedAs(kind);
  const label = resourceLabel(kind, news);
  const replaces = changedFields(row.replaces, olds, news);
  const isReplaced = replaces.length > 0;
  const fields = changedFields(row.recorded, olds, news);
  const isRecorded = fields.length > 0 && !isReplaced;
  const isPosted = isReplaced && news.adopt === undefined;
  if (isReplaced && row.ends) {
    // Replacing a chat ends the old chat, which is possible only on the platform where it was started.
    refuseOtherEndpoint(label, olds, settings);
  }
  // Refuse a replacement that adopts the original again, because the changed arguments would not be sent. Ignore
  // unknown values, which may turn out to be unchanged.
  const given = byName(news);
  const changed = replaces.filter((field) => !isUnknown(given[field]));
  if (news.adopt === id && changed.length > 0) {
    throw new ResourceError(adoptsItself(label, kind, changed, id));
  }
  // If the endpoint has changed, replacing a chat was already refused above, so only a voice can be posted here.
  const why = isPosted ? "voiceAddedElsewhere" : "notMoved";
  const elsewhere: Reason = { why, from: olds.endpoint, to: settings.endpoint };
  return {
    ...NOTHING,
    changes: isReplaced || isRecorded,
    replaces,
    reasons: [
      ...(sameEndpoint(olds, settings) ? [] : [elsewhere]),
      ...(isPosted ? [postsAhead(kind, news)] : []),
      ...(isRecorded ? [{ why: "chatRecorded" as const, fields }] : []),
    ],
    violations: isReplaced ? judgeFreeze(settings.guards) : [],
  };
}

/**
 * Plans the next step for a POST whose outcome is unknown: a replacement if the operator has set `adopt` or
 * `retryUnresolved`, and otherwise a reminder.
 */
function planUnresolved(id: string, posted: UncertainPost, news: PreviewedPost<PostInputs>, settings: Settings): Plan {
  const { adopt, retryUnresolved } = news;
  if (adopt !== undefined && !isUnknown(adopt)) {
    return { ...NOTHING, changes: true, replaces: ["adopt"] };
  }
  if (retryUnresolved === id) {
    const replaces = ["retryUnresolved"];
    const reasons = [postsAhead(posted.kind, news)];
    return { ...NOTHING, changes: true, replaces, reasons, violations: judgeFreeze(settings.guards) };
  }
  return { ...NOTHING, changes: true, reasons: [{ why: "unresolved", post: posted, id }] };
}
