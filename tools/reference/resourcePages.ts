import { KINDS, type ResourceKind } from "../../provider/core/platform/kinds";
import { type Declaration, joined, type Member, need } from "./declarations";
import { KIND_ROWS, type KindRow, type Sections } from "./kinds";
import { code, linked, page, sectionLink, table, withoutLinks } from "./markdown";

/** One page for each resource: what it is, its arguments, the shapes that they hold, its outputs. */

interface ResourcePage extends KindRow {
  /** `sms-chat.md` */
  readonly file: string;
  readonly name: ResourceKind;
  /** The interface of its arguments. */
  readonly args: string;
}

/** The page of each kind, in the order of the kinds. */
export const RESOURCE_PAGES: readonly ResourcePage[] = KINDS.map((name) => ({
  name,
  file: `${name.replace(/(?<=[a-z])[A-Z]/g, "-$&").toLowerCase()}.md`,
  args: `${name}Args`,
  ...KIND_ROWS[name],
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
function classText({ doc }: Declaration): string {
  return linked(withoutLinks(doc.text)).replace(/```ts\n([\s\S]*?)```/g, (_, example: string) => {
    const names = ["NumberAssignment", "NumberGroup", "split"].filter((name) =>
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

const defaultOf = ({ isRequired, doc }: Member): string => (isRequired ? "required" : (doc.tags.default ?? ""));

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

const meaning = ({ doc }: Member): string => linked(withoutLinks(joined(doc.text)));

/** Where the interface has what a member of an interface carries. */
export const SECTIONS: Readonly<Record<string, Sections>> = {
  ...Object.fromEntries(RESOURCE_PAGES.map(({ name, sections }) => [name, sections])),
  InboundAgentArgs: {
    agentId: "2.1 `agent_id`",
    agentVersion: "2.1 `agent_version`",
    weight: "2.1 `weight`",
  },
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
