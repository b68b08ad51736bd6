import type { ResourceKind } from "../../provider/config/kinds";
import { KIND_ROWS, type Value } from "./kinds";

/** Renders each resource's example from its values. A test runs all of them. */

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
