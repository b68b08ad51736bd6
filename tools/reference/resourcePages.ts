import { isOfNumbers, KINDS, type ResourceKind } from "../../provider/config/kinds";
import { find, joined, type Member, need } from "./declarations";
import { exampleOf, fence } from "./examples";
import { KIND_ROWS } from "./kinds";
import { code, linked, list, page, withoutLinks, withoutSections } from "./markdown";

/** One page for each resource. */

const fileOf = (kind: ResourceKind): string => `${kind.replace(/(?<=[a-z])[A-Z]/g, "-$&").toLowerCase()}.md`;

/** A group has what a single number has, and prints what is its own. */
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
      "## Optional\n\nWithout a default here, nothing is sent for it.",
      args.filter(({ isRequired }) => !isRequired),
    ),
    like === undefined ? "" : `All else is as of a [${like}](${fileOf(like)}), for each of its numbers.`,
    outputsOf(outputs),
    isOfNumbers(kind) ? "" : RETURNED,
    like === undefined ? "Its arguments are outputs as well, with the value that was applied." : "",
    existing === undefined ? "" : `## Import\n\n${existing}`,
    onDelete === undefined ? "" : `## Delete\n\n${onDelete}`,
  );
}

/** Defaults that are said once for all. */
const NOT_SENT = /^(none|not sent|never sent|the header is not sent)$/;

/** Of voices and chats. The comments of the package say what each is. */
const RETURNED =
  "They are what the platform returned when it was created. It is never read again, and the API does not specify its values and forms.";

/** Without the fields of a type: only an argument needs them. */
const outputsOf = (outputs: readonly Member[]): string =>
  outputs.length === 0 ? "" : `## Outputs\n\n${list(outputs.flatMap((output) => lines(output).slice(0, 1)))}`;

/** Name, type, meaning, default and what a change does; of a type of ours its fields below it. */
function lines({ name, type, doc }: Member, indent = ""): string[] {
  const { default: standard, change } = doc.tags;
  const sentences = [
    ...(standard === undefined || NOT_SENT.test(standard) ? [] : [`Default: ${joined(standard)}.`]),
    // The warning of a voice says it of all.
    ...(change?.startsWith("replaces:") ? [`**A change ${joined(change)}.**`] : []),
  ].filter((sentence) => sentence !== "");
  const fields = [...type.matchAll(/\b[A-Z]\w+\b/g)].flatMap(([shape]) => find(shape)?.members ?? []);
  return [
    [`${indent}- ${code(name)} ${code(type)}: ${meaning(doc.text)}`, ...sentences].join(" "),
    ...fields.flatMap((field) => lines(field, `${indent}  `)),
  ];
}

const meaning = (text: string): string => linked(withoutSections(withoutLinks(joined(text))));

/** A point behind which a new sentence begins, or the end. */
const firstSentence = (text: string): string =>
  linked(
    withoutSections(withoutLinks(/^.*?\.(?= [A-Z`[]|$)/.exec(joined(text.split("\n\n")[0]))?.[0] ?? joined(text))),
  );

export const resourcePages = (): [file: string, text: string][] =>
  KINDS.map((kind) => [fileOf(kind), resourcePage(kind)]);
