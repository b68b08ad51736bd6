import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { credentials, type ServiceError } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import {
  CheckRequest,
  type CheckResponse,
  ConfigureRequest,
  CreateRequest,
  type CreateResponse,
  DeleteRequest,
  DiffRequest,
  ReadRequest,
} from "@pulumi/pulumi/proto/provider_pb";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { withoutSettings } from "../../cli/pulumi/cli";
import { quickStart } from "./engineProject";
import { listen } from "./rawServer";
import { repository } from "./repository";

export interface ProviderOptions {
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

/** A process that speaks the engine's wire, and the client of that. */
export async function spawnProvider(script: string, { env = {}, engineAddress }: ProviderOptions) {
  const child = spawn(process.execPath, [script, engineAddress ?? (await idleEngine())], {
    cwd: repository,
    env: {
      ...withoutSettings(process.env),
      ...quickStart,
      PULUMI_PROJECT: "test",
      PULUMI_NODEJS_PROJECT: "test",
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
export const plain = (properties: Struct | undefined): Props => (properties?.toJavaScript() ?? {}) as Props;

export type ProviderProcess = Awaited<ReturnType<typeof startProvider>>;

/**
 * The SDK's provider process for dynamic resources, spoken to as the engine does, without the engine. Properties need `__provider`, as in the
 * engine's calls.
 */
export async function startProvider(options: ProviderOptions = {}) {
  const script = join(repository, "node_modules/@pulumi/pulumi/cmd/dynamic-provider/index.js");
  const { client, ...provider } = await spawnProvider(script, options);

  return {
    ...provider,
    /** Keys as in stack config: `agent-platform:baseUrl`. To be called once, before anything else. */
    async configure(config: object): Promise<void> {
      const request = new ConfigureRequest().setArgs(struct(config)).setAcceptsecrets(true);
      await ask((done) => client.configure(request, done));
    },
    /** Of a resource that is new. */
    async check(news: object) {
      const request = new CheckRequest().setOlds(struct({})).setNews(struct(news));
      const response = await ask<CheckResponse>((done) => client.check(request, done));
      return {
        inputs: plain(response.getInputs()),
        reasons: response.getFailuresList().map((failure) => failure.getReason()),
      };
    },
    /** `olds` are the outputs of before, `news` the checked inputs. */
    async diff(id: string, olds: object, news: object): Promise<void> {
      const request = new DiffRequest().setId(id).setOlds(struct(olds)).setNews(struct(news));
      await ask((done) => client.diff(request, done));
    },
    async create(inputs: object) {
      const request = new CreateRequest().setProperties(struct(inputs));
      const response = await ask<CreateResponse>((done) => client.create(request, done));
      return { id: response.getId(), outs: plain(response.getProperties()) };
    },
    async read(id: string, props: object): Promise<void> {
      const request = new ReadRequest().setId(id).setProperties(struct(props));
      await ask((done) => client.read(request, done));
    },
    async delete(id: string, props: object): Promise<void> {
      const request = new DeleteRequest().setId(id).setProperties(struct(props));
      await ask((done) => client.delete(request, done));
    },
  };
}
