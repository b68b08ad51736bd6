import { type Declaration, joined, type Member } from "./declarations";
import { code, linked, page, table, withoutLinks } from "./markdown";
import { sectionOf } from "./sections";

/** One page for each resource: what it is, its arguments, the shapes that they hold, its outputs. */

export interface ResourcePage {
  readonly file: string;
  readonly name: string;
  readonly args: string;
  /** Interfaces that its arguments hold. */
  readonly shapes: readonly string[];
  readonly guide: string;
  /** What has to be known before the first use. */
  readonly warning: string;
  /** How something that exists already comes under it. */
  readonly existing: string;
}

const EXISTING_NUMBERS =
  "`pulumi import` does not work: the API cannot be read. Declare all that the number has today, compare, and apply: [onboard existing numbers](../guides/existing-numbers.md).";

export const RESOURCE_PAGES: readonly ResourcePage[] = [
  {
    file: "number-assignment.md",
    name: "NumberAssignment",
    args: "NumberAssignmentArgs",
    shapes: ["InboundAgentArgs", "FallbackRoutingArgs", "PlatformIds"],
    guide: "first-number.md",
    warning: "The first `up` overwrites the number's current routing, and nothing can read it back.",
    existing: EXISTING_NUMBERS,
  },
  {
    file: "number-group.md",
    name: "NumberGroup",
    args: "NumberGroupArgs",
    shapes: ["NumberOverrideArgs", "InboundAgentArgs", "FallbackRoutingArgs"],
    guide: "many-numbers.md",
    warning:
      "The first `up` overwrites the current routing of every number, and nothing can read it back. A number that leaves the group loses its agents at the end of the run.",
    existing: EXISTING_NUMBERS,
  },
  {
    file: "community-voice.md",
    name: "CommunityVoice",
    args: "CommunityVoiceArgs",
    shapes: [],
    guide: "voices.md",
    warning:
      "The API cannot change or delete a voice: each change adds another one, and a delete leaves it in the library.",
    existing: '`adopt: "<voiceId>"` records a voice of the library in the state, and sends nothing.',
  },
  {
    file: "sms-chat.md",
    name: "SmsChat",
    args: "SmsChatArgs",
    shapes: [],
    guide: "chats.md",
    warning:
      "Creating it sends an SMS to a person. So does each replacement, and a revert of a change that deleted, replaced or renamed it.",
    existing:
      '`adopt: "<chatId>"` records a chat that has started in the state, and sends nothing. Its delete ends the chat.',
  },
];

type Declarations = ReadonlyMap<string, Declaration>;

export function need(declarations: Declarations, name: string): Declaration {
  const found = declarations.get(name);
  if (found === undefined) {
    throw new Error(`${name} is declared nowhere that the reference reads.`);
  }
  return found;
}

export function resourcePage(resourcePage: ResourcePage, declarations: Declarations): string {
  const { name, args, shapes, guide, warning, existing } = resourcePage;
  const resource = need(declarations, name);
  const { members } = need(declarations, args);
  return page(
    `# ${name}`,
    `> **${warning}**`,
    classText(resource),
    `Guide: [${guide}](../guides/${guide}). All arguments are Pulumi Inputs.`,
    "## Required arguments",
    argumentTable(
      name,
      members.filter(({ isRequired }) => isRequired),
    ),
    "## Optional arguments",
    argumentTable(
      name,
      members.filter(({ isRequired }) => !isRequired),
    ),
    ...shapes.flatMap((shape) => shapeParts(need(declarations, shape))),
    "## Outputs",
    outputTable(resource, need(declarations, args)),
    "An argument that is also an output has the value that was applied.",
    "## What exists already",
    existing,
  );
}

/** An example of a class comment leaves the import out; here it is whole. */
export function classText({ doc }: Declaration): string {
  return linked(withoutLinks(doc.text)).replace(/```ts\n([\s\S]*?)```/g, (_, example: string) => {
    const names = ["AgentPlatform", "canary", "NumberAssignment", "NumberGroup", "split"].filter((name) =>
      new RegExp(`\\b${name}\\b`).test(example),
    );
    return `\`\`\`ts\nimport { ${names.join(", ")} } from "pulumi-agent-platform";\n\n${example}\`\`\``;
  });
}

function argumentTable(owner: string, members: readonly Member[]): string {
  return table(
    ["Argument", "Type", "Meaning", "Default", "A change", "Interface"],
    members.map((member) => [
      code(member.name),
      code(member.type),
      meaning(member),
      member.isRequired ? "required" : (member.doc.tags.default ?? ""),
      member.doc.tags.change ?? "",
      sectionOf(owner, member.name),
    ]),
  );
}

function shapeParts(shape: Declaration): string[] {
  const hasChanges = shape.members.some(({ doc }) => doc.tags.change !== undefined);
  const body = hasChanges ? argumentTable(shape.name, shape.members) : plainTable(shape);
  return [`### ${shape.name}`, withoutLinks(shape.doc.text), body];
}

const plainTable = (shape: Declaration): string =>
  table(
    ["Field", "Type", "Meaning", "Interface"],
    shape.members.map((member) => [
      code(member.name),
      code(member.type),
      meaning(member),
      sectionOf(shape.name, member.name),
    ]),
  );

function outputTable(resource: Declaration, args: Declaration): string {
  const rows = resource.members.map((member) => {
    const argument = args.members.find(({ name }) => name === member.name);
    const said = meaning(member);
    return [
      code(member.name),
      code(member.type),
      said === "" && argument !== undefined ? "the argument" : said,
      member.isRequired ? "always" : "",
      sectionOf(resource.name, member.name),
    ];
  });
  return table(["Output", "Type", "Meaning", "Present", "Interface"], rows);
}

export const meaning = ({ doc }: Member): string => linked(withoutLinks(joined(doc.text)));
