import type { ResourceKind } from "../../provider/config/kinds";
import { KIND_ROWS, type Value } from "./kinds";

/** The example of a resource, written once as values. A test runs them all. */

type Entry = readonly [key: string, value: Value];

const quotedKey = (text: string): string => (/^\w+$/.test(text) ? text : JSON.stringify(text));

export function exampleOf(kind: ResourceKind): string {
  const { name, args } = KIND_ROWS[kind].example;
  const literal = (value: Value): string =>
    typeof value === "object"
      ? `{ ${Object.entries(value)
          .map(([key, item]) => `${quotedKey(key)}: ${literal(item)}`)
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

export const fence = (language: string, text: string): string => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
