import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { credentials, Server, ServerCredentials, type ServiceError } from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { type LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import { PluginAttach } from "@pulumi/pulumi/proto/plugin_pb";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import {
  CheckRequest,
  type CheckResponse,
  ConfigureRequest,
  CreateRequest,
  type CreateResponse,
  DeleteRequest,
  UpdateRequest,
  type UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { withoutSettings } from "../../cli/pulumi/cli";
import { built } from "./built";
import { quickStart } from "./engineProject";
import { listen } from "./rawServer";
import { repository } from "./repository";

/** The plugin's process, asked as the engine asks it: with secrets, unknown values and URNs. */

const SIGNATURE = "4dabf18193072939515e22adb298388d";
export const secret = (value: unknown) => ({
  [SIGNATURE]: "1b47061264138c4ac30d75fd1eb44270",
  value: value as JavaScriptValue,
});
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
export const UNKNOWN_NUMBER = "3eeb2bf0-c639-47a8-9e75-3b44932eb421";

export const urnOf = (kind: string, name: string) => `urn:pulumi:dev::calls::agent-platform:index:${kind}::${name}`;

export interface PluginOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** @default one for all processes of this test's */
  readonly engineAddress?: string;
}

let idlePort: Promise<number> | undefined;

/** An engine that says nothing: a provider process ends without one. */
async function idleEngine(): Promise<string> {
  idlePort ??= listen(createServer((socket) => socket.on("error", () => {}).unref()).unref());
  return `127.0.0.1:${await idlePort}`;
}

/** The process, and what asks it. */
export async function spawnPlugin({ env = {}, engineAddress }: PluginOptions) {
  const main = built("provider/plugin/main.js");
  const child = spawn(process.execPath, [main, engineAddress ?? (await idleEngine())], {
    cwd: repository,
    env: {
      ...withoutSettings(process.env),
      ...quickStart,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const exited = once(child, "close");
  const [port] = await Promise.race([
    once(createInterface(child.stdout), "line"),
    exited.then(() => Promise.reject(new Error(`the provider process ended before it listened: ${stderr}`))),
  ]);
  const client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  return {
    client,
    stderr: () => stderr,
    /** Until it ends by itself. */
    ended: () => exited,
    kill,
    async close(): Promise<void> {
      client.close();
      await kill("SIGKILL");
    },
  };
}

type Done<Response> = (error: ServiceError | null, response: Response) => void;

export const ask = <Response>(send: (done: Done<Response>) => void): Promise<Response> =>
  new Promise((resolve, reject) => send((error, response) => (error === null ? resolve(response) : reject(error))));

export type Props = Record<string, JavaScriptValue>;

export const struct = (props: object) => Struct.fromJavaScript(props as Props);
const plain = (properties: Struct | undefined): Props => (properties?.toJavaScript() ?? {}) as Props;

/** What it said, at which resource. */
export interface Heard {
  readonly urn: string;
  readonly isWarning: boolean;
  readonly isEphemeral: boolean;
  readonly text: string;
}

export interface WireOptions extends PluginOptions {
  /** Without the namespace, as the engine hands them to a plugin. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export type PluginWire = Awaited<ReturnType<typeof startPluginWire>>;

export async function startPluginWire({ settings, ...options }: WireOptions) {
  const heard: Heard[] = [];
  const engine = await listenAsEngine(
    (log) =>
      void heard.push({
        urn: log.getUrn(),
        isWarning: log.getSeverity() === LogSeverity.WARNING,
        isEphemeral: log.getEphemeral(),
        text: log.getMessage(),
      }),
  );
  const { client, ended, close } = await spawnPlugin(options);
  await ask((done) => client.attach(new PluginAttach().setAddress(`127.0.0.1:${engine.port}`), done));
  const configuration = new ConfigureRequest().setArgs(struct(settings)).setAcceptsecrets(true);
  await ask((done) => client.configure(configuration, done));

  const check = (urn: string, news: object, olds: object = {}) =>
    ask<CheckResponse>((done) =>
      client.check(new CheckRequest().setUrn(urn).setOlds(struct(olds)).setNews(struct(news)), done),
    );
  return {
    client,
    settings,
    heard,
    ended,
    check,
    /** The checked inputs. */
    async inputs(urn: string, news: object, olds: object = {}): Promise<Props> {
      return plain((await check(urn, news, olds)).getInputs());
    },
    async create(urn: string, inputs: object, { preview = false } = {}): Promise<{ id: string; state: Props }> {
      const request = new CreateRequest().setUrn(urn).setProperties(struct(inputs)).setPreview(preview);
      const response = await ask<CreateResponse>((done) => client.create(request, done));
      return { id: response.getId(), state: plain(response.getProperties()) };
    },
    /** As a preview asks. */
    async update(urn: string, id: string, olds: object, news: object, oldInputs: object): Promise<Props> {
      const request = new UpdateRequest().setUrn(urn).setId(id).setPreview(true);
      request.setOlds(struct(olds)).setOldInputs(struct(oldInputs)).setNews(struct(news));
      return plain((await ask<UpdateResponse>((done) => client.update(request, done))).getProperties());
    },
    async delete(urn: string, id: string, state: object): Promise<void> {
      await ask((done) => client.delete(new DeleteRequest().setUrn(urn).setId(id).setProperties(struct(state)), done));
    },
    async close(): Promise<void> {
      await close();
      engine.close();
    },
  };
}

/** The engine's service for what plugins have to say. */
async function listenAsEngine(hear: (log: LogRequest) => void) {
  const server = new Server();
  server.addService(EngineService, {
    log({ request }: { request: LogRequest }, done: (error: null, empty: Empty) => void) {
      hear(request);
      done(null, new Empty());
    },
  });
  const port = await new Promise<number>((done, failed) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? done(bound) : failed(error),
    );
  });
  return { port, close: () => server.forceShutdown() };
}
