import { version } from "../../package.json";
import { SETTINGS, type SettingKey } from "../../provider/core/settings";
import { type Declaration, joined, type Member } from "../reference/declarations";
import { withoutLinks } from "../reference/markdown";
import { declarations } from "../reference/pages";
import { RESOURCE_PAGES } from "../reference/resourcePages";
import { NAMED, need, type SchemaType, schemaType } from "./types";

/**
 * The package as programs in YAML, Python and Go see it: made from the same comments as the reference, so that no argument is
 * described twice.
 */

const PACKAGE = "agent-platform";
const tokenOf = (name: string): string => `${PACKAGE}:index:${name}`;

type Properties = Readonly<Record<string, SchemaType>>;

export function packageSchema(): object {
  const settings = providerInputs();
  return {
    name: PACKAGE,
    displayName: "Agent Platform",
    version,
    description: "The agents of phone numbers as code, for a platform of AI agents that answer calls and chats.",
    keywords: ["pulumi", PACKAGE, "category/cloud"],
    license: "MIT",
    // The SDK for Go is a module of its own then.
    meta: { supportPack: true },
    config: { variables: withoutKeys(settings, ["accessTokenEnv"]) },
    provider: {
      description: need(declarations, "AgentPlatform").doc.text.split("\n").join(" "),
      inputProperties: settings,
      requiredInputs: ["baseUrl"],
    },
    types: Object.fromEntries(SHAPES.map(([name, source]) => [tokenOf(name), objectOf(need(declarations, source))])),
    resources: Object.fromEntries(RESOURCE_PAGES.map(({ name, args }) => [tokenOf(name), resourceOf(name, args)])),
    language: {
      nodejs: { packageName: "@pulumi/agent-platform", respectSchemaVersion: true },
      python: { packageName: "pulumi_agent_platform", pyproject: { enabled: true }, respectSchemaVersion: true },
      go: { generateResourceContainerTypes: false, respectSchemaVersion: true },
    },
  };
}

/** The schema's types, and the interfaces that describe them. */
const SHAPES = [...new Map(Object.entries(NAMED).map(([source, name]) => [name, source])).entries()].map(
  ([name, source]) => [name, source] as const,
);

function objectOf({ doc, members }: Declaration): SchemaType {
  return { type: "object", description: plain(doc.text), properties: propertiesOf(members) };
}

function resourceOf(name: string, argsName: string): SchemaType {
  const resource = need(declarations, name);
  const args = need(declarations, argsName);
  return {
    // An example of a comment is a Node program's.
    description: plain(resource.doc.text.replace(/```[\s\S]*?```/g, "")),
    properties: outputsOf(resource, args),
    required: requiredOf(resource.members),
    inputProperties: propertiesOf(args.members),
    requiredInputs: requiredOf(args.members),
    aliases: [{ type: `pulumi-nodejs:dynamic/${PACKAGE}:${name}` }],
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

/** What a setting means stands in the table of settings; of `accessTokenEnv`, which is no setting, in the comment. */
function providerInputs(): Properties {
  const { members } = need(declarations, "AgentPlatformArgs");
  return Object.fromEntries(
    members.map((member) => {
      const row = member.name in SETTINGS ? SETTINGS[member.name as SettingKey] : undefined;
      const description = row === undefined ? plain(member.doc.text) : row.meaning;
      const isInteger = row?.schema.safeParse(1).success === true && !row.schema.safeParse(1.5).success;
      return [
        member.name,
        {
          ...(isInteger ? { type: "integer" } : schemaType(member)),
          description,
          ...(member.name === "accessToken" ? { secret: true } : {}),
        },
      ];
    }),
  );
}

const withoutKeys = (all: Properties, names: readonly string[]): Properties =>
  Object.fromEntries(Object.entries(all).filter(([name]) => !names.includes(name)));

const plain = (text: string): string => withoutLinks(joined(text));
