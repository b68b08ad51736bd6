import { KINDS, type ResourceKind } from "../../provider/core/platform/kinds";
import { NAMED_FIELDS } from "../../provider/core/routing/fields";
import { type Declaration, joined, type Member, need } from "./declarations";
import { code, linked, page, sectionLink, table, withoutLinks } from "./markdown";

/** One page for each resource: what it is, its arguments, the shapes that they hold, its outputs. */

export interface ResourcePage extends PageOfKind {
  /** `sms-chat.md` */
  readonly file: string;
  readonly name: ResourceKind;
  /** The interface of its arguments. */
  readonly args: string;
}

interface PageOfKind {
  /** What it is, in the list of pages. */
  readonly what: string;
  /** Interfaces that its arguments hold, and those that another page shows. */
  readonly shapes: readonly string[];
  readonly elsewhere?: string;
  readonly guide: string;
  /** What has to be known before the first use. */
  readonly warning: string;
  /** How something that exists already comes under it. */
  readonly existing: string;
}

const EXISTING_NUMBERS =
  "`pulumi import` cannot read the API, and fails in a TypeScript program. Declare all that the number has today, compare, and apply: [onboard existing numbers](../guides/existing-numbers.md). For YAML, Python and Go there is [an import file](../guides/yaml.md#5-numbers-that-have-agents-already) that says what the number has.";

const PAGES: Readonly<Record<ResourceKind, PageOfKind>> = {
  NumberAssignment: {
    what: "the agents of one number",
    shapes: [
      "RolloutArgs",
      "NamedRolloutArgs",
      "PromoteGatesArgs",
      "AbortedRolloutArgs",
      "InboundAgentArgs",
      "FallbackRoutingArgs",
      "PlatformIds",
    ],
    guide: "first-number.md",
    warning: "The first `up` overwrites the number's current routing, and nothing can read it back.",
    existing: EXISTING_NUMBERS,
  },
  NumberGroup: {
    what: "one routing over many numbers",
    shapes: ["NumberOverrideArgs"],
    elsewhere:
      "[RolloutArgs](number-assignment.md#rolloutargs), [InboundAgentArgs](number-assignment.md#inboundagentargs) and [FallbackRoutingArgs](number-assignment.md#fallbackroutingargs) are those of a NumberAssignment.",
    guide: "many-numbers.md",
    warning:
      "The first `up` overwrites the current routing of every number, and nothing can read it back. A number that leaves the group loses its agents at the end of the run.",
    existing: EXISTING_NUMBERS,
  },
  CommunityVoice: {
    what: "a voice in a workspace's library",
    shapes: [],
    guide: "voices.md",
    warning:
      "The API cannot change or delete a voice: each change adds another one, and a delete leaves it in the library.",
    existing: '`adopt: "<voiceId>"` records a voice of the library in the state, and sends nothing.',
  },
  SmsChat: {
    what: "an outbound SMS chat",
    shapes: [],
    guide: "chats.md",
    warning:
      "Creating it sends an SMS to a person. So does each replacement, and a revert of a change that deleted, replaced or renamed it.",
    existing:
      '`adopt: "<chatId>"` records a chat that has started in the state, and sends nothing. Its delete ends the chat.',
  },
};

/** The page of each kind, in the order of the kinds. */
export const RESOURCE_PAGES: readonly ResourcePage[] = KINDS.map((name) => ({
  name,
  file: `${name.replace(/(?<=[a-z])[A-Z]/g, "-$&").toLowerCase()}.md`,
  args: `${name}Args`,
  ...PAGES[name],
}));

export function resourcePage({ name, args, shapes, elsewhere, guide, warning, existing }: ResourcePage): string {
  const resource = need(name);
  const { members } = need(args);
  const argumentsThat = (areRequired: boolean) => members.filter(({ isRequired }) => isRequired === areRequired);
  return page(
    `# ${name}`,
    `> **${warning}**`,
    classText(resource),
    `Guide: [${guide}](../guides/${guide}). All arguments are Pulumi Inputs.`,
    "## Required arguments",
    argumentTable(name, argumentsThat(true)),
    "## Optional arguments",
    argumentTable(name, argumentsThat(false)),
    ...shapes.flatMap((shape) => shapeParts(need(shape))),
    elsewhere ?? "",
    "## Outputs",
    ...outputParts(resource, need(args)),
    "## What exists already",
    existing,
  );
}

/** An example of a class comment leaves the import out; here it is whole. */
export function classText({ doc }: Declaration): string {
  return linked(withoutLinks(doc.text)).replace(/```ts\n([\s\S]*?)```/g, (_, example: string) => {
    const names = ["AgentPlatform", "NumberAssignment", "NumberGroup", "split"].filter((name) =>
      new RegExp(`\\b${name}\\b`).test(example),
    );
    return `\`\`\`ts\nimport { ${names.join(", ")} } from "pulumi-agent-platform";\n\n${example}\`\`\``;
  });
}

/** What a column has, by its heading. */
export type Columns = Readonly<Record<string, (member: Member) => string>>;

/** A row for each member: its name, its type, and what more there is to say. */
export function memberTable(what: string, members: readonly Member[], columns: Columns): string {
  const cells: Columns = { [what]: ({ name }) => code(name), Type: ({ type }) => code(type), ...columns };
  return table(
    Object.keys(cells),
    members.map((member) => Object.values(cells).map((cellOf) => cellOf(member))),
  );
}

const argumentTable = (owner: string, members: readonly Member[]): string =>
  memberTable("Argument", members, {
    Meaning: meaning,
    Default: defaultOf,
    "A change": ({ doc }) => doc.tags.change ?? "",
    Interface: sectionOf(owner),
  });

export const defaultOf = ({ isRequired, doc }: Member): string => (isRequired ? "required" : (doc.tags.default ?? ""));

function shapeParts({ name, doc, members }: Declaration): string[] {
  const hasChanges = members.some((member) => member.doc.tags.change !== undefined);
  const plain = () => memberTable("Field", members, { Meaning: meaning, Interface: sectionOf(name) });
  return [`### ${name}`, withoutLinks(doc.text), hasChanges ? argumentTable(name, members) : plain()];
}

/** An output that has no words of its own is an argument: its table has them. */
function outputParts({ name, members }: Declaration, args: Declaration): string[] {
  const isArgument = (member: Member) =>
    meaning(member) === "" && args.members.some((argument) => argument.name === member.name);
  const shared = (areRequired: boolean, when: string): string => {
    const names = members.filter((member) => isArgument(member) && member.isRequired === areRequired);
    return names.length === 0 ? "" : ` ${when}: ${names.map((member) => code(member.name)).join(", ")}.`;
  };
  return [
    `These arguments are outputs as well, with the value that was applied.${shared(true, "Always")}${shared(false, "If they were given")}`,
    memberTable(
      "Output",
      members.filter((member) => !isArgument(member)),
      {
        Meaning: meaning,
        Present: ({ isRequired }) => (isRequired ? "always" : ""),
        Interface: sectionOf(name),
      },
    ),
  ];
}

export const meaning = ({ doc }: Member): string => linked(withoutLinks(joined(doc.text)));

/** Where the interface has what an argument or an output carries; what is not here is ours and never sent. */
type Sections = Readonly<Record<string, string>>;

const named = (section: string, names: readonly string[]): Sections =>
  Object.fromEntries(names.map((name) => [name, `${section} \`${name}\``]));

const ASSIGNMENT: Sections = { ...named("4.1", NAMED_FIELDS), extraFields: "4.1, as they are" };

const SECTIONS_OF_KINDS: Readonly<Record<ResourceKind, Sections>> = {
  NumberAssignment: { number: "4.1 path", ...ASSIGNMENT, platformIds: "2.2" },
  NumberGroup: { numbers: "4.1 path", overrides: "4.1", ...ASSIGNMENT },
  CommunityVoice: {
    ...named("4.3", ["workspaceId", "voiceProvider", "providerVoiceId", "voiceName", "publicUserId"]),
    actorType: "4.3 header",
    providerScope: "4.3 header",
    workspaceContext: "4.3 header",
    ...named("2.5", ["voiceId", "name", "gender", "language", "accent", "description", "provider", "previewUrl"]),
    ...named("2.5", ["playbackOverrideUrl", "tags", "createdAt", "updatedAt"]),
  },
  SmsChat: {
    workspaceId: "4.2 `workspaceId`",
    agentId: "4.2 `agent_id`",
    fromNumber: "4.2 `from_number`",
    toNumber: "4.2 `to_number`",
    metadata: "4.2 `metadata`",
    serviceDynamicVariables: "4.2 `service_dynamic_variables`",
    ...named("2.4", ["chatId", "version", "status", "type", "customAttributes", "startedAt", "endedAt", "transcript"]),
    ...named("2.4", ["messages", "chatCost", "chatAnalysis", "collectedDynamicVariables", "overrideDynamicVariables"]),
  },
};

export const SECTIONS: Readonly<Record<string, Sections>> = {
  ...SECTIONS_OF_KINDS,
  InboundAgentArgs: {
    agentId: "2.1 `agent_id`",
    agentVersion: "2.1 `agent_version`",
    weight: "2.1 `weight`",
  },
  FallbackRoutingArgs: ASSIGNMENT,
  NumberOverrideArgs: ASSIGNMENT,
  PlatformIds: {
    id: "2.2 `id`",
    phoneNumberSid: "2.2 `phone_number_sid`",
    applicationSid: "2.2 `application_sid`",
    baseNumber: "2.2 `base_number`",
  },
};

const sectionOf =
  (owner: string) =>
  ({ name }: Member): string =>
    (SECTIONS[owner]?.[name] ?? "ours").replace(/^\d\.\d/, (section) => sectionLink(section, "../interface.md"));
