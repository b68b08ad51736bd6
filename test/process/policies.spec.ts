import assert from "node:assert/strict";
import { validateResourceOfType, validateStackResourcesOfType } from "@pulumi/policy";
import * as policyServer from "@pulumi/policy/server";
import {
  AnalyzeRequest,
  type AnalyzeResponse,
  AnalyzerResource,
  AnalyzerResourceOptions,
  AnalyzeStackRequest,
} from "@pulumi/pulumi/proto/analyzer_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { describe, it } from "mocha";
import { CommunityVoice, NumberAssignment, NumberGroup, SmsChat } from "../../provider";
import { checkRows } from "../support/rows";

const CLASSES = { NumberAssignment, NumberGroup, CommunityVoice, SmsChat };

type Ask = (call: { request: unknown }, done: (error: unknown, response: AnalyzeResponse) => void) => void;

/** @pulumi/policy handles the engine's requests with these functions, but its type declarations omit them. */
const { makeAnalyzeRpcFun, makeAnalyzeStackRpcFun } = policyServer as unknown as Readonly<
  Record<"makeAnalyzeRpcFun" | "makeAnalyzeStackRpcFun", (...pack: readonly [string, string, string, object[]]) => Ask>
>;

/** Returns the messages that the policies report for a request from the engine. */
async function violations(
  make: typeof makeAnalyzeRpcFun,
  policies: readonly object[],
  request: unknown,
): Promise<string[]> {
  const named = policies.map((policy, index) => ({ name: `p${index}`, description: "", ...policy }));
  const ask = make("pack", "1.0.0", "mandatory", named);
  const response = await new Promise<AnalyzeResponse>((resolve, reject) =>
    ask({ request }, (error, answer) => (error ? reject(error) : resolve(answer))),
  );
  return response.getDiagnosticsList().map((diagnostic) => diagnostic.getMessage().trim());
}

function filled<Request extends AnalyzeRequest | AnalyzerResource>(request: Request, kind: string): Request {
  const type = `pulumi-nodejs:dynamic/agent-platform:${kind}`;
  const options = new AnalyzerResourceOptions();
  options.setCustomtimeouts(new AnalyzerResourceOptions.CustomTimeouts());
  request.setType(type);
  request.setUrn(`urn:pulumi:dev::phones::${type}::support`);
  request.setName("support");
  request.setOptions(options);
  request.setProperties(Struct.fromJavaScript({ number: "+15551230001", kind }));
  return request;
}

describe("a policy pack", () => {
  const rows = Object.entries(CLASSES);

  it("runs a resource policy only on resources of the specified type", () =>
    checkRows(
      rows,
      ([kind]) => kind,
      async ([kind, resourceClass]) => {
        const policy = {
          validateResource: validateResourceOfType(resourceClass as typeof NumberGroup, (_props, { type }, report) =>
            report(type),
          ),
        };
        const reports = await Promise.all(
          Object.keys(CLASSES).map((other) =>
            violations(makeAnalyzeRpcFun, [policy], filled(new AnalyzeRequest(), other)),
          ),
        );
        assert.deepEqual(
          Object.keys(CLASSES).filter((_, index) => reports[index]?.length !== 0),
          [kind],
        );
      },
    ));

  it("passes only resources of the specified type to a stack policy", () =>
    checkRows(
      rows,
      ([kind]) => kind,
      async ([kind, resourceClass]) => {
        const policy = {
          validateStack: validateStackResourcesOfType(resourceClass as typeof NumberGroup, (resources, _args, report) =>
            report(`found ${resources.map((props) => Reflect.get(props, "kind"))}`),
          ),
        };
        const request = new AnalyzeStackRequest();
        request.setResourcesList(Object.keys(CLASSES).map((other) => filled(new AnalyzerResource(), other)));
        const messages = String(await violations(makeAnalyzeStackRpcFun, [policy], request));
        assert.match(messages, new RegExp(`found ${kind}$`));
      },
    ));
});

describe("a resource class", () => {
  it("recognizes its instances by their Pulumi type", () => {
    for (const [kind, { isInstance, __pulumiType }] of Object.entries(CLASSES)) {
      assert.equal(__pulumiType, `pulumi-nodejs:dynamic/agent-platform:${kind}`);
      const known = Object.values(CLASSES).filter((other) => isInstance({ __pulumiType: other.__pulumiType }));
      assert.deepEqual(known, [Reflect.get(CLASSES, kind)], kind);
      for (const other of [undefined, null, "text", {}]) {
        assert.equal(isInstance(other), false, `${kind}: ${other}`);
      }
    }
  });
});
