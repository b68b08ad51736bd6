import type * as z from "zod";
import type { Outcome } from "../api/failure";
import type { Api } from "../api/operations";
import { optionalArgument, type Problem, validate } from "../base/arguments";
import { type HiddenInputs, isUnknown, type Previewed, URN } from "../base/engine";
import { defined } from "../base/json";
import { integer, plainText } from "../base/schemas";
import { printedShort } from "../base/text";
import { type PostedKind, postedAs } from "../config/kinds";
import type { Settings } from "../config/settings";
import { type Endpoint, sameEndpoint } from "../routing/group";
import { invalid, postponed, RUN_FAILED } from "../run/messages";
import { changedFields, type InDoubt, type JudgedPlan, NOTHING, type Reason } from "../run/plan";
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
 * The common lifecycle of what a POST makes. If the outcome of a POST is unknown, the resource is saved as unresolved, and the POST is never
 * sent again by itself. The operator resolves it with `adopt` or `retryUnresolved`. Both replace the resource, because only a create can
 * give the engine a new id.
 */

export interface PostInputs extends HiddenInputs {
  readonly workspaceId: number;
  /** The id of what exists already: nothing is sent. Read at create or while unresolved; later it is no change. */
  readonly adopt?: string | undefined;
  /** The unresolved id whose one retry is allowed. */
  readonly retryUnresolved?: string | undefined;
}

/** What is saved: the inputs, and the fields of the response that have no input's name. */
type SavedPost<Inputs = PostInputs> = Inputs & Endpoint & { readonly unresolved?: true | undefined };

/** The arguments that all of them have. */
export const postShape = {
  workspaceId: optionalArgument("public", integer),
  retryUnresolved: optionalArgument("secret", plainText),
  ...hiddenShape,
};

/** The arguments of a post at preview, where some may depend on what does not exist yet. */
export type PreviewedPost<Inputs> = Previewed<Omit<Inputs, keyof HiddenInputs>> & HiddenInputs;

/** As a program writes them: the workspace may be that of the settings. */
type Written<Inputs> = PreviewedPost<Omit<Inputs, "workspaceId"> & { workspaceId?: number | undefined }>;

/** What a kind needs beside its row of POSTED. */
interface PostKind<Inputs extends PostInputs> {
  readonly kind: PostedKind;
  readonly schema: z.ZodObject<typeof postShape> & z.ZodType<Written<Inputs>>;
  problems?(inputs: PreviewedPost<Inputs>, settings: Settings): Problem[];
  post(api: Api, inputs: Inputs): Promise<Outcome<object>>;
  /** The request of a delete, if the row says that it ends. */
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
        ? planUnresolved(id, inDoubt(kind, withSecrets(olds, news)), news, settings)
        : planPost(kind, id, olds, news, settings),

    async create(inputs, run) {
      const { adopt } = inputs;
      return adopt === undefined
        ? post(postKind, inputs, run)
        : { id: adopt, state: { ...inputs, [row.idName]: adopt, endpoint: run.settings.endpoint } };
    },

    /** Nothing is sent: the API can change neither. */
    async update(_id, olds, news, run) {
      refuseDoubtful(run, news[URN]);
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
 * The only place that sends a POST for a new resource. A resource hook may ask the engine for another try within the run: a create, or an update
 * of what the failed create has saved. After a POST that may have been carried out, each of them fails in the same way, and sends nothing.
 */
async function post<Inputs extends PostInputs>(
  { kind, schema, post: send }: PostKind<Inputs>,
  inputs: Inputs,
  run: Run,
): Promise<Created<SavedPost<Inputs>>> {
  refuseDoubtful(run, inputs[URN]);
  const { endpoint } = run.settings;
  const label = resourceLabel(kind, inputs);
  const posted = inDoubt(kind, inputs);
  const unresolvedId = run.world.newId("unresolved");
  const outcome = await send(run.api(), inputs);
  if (outcome.failure !== undefined) {
    const { failure } = outcome;
    const message = createFailed(label, failure, run.settings, posted, unresolvedId);
    if (failure.outcome !== "unknown") {
      throw new ResourceError(message);
    }
    const doubt = new SavedError(message, unresolvedId, { ...inputs, endpoint, unresolved: true });
    if (inputs[URN] !== undefined) {
      run.noteDoubt(inputs[URN], doubt);
    }
    throw doubt;
  }
  const { response = {} } = outcome;
  const id = String(Reflect.get(response, postedAs(kind).idName));
  // The fields of the response that no argument has.
  const outputs = Object.entries(response).filter(([name, value]) => !(name in schema.shape) && value !== null);
  return { id, state: { ...inputs, ...defined(Object.fromEntries(outputs)), endpoint } };
}

function refuseDoubtful(run: Run, urn: string | undefined): void {
  const doubt = urn === undefined ? undefined : run.doubtOf(urn);
  if (doubt !== undefined) {
    throw doubt;
  }
}

/** One that may exist. The noun alone names it if the argument is secret by which people find it. */
function inDoubt(kind: PostedKind, inputs: PostInputs): InDoubt {
  const { foundBy, noun, named } = postedAs(kind);
  const value = printedShort(String(Reflect.get(inputs, foundBy)));
  const isSecret = inputs.secretArguments?.includes(foundBy) === true;
  return { kind, what: isSecret ? noun : named(value), where: `workspace ${inputs.workspaceId}` };
}

function postsAhead(kind: PostedKind, inputs: PreviewedPost<PostInputs>): Reason {
  const { foundBy } = postedAs(kind);
  const value: unknown = Reflect.get(inputs, foundBy);
  const isHidden = isUnknown(value) || inputs.secretArguments?.includes(foundBy) === true;
  return { why: "posts", kind, what: isHidden ? undefined : printedShort(String(value)) };
}

/** An unresolved state keeps its arguments. No message names those that the program has made secret since. */
const withSecrets = <State extends PostInputs>(olds: State, { secretArguments }: HiddenInputs): State =>
  defined({ ...olds, secretArguments });

/** Of a run in which something failed it is not known what the program declares. */
function refuseFailedRun(label: string, run: Run): void {
  if (run.isUncertain()) {
    throw new ResourceError(postponed(label, RUN_FAILED));
  }
}

/** The resource is only removed from the state. There is no warning if its replacement has resolved it. */
async function forget(kind: PostedKind, id: string, state: SavedPost, run: Run): Promise<void> {
  const label = resourceLabel(kind, state);
  const isReplaced = run.isReplaced(id);
  if (!isReplaced) {
    // If the program failed, it may still declare what the state would forget: the next run would send it a second time.
    refuseFailedRun(label, run);
  }
  if (!state.unresolved) {
    run.warn(staysOnPlatform(inDoubt(kind, state), label));
  } else if (!isReplaced) {
    run.warn(unresolvedForgotten(inDoubt(kind, state), label));
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
  // After a rename without an alias, the new name adopts this one, in this run or in an earlier one that broke off before this delete. Or
  // two resources have one, and the other resource stays.
  if (run.keepsPosted(row, id)) {
    return run.warn(adoptedElsewhere(noun, label, id));
  }
  refuseFailedRun(label, run);
  refuseFrozen(label, run);
  const { failure } = await end(run.api(), id, state);
  if (failure === undefined) {
    return;
  }
  const status = failure.exchange.status ?? 0;
  // These mean that nothing is left to end (interface 4.4 does not specify them).
  if (failure.outcome === "rejected" && [404, 409, 410].includes(status)) {
    return run.warn(alreadyEnded(noun, label, id, status));
  }
  throw new ResourceError(endFailed(label, failure, accessOf(run), `${noun} ${JSON.stringify(id)}`));
}

/** If an argument that replaces is unknown, the plan is a replacement: else a preview could show an update, and `pulumi up` send an SMS. */
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
    // Only its own platform can end the old one.
    refuseOtherEndpoint(label, olds, settings);
  }
  // A replacement that adopts the id that it replaces would send nothing, and would keep what its own delete ends. A value that is not known yet
  // may turn out to be the same.
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

/** An unresolved resource is replaced if the operator has resolved it. If not, the plan only reminds of it. */
function planUnresolved(id: string, posted: InDoubt, news: PreviewedPost<PostInputs>, settings: Settings): JudgedPlan {
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
