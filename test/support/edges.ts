import { join } from "node:path";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { type LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import { PluginAttach } from "@pulumi/pulumi/proto/plugin_pb";
import type { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { built } from "./built";
import { repository } from "./repository";

/** The two ways to the same lifecycles: the SDK's process for dynamic resources, and the plugin's. */
export type EdgeName = "dynamic" | "plugin";

type Properties = Record<string, unknown>;

/** What the wires of the two have in common is in startProvider; here is what is different. */
export interface Edge {
  readonly script: string;
  /** Settings as the engine hands them over: of a plugin without the namespace. */
  config(config: Properties): Properties;
  /** The dynamic provider is told what to run by a property, a plugin by the type in the URN. */
  urn(props: Properties): string;
  sent(props: Properties): Properties;
  answered(answer: Properties, request: Properties): Properties;
}

const dynamic: Edge = {
  script: join(repository, "node_modules/@pulumi/pulumi/cmd/dynamic-provider/index.js"),
  config: (config) => config,
  urn: () => "",
  sent: (props) => props,
  answered: (answer) => answer,
};

const plugin: Edge = {
  script: built("provider/plugin/main.js"),
  config: (config) =>
    Object.fromEntries(Object.entries(config).map(([key, value]) => [key.replace("agent-platform:", ""), value])),
  urn: ({ __provider: text, __urn: urn }) => (typeof urn === "string" ? urn : urnOf(String(text))),
  sent: ({ __provider: _, __urn: __, ...props }) => props,
  answered: (answer, { __provider, __urn }) => ({ ...answer, __provider, ...(__urn !== undefined && { __urn }) }),
};

/** `PROVIDER_EDGE=plugin npx mocha test/faults/rows.long.spec.ts` runs any test that speaks with a provider process over the plugin's wire. */
export const defaultEdge: EdgeName = process.env.PROVIDER_EDGE === "plugin" ? "plugin" : "dynamic";

export const EDGES: Readonly<Record<EdgeName, Edge>> = { dynamic, plugin };

/** Of `… require("pulumi-agent-platform/handlers").numberGroup`. */
function urnOf(providerText: string): string {
  const handler = /handlers"\)\.(\w)(\w+)/.exec(providerText);
  const kind = handler === null ? "Unknown" : `${handler[1]?.toUpperCase()}${handler[2]}`;
  return `urn:pulumi:dev::test::agent-platform:index:${kind}::it`;
}

/** The engine's service for what plugins have to say: its lines as the dynamic provider would write them. */
export async function listenAsEngine(hear: (line: string, log: LogRequest) => void) {
  const server = new Server();
  server.addService(EngineService, {
    log({ request }: { request: LogRequest }, done: (error: null, empty: Empty) => void) {
      const isWarning = request.getSeverity() === LogSeverity.WARNING;
      hear(`${isWarning ? "warning: " : ""}${request.getMessage()}\n`, request);
      done(null, new Empty());
    },
  });
  const port = await new Promise<number>((done, failed) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? done(bound) : failed(error),
    );
  });
  return {
    attach: (client: ResourceProviderClient) =>
      new Promise<void>((done, failed) => {
        client.attach(new PluginAttach().setAddress(`127.0.0.1:${port}`), (error) =>
          error === null ? done() : failed(error),
        );
      }),
    close: () => server.forceShutdown(),
  };
}
