import type * as z from "zod";
import { repository, version } from "../../package.json";
import { SETTINGS, type SettingKey, type SettingRow } from "../../provider/core/config/settings";
import { KINDS, type ResourceKind } from "../../provider/core/platform/kinds";
import { type Declaration, joined, type Member, need } from "./declarations";
import { exampleSection } from "./examples";
import { sentence, withoutLinks, withoutSections } from "./markdown";

/**
 * The package as programs in YAML, Python and Go see it: made from the same comments as the reference, so that no argument is
 * described twice.
 */

const PACKAGE = "agent-platform";
/** Where the project is on the web: package.json says it once, and npm holds a release's provenance against it. */
const HOME = repository.url.replace(/^git\+|\.git$/g, "");
const tokenOf = (name: string): string => `${PACKAGE}:index:${name}`;

type Properties = Readonly<Record<string, SchemaType>>;

/** The schema's type for each interface of TypeScript. */
const NAMED: Readonly<Record<string, string>> = {
  Rollout: "ResolvedRollout",
  NamedRollout: "NamedRollout",
  PromoteGates: "PromoteGates",
  Aborted: "AbortedRollout",
  PlatformIds: "PlatformIds",
};

export function packageSchema(): object {
  const settings = providerInputs();
  return {
    name: PACKAGE,
    displayName: "Agent Platform",
    version,
    description: "The agents of phone numbers as code, for a platform of AI agents that answer calls and chats.",
    license: "MIT",
    homepage: HOME,
    repository: HOME,
    publisher: "pulumi-agent-platform",
    // The SDK for Go is a module of its own then.
    meta: { supportPack: true },
    config: { variables: configVariables(settings) },
    provider: {
      description: "The platform and the account of a stack: the settings of its config.",
      inputProperties: settings,
      requiredInputs: ["baseUrl"],
    },
    types: Object.fromEntries(Object.entries(NAMED).map(([source, name]) => [tokenOf(name), objectOf(need(source))])),
    resources: Object.fromEntries(KINDS.map((kind) => [tokenOf(kind), resourceOf(kind)])),
    language: {
      nodejs: { packageName: "pulumi-agent-platform", respectSchemaVersion: true },
      python: { packageName: "pulumi_agent_platform", pyproject: { enabled: true }, respectSchemaVersion: true },
      go: {
        importBasePath: `${HOME.replace("https://", "")}/sdk/go/agentplatform`,
        generateResourceContainerTypes: false,
        respectSchemaVersion: true,
      },
    },
  };
}

function objectOf({ doc, members }: Declaration): SchemaType {
  return {
    type: "object",
    description: plain(doc.text),
    properties: propertiesOf(members),
    required: requiredOf(members),
  };
}

function resourceOf(kind: ResourceKind): SchemaType {
  const resource = need(kind);
  const args = need(`${kind}Args`);
  const inputProperties = propertiesOf(args.members);
  // The example of the comment is a Node program's.
  const text = plain(resource.doc.text.replace(/```[\s\S]*?```/g, ""));
  return {
    description: `${text}\n\n${exampleSection(kind)}`,
    properties: outputsOf(resource, args),
    required: requiredOf(resource.members),
    inputProperties,
    requiredInputs: requiredOf(args.members),
    aliases: [{ type: `pulumi-nodejs:dynamic/${PACKAGE}:${kind}` }],
  };
}

const requiredOf = (members: readonly Member[]): string[] =>
  members.filter(({ isRequired }) => isRequired).map(({ name }) => name);

const propertiesOf = (members: readonly Member[]): Properties =>
  Object.fromEntries(members.map((member) => [member.name, propertyOf(member)]));

function propertyOf(member: Member): SchemaType {
  const { tags } = member.doc;
  const sentences = [
    plain(member.doc.text),
    tags.default === undefined ? "" : `Default: ${plain(tags.default)}.`,
    tags.change === undefined ? "" : `A change: ${plain(tags.change)}.`,
  ];
  return {
    ...schemaType(member),
    description: sentences.filter((sentence) => sentence !== "").join(" "),
    ...(tags.change?.startsWith("replaces") ? { willReplaceOnChanges: true } : {}),
  };
}

/** An output of the name of an argument is described there. */
function outputsOf(resource: Declaration, args: Declaration): Properties {
  return Object.fromEntries(
    resource.members.map((member) => {
      const argument = args.members.find(({ name }) => name === member.name);
      const doc = member.doc.text === "" && argument !== undefined ? argument.doc : member.doc;
      return [member.name, { ...schemaType({ type: member.type, doc }), description: plain(doc.text) }];
    }),
  );
}

/** What a setting means is in the table of settings. */
const providerInputs = (): Properties =>
  Object.fromEntries(
    Object.entries<SettingRow>(SETTINGS).map(([key, { meaning, secret }]) => [
      key,
      {
        ...typeOf(SETTING_TYPES[key as SettingKey]),
        description: plain(sentence(meaning)),
        ...(secret && { secret }),
      },
    ]),
  );

/** What may stand for a value. */
type TypeName<Value> = Value extends string
  ? "string"
  : Value extends number
    ? "number" | "integer"
    : Value extends boolean
      ? "boolean"
      : string;

const SETTING_TYPES: { readonly [Key in SettingKey]: TypeName<z.infer<(typeof SETTINGS)[Key]["schema"]>> } = {
  baseUrl: "string",
  accessToken: "string",
  workspaceId: "integer",
  rollouts: "Record<string, NamedRollout>",
  clearWith: "string",
  onMismatch: "string",
  requestTimeout: "number",
  voiceHeaders: "Record<string, string>",
  weightTotal: "number",
  maxShift: "number",
  steps: "number[]",
  requireVersions: "boolean",
  approvedAgents: "string | string[]",
  maxUnapproved: "number",
  maxRemove: "integer",
  freeze: "string",
};

/** A stack's config holds texts alone, also for a setting that is a list or a path. */
const configVariables = (settings: Properties): Properties =>
  Object.fromEntries(
    Object.entries(settings).map(([name, { oneOf, ...setting }]) => [
      name,
      oneOf === undefined ? setting : { type: "string", ...setting },
    ]),
  );

const plain = (text: string): string => withoutSections(withoutLinks(joined(text)));

// --- a type of a TypeScript interface as Pulumi's schema has it; what is not here has no counterpart, and is an error

type SchemaType = Readonly<Record<string, unknown>>;

const ANY: SchemaType = { $ref: "pulumi.json#/Any" };
const PRIMITIVES: Readonly<Record<string, SchemaType>> = {
  string: { type: "string" },
  number: { type: "number" },
  integer: { type: "integer" },
  boolean: { type: "boolean" },
  unknown: ANY,
};

/** In every language a split is a map from agent and version to weight; a list of objects is the Node program's. */
const SPLIT: SchemaType = { type: "object", additionalProperties: { type: "number" } };

function schemaType({ type, doc }: Pick<Member, "type" | "doc">): SchemaType {
  if (type === "number" && /\binteger\b/.test(doc.text)) {
    return { type: "integer" };
  }
  return typeOf(type);
}

function typeOf(text: string): SchemaType {
  const alternatives = text.split(" | ");
  if (alternatives.length > 1) {
    return union(alternatives);
  }
  const found = PRIMITIVES[text];
  if (found !== undefined) {
    return found;
  }
  if (/^".*"$/.test(text) || text.startsWith("(typeof ")) {
    return { type: "string" };
  }
  if (text === "InboundAgentArgs[]") {
    return SPLIT;
  }
  if (text.endsWith("[]")) {
    return { type: "array", items: typeOf(text.slice(0, -2).replace(/^\((.*)\)$/, "$1")) };
  }
  const map = /^Record<string, (.*)>$/.exec(text);
  if (map?.[1] !== undefined) {
    return { type: "object", additionalProperties: typeOf(map[1]) };
  }
  const name = NAMED[text];
  if (name === undefined) {
    throw new Error(`The schema has no type for \`${text}\`.`);
  }
  return { $ref: `#/types/agent-platform:index:${name}` };
}

/** Several texts that are allowed are one type. A union with a type that may be anything is anything. */
function union(parts: readonly string[]): SchemaType {
  const types = parts.map(typeOf);
  const distinct = [...new Map(types.map((one) => [JSON.stringify(one), one])).values()];
  const [only] = distinct;
  if (only !== undefined && distinct.length === 1) {
    return only;
  }
  return distinct.some((one) => JSON.stringify(one).includes("Any")) ? ANY : { oneOf: distinct };
}
