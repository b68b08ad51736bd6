import { isOfNumbers, KINDS, type ResourceKind } from "../../provider/config/kinds";
import { find, joined, type Member, need } from "./declarations";
import { exampleOf, fence } from "./examples";
import { KIND_ROWS } from "./kinds";
import { code, linked, list, page, withoutLinks, withoutSections } from "./markdown";

/** Makes one page for each resource. */

const fileOf = (kind: ResourceKind): string => `${kind.replace(/(?<=[a-z])[A-Z]/g, "-$&").toLowerCase()}.md`;

/** A group shares most of its arguments with a single number, so its page lists only the rest. */
const LIKE: Partial<Record<ResourceKind, ResourceKind>> = { NumberGroup: "NumberAssignment" };

function resourcePage(kind: ResourceKind): string {
  const { guide, warning, existing, onDelete } = KIND_ROWS[kind];
  const like = LIKE[kind];
  const others = like === undefined ? [] : need(`${like}Args`).members.concat(need(like).members);
  const isOwn = ({ name }: Member) => !others.some((other) => other.name === name);
  const members = need(`${kind}Args`).members;
  const args = members.filter(isOwn);
  const outputs = need(kind).members.filter(
    (output) => isOwn(output) && !members.some(({ name }) => name === output.name),
  );
  const section = (title: string, members: readonly Member[]) =>
    members.length === 0 ? "" : `${title}\n\n${list(members.flatMap((member) => lines(member)))}`;
  return page(
    `# ${kind}`,
    `> **${warning}**`,
    `${firstSentence(need(kind).doc.text)} [Guide](../${guide}).`,
    fence("ts", exampleOf(kind)),
    section(
      "## Required",
      args.filter(({ isRequired }) => isRequired),
    ),
    section(
      "## Optional\n\nArguments without a default are sent only if you set them.",
      args.filter(({ isRequired }) => !isRequired),
    ),
    like === undefined
      ? ""
      : `All other arguments and outputs are those of a [${like}](${fileOf(like)}), and apply to each number in the group.`,
    outputsOf(outputs),
    isOfNumbers(kind) ? "" : RETURNED,
    like === undefined ? "All arguments are also available as outputs, with the values that were applied." : "",
    existing === undefined ? "" : `## Import\n\n${existing}`,
    onDelete === undefined ? "" : `## Delete\n\n${onDelete}`,
  );
}

/** Defaults that the page states once for all arguments. */
const NOT_SENT = /^(none|not sent|never sent|the header is not sent)$/;

/** For voices and chats. The doc comments describe each output. */
const RETURNED =
  "These outputs contain what the platform returned on creation, and are not updated later. The API does not specify their values or format.";

/** Lists the outputs. Unlike the arguments, they are listed without the fields of their types. */
const outputsOf = (outputs: readonly Member[]): string =>
  outputs.length === 0 ? "" : `## Outputs\n\n${list(outputs.flatMap((output) => lines(output).slice(0, 1)))}`;

/** Returns a list item for an argument or output. If the type is one of ours, its fields follow as nested items. */
function lines({ name, type, doc }: Member, indent = ""): string[] {
  const { default: standard, change } = doc.tags;
  const sentences = [
    ...(standard === undefined || NOT_SENT.test(standard) ? [] : [`Default: ${joined(standard)}.`]),
    // For voices, the warning at the top covers this.
    ...(change?.startsWith("replaces the") ? [`**Changing ${code(name)} ${joined(change)}.**`] : []),
  ].filter((sentence) => sentence !== "");
  const fields = [...type.matchAll(/\b[A-Z]\w+\b/g)].flatMap(([shape]) => find(shape)?.members ?? []);
  return [
    [`${indent}- ${code(name)} ${code(type)}: ${meaning(doc.text)}`, ...sentences].join(" "),
    ...fields.flatMap((field) => lines(field, `${indent}  `)),
  ];
}

const meaning = (text: string): string => linked(withoutSections(withoutLinks(joined(text))));

/** The text up to the first full stop that ends a sentence. */
const firstSentence = (text: string): string =>
  linked(
    withoutSections(withoutLinks(/^.*?\.(?= [A-Z`[]|$)/.exec(joined(text.split("\n\n")[0]))?.[0] ?? joined(text))),
  );

export const resourcePages = (): [file: string, text: string][] =>
  KINDS.map((kind) => [fileOf(kind), resourcePage(kind)]);
