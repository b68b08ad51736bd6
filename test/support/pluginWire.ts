import type { ServiceError } from "@grpc/grpc-js";
import { type LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import {
  CheckRequest,
  type CheckResponse,
  CreateRequest,
  type CreateResponse,
  DeleteRequest,
  DiffRequest,
  DiffResponse,
  UpdateRequest,
  type UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { initFailedOf, startProvider } from "./providerProcess";

/** The plugin's process, asked as the engine asks it: with secrets, unknown values and URNs. */

export type Props = Record<string, JavaScriptValue>;
type Done<Response> = (error: ServiceError | null, response: Response) => void;

const SIGNATURE = "4dabf18193072939515e22adb298388d";
export const secret = (value: unknown) => ({
  [SIGNATURE]: "1b47061264138c4ac30d75fd1eb44270",
  value: value as JavaScriptValue,
});
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
export const UNKNOWN_NUMBER = "3eeb2bf0-c639-47a8-9e75-3b44932eb421";

export const urnOf = (kind: string, name: string) => `urn:pulumi:dev::calls::agent-platform:index:${kind}::${name}`;

/** What it said, at which resource. */
export interface Heard {
  readonly urn: string;
  readonly isWarning: boolean;
  readonly isEphemeral: boolean;
  readonly text: string;
}

export interface WireOptions {
  /** Without the namespace, as the engine hands them to a plugin. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

export type PluginWire = Awaited<ReturnType<typeof startPluginWire>>;

export const ask = <Response>(send: (done: Done<Response>) => void): Promise<Response> =>
  new Promise((resolve, reject) => send((error, response) => (error === null ? resolve(response) : reject(error))));

export const struct = (props: object) => Struct.fromJavaScript(props as Props);
const plain = (properties: Struct | undefined): Props => (properties?.toJavaScript() ?? {}) as Props;

export async function startPluginWire({ settings, ...options }: WireOptions) {
  const heard: Heard[] = [];
  const hear = (log: LogRequest) =>
    void heard.push({
      urn: log.getUrn(),
      isWarning: log.getSeverity() === LogSeverity.WARNING,
      isEphemeral: log.getEphemeral(),
      text: log.getMessage(),
    });
  const provider = await startProvider({ edge: "plugin", hear, ...options });
  const { client } = provider;
  await provider.configure(settings);

  const check = (urn: string, news: object, olds: object = {}) =>
    ask<CheckResponse>((done) =>
      client.check(new CheckRequest().setUrn(urn).setOlds(struct(olds)).setNews(struct(news)), done),
    );
  return {
    client,
    settings,
    heard,
    pid: provider.pid,
    get stderr() {
      return provider.stderr;
    },
    check,
    /** The checked inputs. */
    async inputs(urn: string, news: object, olds: object = {}): Promise<Props> {
      return plain((await check(urn, news, olds)).getInputs());
    },
    /** Why not: each with the property that it names. */
    async reasons(urn: string, news: object, olds: object = {}): Promise<[string, string][]> {
      const failures = (await check(urn, news, olds)).getFailuresList();
      return failures.map((failure) => [failure.getProperty(), failure.getReason()]);
    },
    /** Inputs and outputs of before are the same unless both are given. */
    async diff(urn: string, id: string, olds: object, news: object, oldInputs = olds) {
      const request = new DiffRequest().setUrn(urn).setId(id);
      request.setOlds(struct(olds)).setOldInputs(struct(oldInputs)).setNews(struct(news));
      const response = await ask<DiffResponse>((done) => client.diff(request, done));
      return {
        changes: response.getChanges() === DiffResponse.DiffChanges.DIFF_SOME,
        replaces: response.getReplacesList(),
      };
    },
    async create(urn: string, inputs: object, { preview = false } = {}): Promise<{ id: string; state: Props }> {
      const request = new CreateRequest().setUrn(urn).setProperties(struct(inputs)).setPreview(preview);
      const response = await ask<CreateResponse>((done) => client.create(request, done));
      return { id: response.getId(), state: plain(response.getProperties()) };
    },
    async update(
      urn: string,
      id: string,
      olds: object,
      news: object,
      oldInputs: object,
      { preview = false } = {},
    ): Promise<Props> {
      const request = new UpdateRequest().setUrn(urn).setId(id).setPreview(preview);
      request.setOlds(struct(olds)).setOldInputs(struct(oldInputs)).setNews(struct(news));
      return plain((await ask<UpdateResponse>((done) => client.update(request, done))).getProperties());
    },
    async delete(urn: string, id: string, state: object): Promise<void> {
      await ask((done) => client.delete(new DeleteRequest().setUrn(urn).setId(id).setProperties(struct(state)), done));
    },
    /** What the engine saves of a call that failed. */
    savedBy(error: unknown): { id: string; properties: Props } | undefined {
      const saved = initFailedOf(error as ServiceError);
      return saved && { id: saved.id, properties: saved.properties as Props };
    },
    /** What the engine sends if its run is interrupted. */
    async cancel(): Promise<void> {
      await ask((done) => client.cancel(new Empty(), done));
    },
    close: () => provider.close(),
  };
}
