import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { credentials, type ServiceError } from "@grpc/grpc-js";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import {
  CheckRequest,
  type CheckResponse,
  ConfigureRequest,
  type ConfigureResponse,
  CreateRequest,
  type CreateResponse,
  DeleteRequest,
  DiffRequest,
  DiffResponse,
  ErrorResourceInitFailed,
  ReadRequest,
  type ReadResponse,
  UpdateRequest,
  type UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { withoutSettings } from "../../cli/pulumi/cli";
import { defaultEdge, EDGES, type EdgeName, listenAsEngine } from "./edges";
import { quickStart } from "./engineProject";
import { idleEngine } from "./idleEngine";
import { type InitFailed, type Properties, ProviderError } from "./providerCalls";
import { repository } from "./repository";

export interface ProviderOptions {
  /** @default that of the environment variable PROVIDER_EDGE, else "dynamic" */
  readonly edge?: EdgeName;
  /** Where `require` in the provider's text looks from: the folder of a program's `main`. @default the repository */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** @default one for all processes of this test's */
  readonly engineAddress?: string;
  /** Gets each line that the plugin has the engine show. */
  readonly hear?: (log: LogRequest) => void;
}

export type ProviderProcess = Awaited<ReturnType<typeof startProvider>>;

/**
 * A provider process, spoken to as the engine does, without the engine: the SDK's own with the same text-to-handler path, or the
 * plugin's; the same wire, thousands of calls a second. Properties need `__provider`, as in the engine's calls; for the plugin it
 * names the type.
 */
export async function startProvider(options: ProviderOptions = {}) {
  const { cwd = repository, env = {}, engineAddress = await idleEngine() } = options;
  const edgeName = options.edge ?? defaultEdge;
  const edge = EDGES[edgeName];
  const child = spawn(process.execPath, [edge.script, engineAddress], {
    cwd,
    env: {
      ...withoutSettings(process.env),
      ...quickStart,
      PULUMI_PROJECT: "test",
      PULUMI_NODEJS_PROJECT: "test",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const exited = once(child, "close");
  const [port] = await Promise.race([
    once(createInterface(child.stdout), "line"),
    exited.then(() => Promise.reject(new Error(`the provider process ended before it listened: ${stderr}`))),
  ]);
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  const client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
  const hear = (line: string, log: LogRequest) => {
    stderr += line;
    options.hear?.(log);
  };
  const engine = edgeName === "plugin" ? await listenAsEngine(hear) : undefined;
  await engine?.attach(client);

  return {
    pid: child.pid,
    /** For calls with what the methods here leave out. */
    client,
    get stdout() {
      return stdout;
    },
    get stderr() {
      return stderr;
    },
    /** Keys as in stack config: `agent-platform:baseUrl`. To be called once, before anything else. */
    async configure(config: Properties): Promise<void> {
      const request = new ConfigureRequest().setArgs(struct(edge.config(config))).setAcceptsecrets(true);
      await call<ConfigureResponse>((done) => client.configure(request, done));
    },
    /** `olds` are the inputs of before; none for a create. */
    async check(olds: Properties | undefined, news: Properties) {
      const request = new CheckRequest()
        .setUrn(edge.urn(news))
        .setOlds(struct(edge.sent(olds ?? {})))
        .setNews(struct(edge.sent(news)));
      const response = await call<CheckResponse>((done) => client.check(request, done));
      const failures = response.getFailuresList();
      return {
        inputs: edge.answered(plain(response.getInputs()), news),
        failures: failures.map((failure) => ({ property: failure.getProperty(), reason: failure.getReason() })),
      };
    },
    /** `olds` are the outputs of before, `news` the checked inputs. */
    async diff(id: string, olds: Properties, news: Properties) {
      const request = new DiffRequest()
        .setId(id)
        .setUrn(edge.urn(news))
        .setOlds(struct(edge.sent(olds)))
        .setNews(struct(edge.sent(news)));
      const response = await call<DiffResponse>((done) => client.diff(request, done));
      return {
        /** undefined: the engine compares the inputs itself. */
        changes: changesOf(response),
        replaces: response.getReplacesList(),
        deleteBeforeReplace: response.getDeletebeforereplace(),
      };
    },
    async create(inputs: Properties) {
      const request = new CreateRequest().setUrn(edge.urn(inputs)).setProperties(struct(edge.sent(inputs)));
      const response = await call<CreateResponse>(
        (done) => client.create(request, done),
        (props) => edge.answered(props, inputs),
      );
      return { id: response.getId(), outs: edge.answered(plain(response.getProperties()), inputs) };
    },
    async update(id: string, olds: Properties, news: Properties) {
      const request = new UpdateRequest()
        .setId(id)
        .setUrn(edge.urn(news))
        .setOlds(struct(edge.sent(olds)))
        .setNews(struct(edge.sent(news)));
      const response = await call<UpdateResponse>(
        (done) => client.update(request, done),
        (props) => edge.answered(props, news),
      );
      return { outs: edge.answered(plain(response.getProperties()), news) };
    },
    /** An empty id says that the resource is gone. */
    async read(id: string, props: Properties) {
      const request = new ReadRequest()
        .setId(id)
        .setUrn(edge.urn(props))
        .setProperties(struct(edge.sent(props)));
      const response = await call<ReadResponse>((done) => client.read(request, done));
      return { id: response.getId(), props: edge.answered(plain(response.getProperties()), props) };
    },
    async delete(id: string, props: Properties): Promise<void> {
      const request = new DeleteRequest()
        .setId(id)
        .setUrn(edge.urn(props))
        .setProperties(struct(edge.sent(props)));
      await call((done) => client.delete(request, done));
    },
    /** Until it ends by itself. */
    ended: () => exited,
    async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
      await end(child, signal, exited);
    },
    async close(): Promise<void> {
      client.close();
      engine?.close();
      await end(child, "SIGKILL", exited);
    },
  };
}

async function end(child: ChildProcess, signal: NodeJS.Signals, exited: Promise<unknown>): Promise<void> {
  child.kill(signal);
  await exited;
}

type Done<Response> = (error: ServiceError | null, response: Response) => void;

async function call<Response>(
  send: (done: Done<Response>) => void,
  saved = (props: Properties) => props,
): Promise<Response> {
  const answer = await new Promise<Response | ServiceError>((settle) => {
    send((error, response) => settle(error ?? response));
  });
  if (answer instanceof Error) {
    throw refused(answer, saved);
  }
  return answer;
}

function refused(error: ServiceError, saved: (props: Properties) => Properties): ProviderError {
  const failed = initFailedOf(error);
  const initFailed = failed && { ...failed, properties: saved(failed.properties) };
  return new ProviderError({ message: error.details, code: error.code, initFailed });
}

/** gRPC hands structured errors over in a header: a status that holds the saved resource. */
export function initFailedOf({ metadata }: ServiceError): InitFailed | undefined {
  const [header] = metadata.get("grpc-status-details-bin");
  if (!Buffer.isBuffer(header)) {
    return undefined;
  }
  const [detail] = Status.deserializeBinary(header).getDetailsList();
  const failed = detail?.unpack(ErrorResourceInitFailed.deserializeBinary, "pulumirpc.ErrorResourceInitFailed");
  if (!failed) {
    return undefined;
  }
  return { id: failed.getId(), properties: plain(failed.getProperties()), reasons: failed.getReasonsList() };
}

function changesOf(response: DiffResponse): boolean | undefined {
  const changes = response.getChanges();
  if (changes === DiffResponse.DiffChanges.DIFF_UNKNOWN) {
    return undefined;
  }
  return changes === DiffResponse.DiffChanges.DIFF_SOME;
}

function struct(properties: Properties): Struct {
  return Struct.fromJavaScript(withoutUndefined(properties) as Record<string, JavaScriptValue>);
}

/** The wire knows no undefined, and the SDK never sends one. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutUndefined);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([name, item]) => [name, withoutUndefined(item)]));
}

function plain(properties: Struct | undefined): Properties {
  return properties?.toJavaScript() ?? {};
}
