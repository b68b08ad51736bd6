import type * as z from "zod";
import type { Outcome } from "../api/failure";
import type { Api } from "../api/operations";
import { optionalArgument, type Problem, validate } from "../base/arguments";
import { type HiddenInputs, isUnknown, type Previewed, URN } from "../base/engine";
import { defined } from "../base/json";
import { integer, plainText } from "../base/schemas";
import { excerpt } from "../base/text";
import { type PostedKind, postedAs } from "../config/kinds";
import type { Settings } from "../config/settings";
import { type Endpoint, sameEndpoint } from "../routing/group";
import { invalid, postponed, RUN_FAILED } from "../run/messages";
import { changedFields, type JudgedPlan, NOTHING, type Reason, type UncertainPost } from "../run/plan";
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
 * The lifecycle shared by everything a POST creates. If the outcome of a POST is unknown, the resource is saved as
 * unresolved, and the POST is never resent automatically. The operator resolves it with `adopt` or `retryUnresolved`.
 * Both replace the resource, because only a create can give the engine a new ID.
 */

export interface PostInputs extends HiddenInputs {
  readonly workspaceId: number;
  /**
   * The ID of an existing voice or chat. If set, nothing is sent. Read at create or while unresolved; changing it later
   * has no effect.
   */
  readonly adopt?: string | undefined;
  /** The unresolved ID that may be retried once. */
  readonly retryUnresolved?: string | undefined;
}

/** The saved state: the inputs, plus response fields that no input shares a name with. */
type SavedPost<Inputs = PostInputs> = Inputs & Endpoint & { readonly unresolved?: true | undefined };

/** Arguments common to all posted resources. */
export const postShape = {
  workspaceId: optionalArgument("public", integer),
  retryUnresolved: optionalArgument("secret", plainText),
  ...hiddenShape,
};

/** The arguments during a preview, where some may depend on resources that don't exist yet. */
export type PreviewedPost<Inputs> = Previewed<Omit<Inputs, keyof HiddenInputs>> & HiddenInputs;

/** The arguments as written in the program, which may leave `workspaceId` to the settings. */
type Written<Inputs> = PreviewedPost<Omit<Inputs, "workspaceId"> & { workspaceId?: number | undefined }>;

/** What a kind defines in addition to its row in POSTED. */
interface PostKind<Inputs extends PostInputs> {
  readonly kind: PostedKind;
  readonly schema: z.ZodObject<typeof postShape> & z.ZodType<Written<Inputs>>;
  problems?(inputs: PreviewedPost<Inputs>, settings: Settings): Problem[];
  post(api: Api, inputs: Inputs): Promise<Outcome<object>>;
  /** Sends the request for a delete, if the kind's row says that a delete ends it. */
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

    /** Sends nothing, because the API can change neither voices nor chats. */
    async update(_id, olds, news, run) {
      refuseUnknownOutcome(run, news[URN]);
      const fields = row.recorded.map((field) => [field, Reflect.get(news, field)]);
      return olds.unresolved
        ? withSecrets(olds, news)
        : defined({ ...olds, [URN]: news[URN], ...Object.fromEntries(fields) });
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
  const { ends, noun } = postedAs(kind);
  const isPosted = olds === undefined && adopt === undefined;
  return {
    inputs,
    failures: [
      ...(workspaceId === undefined ? [workspaceMissing()] : []),
      ...(adopt !== undefined && retryUnresolved !== undefined ? [twoResolutions()] : []),
      ...(moreProblems?.(inputs, settings) ?? []).map((problem) => invalid(problem)),
    ],
    violations: isPosted ? judgeFreeze(settings) : [],
    reasons: isPosted ? [postsAhead(kind, inputs)] : [],
    adopts: ends && adopt !== undefined && !isUnknown(adopt) ? postedKey(noun, adopt) : undefined,
  };
}

/**
 * The only place that sends a POST for a new resource. A resource hook may ask the engine to retry within the run, as a
 * create or as an update of the state saved by the failed create. If the POST may have been carried out, each retry
 * fails with the same error and sends nothing.
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
  const { response = {} } = outcome;
  const id = String(Reflect.get(response, postedAs(kind).idName));
  // Response fields that aren't arguments.
  const outputs = Object.entries(response).filter(([name, value]) => !(name in schema.shape) && value !== null);
  return { id, state: { ...inputs, ...defined(Object.fromEntries(outputs)), endpoint } };
}

function refuseUnknownOutcome(run: Run, urn: string | undefined): void {
  const error = urn === undefined ? undefined : run.unknownOutcomeOf(urn);
  if (error !== undefined) {
    throw error;
  }
}

/** A posted resource that may exist. If the argument that identifies it is secret, only the noun is named. */
function uncertainPost(kind: PostedKind, inputs: PostInputs): UncertainPost {
  const { foundBy, noun, named } = postedAs(kind);
  const value = excerpt(String(Reflect.get(inputs, foundBy)));
  const isSecret = inputs.secretArguments?.includes(foundBy) === true;
  return { kind, name: isSecret ? noun : named(value), place: `workspace ${inputs.workspaceId}` };
}

function postsAhead(kind: PostedKind, inputs: PreviewedPost<PostInputs>): Reason {
  const { foundBy } = postedAs(kind);
  const value: unknown = Reflect.get(inputs, foundBy);
  const isHidden = isUnknown(value) || inputs.secretArguments?.includes(foundBy) === true;
  return { why: "posts", kind, name: isHidden ? undefined : excerpt(String(value)) };
}

/** An unresolved state keeps its arguments, but messages must not name those that the program has since made secret. */
const withSecrets = <State extends PostInputs>(olds: State, { secretArguments }: HiddenInputs): State =>
  defined({ ...olds, secretArguments });

/** After a failure in the run, we don't know everything the program declares. */
function refuseFailedRun(label: string, run: Run): void {
  if (run.hasFailed()) {
    throw new ResourceError(postponed(label, RUN_FAILED));
  }
}

/** Only removes the resource from the state. There's no warning if its replacement has resolved it. */
async function forget(kind: PostedKind, id: string, state: SavedPost, run: Run): Promise<void> {
  const label = resourceLabel(kind, state);
  const isReplaced = run.isReplaced(id);
  if (!isReplaced) {
    // The failed program may still declare this resource. If we forgot it now, the next run would send it a second
    // time.
    refuseFailedRun(label, run);
  }
  if (!state.unresolved) {
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
  const { noun } = row;
  const label = resourceLabel(kind, state);
  refuseOtherEndpoint(label, state, run.settings);
  // Another resource keeps it: either one that adopted it after a rename without an alias (in this run, or in an
  // earlier one that stopped before this delete), or a second resource with the same ID.
  if (run.isPostKept(row, id)) {
    return run.warn(adoptedElsewhere(noun, label, id));
  }
  refuseFailedRun(label, run);
  refuseFrozen(label, run);
  const { failure } = await end(run.api(), id, state);
  if (failure === undefined) {
    return;
  }
  const status = failure.exchange.status ?? 0;
  // With these statuses there is nothing left to end (interface 4.4 does not specify them).
  if (failure.outcome === "rejected" && [404, 409, 410].includes(status)) {
    return run.warn(alreadyEnded(noun, label, id, status));
  }
  throw new ResourceError(endFailed(label, failure, accessOf(run), `${noun} ${JSON.stringify(id)}`));
}

/**
 * If an argument that forces replacement is unknown, the plan is a replacement. Otherwise, a preview could show an
 * update where `pulumi up` sends an SMS.
 */
function planPost(
  kind: PostedKind,
  id: string,
  olds: SavedPost,
  news: PreviewedPost<PostInputs>,
  settings: Settings,
): JudgedPlan {
  const row = postedAs(kind);
  const label = resourceLabel(kind, news);
  const replaces = changedFields(row.replaces, olds, news);
  const isReplaced = replaces.length > 0;
  const ends = isReplaced && row.ends;
  const fields = changedFields(row.recorded, olds, news);
  const isRecorded = fields.length > 0 && !isReplaced;
  if (ends) {
    // The old one can only be ended on its own platform.
    refuseOtherEndpoint(label, olds, settings);
  }
  // A replacement that adopts the ID it replaces would send nothing, and its own delete would then end or forget what
  // it keeps. Unknown values are ignored, because they may turn out to be unchanged.
  const changed = replaces.filter((field) => !isUnknown(Reflect.get(news, field)));
  if (news.adopt === id && changed.length > 0) {
    throw new ResourceError(adoptsItself(label, changed, id));
  }
  return {
    ...NOTHING,
    changes: isReplaced || isRecorded,
    replaces,
    ends,
    reasons: [
      ...(sameEndpoint(olds, settings)
        ? []
        : [{ why: "notMoved" as const, from: olds.endpoint, to: settings.endpoint }]),
      ...(isReplaced && news.adopt === undefined ? [postsAhead(kind, news)] : []),
      ...(isRecorded ? [{ why: "recorded" as const, fields, noun: row.noun }] : []),
    ],
    violations: isReplaced ? judgeFreeze(settings) : [],
  };
}

/**
 * An unresolved resource is replaced once the operator has resolved it. Until then, the plan only carries a reminder.
 */
function planUnresolved(
  id: string,
  posted: UncertainPost,
  news: PreviewedPost<PostInputs>,
  settings: Settings,
): JudgedPlan {
  const { adopt, retryUnresolved } = news;
  if (adopt !== undefined && !isUnknown(adopt)) {
    return { ...NOTHING, changes: true, replaces: ["adopt"], violations: [] };
  }
  if (retryUnresolved === id) {
    const replaces = ["retryUnresolved"];
    const reasons = [postsAhead(posted.kind, news)];
    return { ...NOTHING, changes: true, replaces, reasons, violations: judgeFreeze(settings) };
  }
  return { ...NOTHING, changes: true, reasons: [{ why: "unresolved", post: posted, id }], violations: [] };
}
