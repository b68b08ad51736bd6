import type { handleUnaryCall } from "@grpc/grpc-js";
import { type PluginAttach, PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import type { IResourceProviderServer } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { onceForValue } from "../core/common/once";
import { partsOf, URN } from "../core/common/urn";
import * as messages from "../core/messages";
import { KINDS, PROVIDER, providerText, type ResourceKind } from "../core/platform/kinds";
import { type Handler, handlerFor, type Props } from "../edge/handler";
import { schema } from "../edge/outputs";
import { cancelRun, openingOnce } from "../edge/session";
import { type Lifecycle, ResourceError } from "../resources/lifecycle";
import { LIFECYCLES } from "../resources/lifecycles";
import { refusedConfig, settingsIn, stackInRun } from "./config";
import { duringCall, type EngineLink } from "./engine";
import { type Received, received, toWire } from "./properties";
import { previewedCreate, previewedUpdate, secretOutputs } from "./results";
import { statusOf, withResource } from "./status";

/** What a call of the engine about a resource works with. */
interface ResourceCall {
  readonly kind: ResourceKind;
  readonly handler: Handler;
}

/**
 * The resource plugin as the engine calls it: the same lifecycles as the dynamic provider's, for programs in every language. To a call that
 * is not here, gRPC returns "not implemented", and the engine goes on without it.
 * @param address of the engine; undefined if it comes later, as with a debugger
 */
export function resourceProvider(engine: EngineLink, address: string | undefined) {
  const handlersWith = (settings: Received) => {
    const open = openingOnce(() => settingsIn(settings), { address, hasMarkingProgram: false }, engine.warn);
    return (kind: ResourceKind) => handlerFor(LIFECYCLES[kind] as Lifecycle<object, object>, open, stackInRun);
  };
  let handlerOf = onceForValue(handlersWith({ values: {}, secrets: new Set() }));

  /** A call about a resource, with the handler of its kind. The engine shows the lines of the call at the resource. */
  const atResource = <Request extends { getUrn(): string }, Response>(
    work: (request: Request, call: ResourceCall) => Response | Promise<Response>,
  ) =>
    unary((request: Request) =>
      duringCall(request.getUrn(), () => {
        const kind = partsOf(request.getUrn()).kind as ResourceKind;
        if (!KINDS.includes(kind)) {
          throw new Error(`This version of the plugin has no resource ${kind}.`);
        }
        return work(request, { kind, handler: handlerOf(kind) });
      }),
    );

  return {
    handshake: unary(() =>
      new proto.ProviderHandshakeResponse().setAcceptSecrets(true).setAcceptResources(false).setAcceptOutputs(false),
    ),

    getPluginInfo: unary(() => new PluginInfo().setVersion(schema.version)),

    getSchema: unary(() => new proto.GetSchemaResponse().setSchema(JSON.stringify(schema))),

    attach: unary((request: PluginAttach) => {
      engine.connect(request.getAddress());
      return new Empty();
    }),

    checkConfig: unary((request: proto.CheckRequest) => {
      const news = received(request.getNews());
      const reasons = refusedConfig(request.getUrn(), news);
      const isSecret = (name: string) => name === "accessToken" || news.secrets.has(name);
      return new proto.CheckResponse().setInputs(toWire(news.values, isSecret)).setFailuresList(failures(reasons));
    }),

    configure: unary((request: proto.ConfigureRequest) => {
      handlerOf = onceForValue(handlersWith(received(request.getArgs())));
      return new proto.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true);
    }),

    check: atResource(check),
    diff: atResource(diff),
    create: atResource(create),
    update: atResource(update),
    delete: atResource(remove),
    read: atResource(read),

    // The engine starts no more calls, and waits for those that are under way.
    cancel: unary(() => {
      cancelRun();
      return new Empty();
    }),
  } satisfies Partial<IResourceProviderServer>;
}

function check(request: proto.CheckRequest, { handler }: ResourceCall): proto.CheckResponse {
  const news = received(request.getNews());
  const checked = handler.check(received(request.getOlds()).values, withUrn(request, withSecretNames(news)));
  return "reasons" in checked
    ? new proto.CheckResponse().setInputs(request.getNews()).setFailuresList(failures(checked.reasons))
    : new proto.CheckResponse().setInputs(toWire(checked.inputs, (name) => news.secrets.has(name)));
}

const { DIFF_NONE, DIFF_SOME } = proto.DiffResponse.DiffChanges;

/** What differs, the engine finds itself: it compares the inputs. */
function diff(request: proto.DiffRequest, { handler }: ResourceCall): proto.DiffResponse {
  const news = withUrn(request, received(request.getNews()).values);
  const { changes, replaces } = handler.diff(request.getId(), received(request.getOlds()).values, news);
  return new proto.DiffResponse().setChanges(changes ? DIFF_SOME : DIFF_NONE).setReplacesList([...replaces]);
}

async function create(request: proto.CreateRequest, { handler, kind }: ResourceCall): Promise<proto.CreateResponse> {
  const inputs = received(request.getProperties());
  const isSecret = secretOutputs(kind, inputs);
  if (request.getPreview()) {
    return new proto.CreateResponse().setProperties(toWire(previewedCreate(kind, inputs.values), isSecret));
  }
  const toStruct = (state: object) => toSave(kind, state, isSecret);
  const { id, state } = await withResource(toStruct, () => handler.create(withUrn(request, inputs.values)));
  return new proto.CreateResponse().setId(id).setProperties(toStruct(state));
}

async function update(request: proto.UpdateRequest, { handler, kind }: ResourceCall): Promise<proto.UpdateResponse> {
  const olds = received(request.getOlds());
  const news = received(request.getNews());
  const isSecret = secretOutputs(kind, news, olds);
  if (request.getPreview()) {
    const before = { state: olds.values, inputs: received(request.getOldInputs()).values };
    const shown = previewedUpdate(kind, news.values, before);
    return new proto.UpdateResponse().setProperties(toWire(shown, isSecret));
  }
  const toStruct = (saved: object) => toSave(kind, saved, isSecret);
  const state = await withResource(toStruct, () =>
    handler.update(request.getId(), olds.values, withUrn(request, news.values)),
  );
  return new proto.UpdateResponse().setProperties(toStruct(state));
}

async function remove(request: proto.DeleteRequest, { handler }: ResourceCall): Promise<Empty> {
  await handler.delete(request.getId(), withUrn(request, received(request.getProperties()).values));
  return new Empty();
}

/** The state is handed back as it is, secrets and all. */
function read(request: proto.ReadRequest, { handler, kind }: ResourceCall): proto.ReadResponse {
  if (Object.keys(received(request.getProperties()).values).length === 0) {
    throw new ResourceError(messages.importReadsNothing(kind, request.getId()));
  }
  handler.read();
  return new proto.ReadResponse()
    .setId(request.getId())
    .setProperties(request.getProperties())
    .setInputs(request.getInputs());
}

function unary<Request, Response>(
  work: (request: Request) => Response | Promise<Response>,
): handleUnaryCall<Request, Response> {
  return (call, callback) => {
    Promise.resolve()
      .then(() => work(call.request))
      .then(
        (response) => callback(null, response),
        (error: unknown) => callback(statusOf(error)),
      );
  };
}

/** Without a property: with one the engine prints the property's value, which may be secret. */
const failures = (reasons: readonly string[]): proto.CheckFailure[] =>
  reasons.map((reason) => new proto.CheckFailure().setReason(reason));

/** The state with `__provider`, because the stack may get a program in TypeScript, whose provider needs it for a delete. */
const toSave = (kind: ResourceKind, state: object, isSecret: (name: string) => boolean) =>
  toWire({ ...state, [PROVIDER]: providerText(kind) }, isSecret);

/** The engine tells a plugin the URN beside the properties. */
const withUrn = (request: { getUrn(): string }, values: Props): Props => ({ ...values, [URN]: request.getUrn() });

/** A lifecycle has to know the names of secret arguments: it refuses some, and no message may show the others. */
const withSecretNames = ({ values, secrets }: Received): Props =>
  secrets.size === 0 ? values : { ...values, secretArguments: [...secrets].sort() };
