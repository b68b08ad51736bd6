import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { dynamicType, isOfNumbers, providerText, type ResourceKind } from "../../provider/core/platform/kinds";

/** States as `pulumi stack export` prints them, made by hand; what the real engine writes is tested beside them. */

type Properties = Readonly<Record<string, unknown>>;

export const platform = "https://platform.example";

export const secret = (ciphertext: string) => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  ciphertext,
});

export interface Entry {
  readonly kind: ResourceKind;
  readonly name: string;
  readonly id: string;
  readonly outputs: Properties;
  readonly more?: Properties;
}

export interface Written {
  readonly stack?: string;
  readonly entries?: readonly Entry[];
  readonly pending?: readonly (Omit<Entry, "id"> & { readonly operation: string })[];
}

const urn = (stack: string, type: string, name: string) => `urn:pulumi:${stack}::phones::${type}::${name}`;

export function exported({ stack = "dev", entries = [], pending = [] }: Written): string {
  const resource = ({ kind, name, id, outputs, more }: Entry) => ({
    urn: urn(stack, dynamicType(kind), name),
    custom: true,
    id,
    type: dynamicType(kind),
    inputs: { ...(isOfNumbers(kind) && { endpoint: platform }), ...outputs, __provider: providerText(kind) },
    outputs: { endpoint: platform, __provider: providerText(kind), ...outputs },
    provider: `${urn(stack, "pulumi:providers:pulumi-nodejs", "default")}::0c45`,
    ...more,
  });
  const root = { urn: urn(stack, "pulumi:pulumi:Stack", "phones-dev"), custom: false, type: "pulumi:pulumi:Stack" };
  const foreign = { urn: urn(stack, "other:index:Thing", "x"), custom: true, type: "other:index:Thing", id: "1" };
  return JSON.stringify({
    version: 3,
    deployment: {
      resources: [root, foreign, ...entries.map(resource)],
      ...(pending.length === 0
        ? {}
        : {
            pending_operations: pending.map((one) => ({ type: one.operation, resource: resource({ id: "", ...one }) })),
          }),
    },
  });
}

export const number = (name: string, id: string, outputs: Properties = {}, more: Properties = {}): Entry => ({
  kind: "NumberAssignment",
  name,
  id,
  outputs: { number: id, inboundAgents: { "agent_a@1": 90, "agent_b@2": 10 }, ...outputs },
  more,
});

export const group = (name: string, numbers: string, outputs: Properties = {}, more: Properties = {}): Entry => ({
  kind: "NumberGroup",
  name,
  id: `group-${name}`,
  outputs: { numbers, inboundAgents: { "agent_a@1": 70, "agent_b@2": 30 }, ...outputs },
  more,
});

/** A folder with these files, for as long as the test runs. */
export async function withFiles<Result>(
  files: Readonly<Record<string, string | Uint8Array>>,
  test: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "agent-platform-cli-")));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  try {
    return await test(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
