import { KINDS, type ResourceKind } from "../../provider/core/platform/kinds";
import { KIND_ROWS, type Value } from "./kinds";

/** The example of a resource in both languages: written once as values, so that the two cannot drift apart. Tests run them. */

type Entry = readonly [key: string, value: Value];

const quotedKey = (text: string): string => (/^\w+$/.test(text) ? text : JSON.stringify(text));

function inTypeScript(kind: ResourceKind): string {
  const { name, args } = KIND_ROWS[kind].example;
  const literal = (value: Value): string =>
    typeof value === "object"
      ? `{ ${Object.entries(value)
          .map(([key, one]) => `${quotedKey(key)}: ${literal(one)}`)
          .join(", ")} }`
      : JSON.stringify(value);
  const line = ([key, value]: Entry) =>
    `  ${key}: ${key === "inboundAgents" ? `split(${literal(value)})` : literal(value)},\n`;
  const names = args.inboundAgents === undefined ? kind : `${kind}, split`;
  return `import { ${names} } from "pulumi-agent-platform";

new ${kind}("${name}", {
${Object.entries(args).map(line).join("")}});
`;
}

function inYaml(kind: ResourceKind): string {
  const { name, args } = KIND_ROWS[kind].example;
  // A phone number without quotes would be an integer.
  const scalar = (text: string) => (/^[a-z][\w ]*$/i.test(text) ? text : JSON.stringify(text));
  const key = (text: string) => (/^[a-z]/i.test(text) ? text : JSON.stringify(text));
  const lines = (entries: Readonly<Record<string, Value>>, indent: string): string =>
    Object.entries(entries)
      .map(([name, value]) =>
        typeof value === "object"
          ? `${indent}${key(name)}:\n${lines(value, `${indent}  `)}`
          : `${indent}${key(name)}: ${typeof value === "string" ? scalar(value) : value}\n`,
      )
      .join("");
  return `resources:\n  ${name}:\n    type: agent-platform:${kind}\n    properties:\n${lines(args, "      ")}`;
}

export const EXAMPLES: Readonly<Record<ResourceKind, { readonly typescript: string; readonly yaml: string }>> =
  Object.fromEntries(KINDS.map((kind) => [kind, { typescript: inTypeScript(kind), yaml: inYaml(kind) }])) as Record<
    ResourceKind,
    { typescript: string; yaml: string }
  >;

export const fence = (language: string, text: string): string => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;

/** A section of a resource's description in the schema. */
export const exampleSection = (kind: ResourceKind): string =>
  [
    "{{% examples %}}",
    "{{% example %}}",
    "## Example Usage",
    ...Object.entries(EXAMPLES[kind]).map(([language, text]) => fence(language, text)),
    "{{% /example %}}",
    "{{% /examples %}}",
  ].join("\n");
