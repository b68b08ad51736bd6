import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, it } from "mocha";
import { SETTINGS } from "../../provider/core/config/settings";
import { KINDS } from "../../provider/core/platform/kinds";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { packageSchema } from "../../tools/reference/schema";

interface Resource {
  readonly description: string;
  readonly properties: object;
  readonly inputProperties: Readonly<Record<string, { readonly type?: string; readonly oneOf?: object[] }>>;
  readonly requiredInputs: readonly string[];
  readonly aliases: readonly object[];
}
interface Property {
  readonly type?: string;
  readonly oneOf?: readonly object[];
  readonly description: string;
}
interface Schema {
  readonly config: { readonly variables: Readonly<Record<string, Property>> };
  readonly types: Readonly<
    Record<string, { readonly properties: Readonly<Record<string, Property>>; readonly required: readonly string[] }>
  >;
  readonly resources: Readonly<Record<string, Resource>>;
  readonly provider: { readonly inputProperties: Readonly<Record<string, { secret?: boolean }>> };
}

const schemaFile = join(__dirname, "../../provider/edge/schema.json");
const schema = JSON.parse(readFileSync(schemaFile, "utf8")) as Schema;

describe("the plugin's schema", () => {
  it("is one that the CLI takes, from which `pulumi package add` makes an SDK in any language", async () => {
    const { directory } = await findOrInstallEngine();
    await promisify(execFile)(join(directory, "pulumi"), ["schema", "check", schemaFile]);
  });

  it("is what `npm run docs` makes of the comments", () => {
    assert.deepEqual(schema, JSON.parse(JSON.stringify(packageSchema())));
  });

  it("has every kind, under the name that a dynamic state is taken over from", () => {
    for (const kind of KINDS) {
      const aliases = schema.resources[`agent-platform:index:${kind}`]?.aliases;
      assert.deepEqual(aliases, [{ type: `pulumi-nodejs:dynamic/agent-platform:${kind}` }]);
    }
    assert.equal(Object.keys(schema.resources).length, KINDS.length);
  });

  it("has every setting, and the token as a secret", () => {
    const inputs = schema.provider.inputProperties;
    assert.deepEqual(Object.keys(inputs).sort(), Object.keys(SETTINGS).sort());
    assert.deepEqual(
      Object.keys(inputs).filter((name) => inputs[name]?.secret),
      ["accessToken"],
    );
  });

  it("takes a split as a map, numbers as a list or a map, and an integer for one", () => {
    const { inputProperties, requiredInputs } = schema.resources["agent-platform:index:NumberGroup"] as Resource;
    const typesOf = (name: string) => {
      const { type, oneOf = [] } = inputProperties[name] ?? {};
      return type ?? oneOf.map((one) => (one as { type: string }).type);
    };
    assert.equal(typesOf("inboundAgents"), "object");
    assert.deepEqual(typesOf("numbers"), ["array", "object"]);
    assert.equal(typesOf("workspaceId"), "integer");
    assert.deepEqual(requiredInputs, ["numbers"]);
  });

  it("tells of each property what it is, and of an input's field whether it is required", () => {
    const { types, config } = schema;
    const properties = [config, ...Object.values(types)].flatMap((one) =>
      Object.entries("variables" in one ? one.variables : one.properties),
    );
    assert.deepEqual(
      properties.filter(([, { description }]) => !/^[A-Z].*\.$/.test(description)).map(([name]) => name),
      [],
    );
    assert.deepEqual(types["agent-platform:index:NamedRollout"]?.required, ["stable"]);
  });
});
