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
}

export const RESOURCE_PAGES: readonly ResourcePage[] = [
  {
    file: "number-assignment.md",
    name: "NumberAssignment",
    args: "NumberAssignmentArgs",
    shapes: ["InboundAgentArgs", "FallbackRoutingArgs", "PlatformIds"],
    guide: "first-number.md",
  },
  {
    file: "number-group.md",
    name: "NumberGroup",
    args: "NumberGroupArgs",
    shapes: ["NumberOverrideArgs", "InboundAgentArgs", "FallbackRoutingArgs"],
    guide: "many-numbers.md",
  },
  { file: "community-voice.md", name: "CommunityVoice", args: "CommunityVoiceArgs", shapes: [], guide: "voices.md" },
  { file: "sms-chat.md", name: "SmsChat", args: "SmsChatArgs", shapes: [], guide: "chats.md" },
];

type Declarations = ReadonlyMap<string, Declaration>;

export function need(declarations: Declarations, name: string): Declaration {
  const found = declarations.get(name);
  if (found === undefined) throw new Error(`${name} is declared nowhere that the reference reads.`);
  return found;
}

export function resourcePage({ name, args, shapes, guide }: ResourcePage, declarations: Declarations): string {
  const resource = need(declarations, name);
  return page(
    `# ${name}`,
    classText(resource),
    `Guide: [${guide}](../guides/${guide}). All arguments are Pulumi Inputs.`,
    "## Arguments",
    argumentTable(name, need(declarations, args)),
    ...shapes.flatMap((shape) => shapeParts(need(declarations, shape))),
    "## Outputs",
    outputTable(resource, need(declarations, args)),
    "An argument that is an output too holds what was applied.",
  );
}

/** An example of a class comment leaves the import out; here it is whole. */
export function classText({ doc }: Declaration): string {
  return withoutLinks(doc.text).replace(/```ts\n([\s\S]*?)```/g, (_, example: string) => {
    const names = ["AgentPlatform", "canary", "NumberAssignment", "NumberGroup", "split"].filter((name) =>
      new RegExp(`\\b${name}\\b`).test(example),
    );
    return `\`\`\`ts\nimport { ${names.join(", ")} } from "pulumi-agent-platform";\n\n${example}\`\`\``;
  });
}

export function argumentTable(owner: string, { members }: Declaration): string {
  const rows = [...members].sort((a, b) => Number(b.isRequired) - Number(a.isRequired));
  return table(
    ["Argument", "Type", "Meaning", "Default", "A change", "Interface"],
    rows.map((member) => [
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
  const body = hasChanges ? argumentTable(shape.name, shape) : plainTable(shape);
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
