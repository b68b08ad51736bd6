import type { ResourceKind } from "../../provider/core/platform/kinds";
import { type Arguments, type Example, KIND_ROWS, type Value } from "./kinds";
import { GO_MODULE } from "./repository";

/**
 * One small program for each resource, in every language: written once as values, so that the languages cannot drift apart. They are the
 * examples of the schema and of the registry's page; tests run them.
 */

/** The type of an argument as the schema has it; Go and Java write it down. */
type SchemaType = Readonly<Record<string, unknown>>;
export type TypeOf = (argument: string) => SchemaType;

export interface Program {
  /** As a fence of the registry names it. */
  readonly language: "typescript" | "python" | "go" | "java" | "yaml";
  readonly text: string;
}

export function programsOf(resource: ResourceKind, typeOf: TypeOf): readonly Program[] {
  const example = KIND_ROWS[resource].example;
  return [
    { language: "typescript", text: inTypeScript(resource, example) },
    { language: "python", text: inPython(resource, example) },
    { language: "go", text: inGo(resource, example, typeOf) },
    { language: "java", text: inJava(resource, example, typeOf) },
    { language: "yaml", text: inYaml(resource, example) },
  ];
}

type Entry = readonly [key: string, value: Value];

/** Each entry on a line of its own, with this indentation. */
const lines = (args: Arguments, indent: string, line: (entry: Entry) => string): string =>
  Object.entries(args)
    .map((entry) => `${indent}${line(entry)}\n`)
    .join("");

const isMap = (value: Value): value is { readonly [key: string]: Value } => typeof value === "object";

/** The entries of a map as both TypeScript and Python write them: `"agent_front@12": 90`. */
const entriesOf = (value: { readonly [key: string]: Value }, key: (text: string) => string): string =>
  Object.entries(value)
    .map(([name, one]) => `${key(name)}: ${JSON.stringify(one)}`)
    .join(", ");

function inTypeScript(resource: string, { name, args }: Example): string {
  const key = (text: string) => (/^\w+$/.test(text) ? text : JSON.stringify(text));
  const hasSplit = args.inboundAgents !== undefined;
  const literal = (value: Value) => (isMap(value) ? `{ ${entriesOf(value, key)} }` : JSON.stringify(value));
  const given = ([argument, value]: Entry) =>
    argument === "inboundAgents" ? `split(${literal(value)})` : literal(value);
  return joinedLines(
    `import { ${[resource, ...(hasSplit ? ["split"] : [])].join(", ")} } from "pulumi-agent-platform";`,
    "",
    `new ${resource}("${name}", {`,
    `${lines(args, "  ", (entry) => `${entry[0]}: ${given(entry)},`)}});`,
  );
}

const snake = (text: string): string => text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function inPython(resource: string, { name, args }: Example): string {
  const literal = (value: Value) => (isMap(value) ? `{${entriesOf(value, JSON.stringify)}}` : JSON.stringify(value));
  const given = (value: Value) => (typeof value === "boolean" ? pascal(String(value)) : literal(value));
  return joinedLines(
    "import pulumi_agent_platform as agent_platform",
    "",
    `${name} = agent_platform.${resource}(`,
    `    "${name}",`,
    `${lines(args, "    ", ([argument, value]) => `${snake(argument)}=${given(value)},`)})`,
  );
}

function inGo(resource: string, { name, args }: Example, typeOf: TypeOf): string {
  return joinedLines(
    "package main",
    "",
    "import (",
    `\t"${GO_MODULE}/agentplatform"`,
    '\t"github.com/pulumi/pulumi/sdk/v3/go/pulumi"',
    ")",
    "",
    "func main() {",
    "\tpulumi.Run(func(ctx *pulumi.Context) error {",
    `\t\t_, err := agentplatform.New${resource}(ctx, "${name}", &agentplatform.${resource}Args{`,
    `${goFields(args, typeOf)}\t\t})`,
    "\t\treturn err",
    "\t})",
    "}",
  );
}

/** As gofmt aligns fields: a value of several lines ends a block, and each block is aligned by itself. */
function goFields(args: Arguments, typeOf: TypeOf): string {
  const fields = Object.entries(args).map(([argument, value]) => ({
    key: `${pascal(argument)}:`,
    value: goValue(value, typeOf(argument)),
  }));
  const isLong = ({ value }: { readonly value: string }) => value.includes("\n");
  return fields
    .map((field, at) => {
      const first = fields.findLastIndex((one, index) => index < at && isLong(one)) + 1;
      const after = fields.findIndex((one, index) => index > at && isLong(one));
      const beside = isLong(field) ? [field] : fields.slice(first, after === -1 ? undefined : after);
      const width = Math.max(...beside.map(({ key }) => key.length));
      return `\t\t\t${field.key.padEnd(width)} ${field.value},\n`;
    })
    .join("");
}

const pascal = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

const GO_NUMBER: Readonly<Record<string, string>> = { integer: "Int", number: "Float64" };

function goValue(value: Value, type: SchemaType): string {
  if (typeof value === "string") {
    return `pulumi.String(${JSON.stringify(value)})`;
  }
  if (typeof value === "boolean") {
    return `pulumi.Bool(${value})`;
  }
  if (typeof value === "number") {
    return `pulumi.${GO_NUMBER[String(type.type ?? "number")]}(${value})`;
  }
  const entries = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${goValue(one, {})}`);
  const inside =
    entries.length === 1 ? entries.join("") : `\n${entries.map((one) => `\t\t\t\t${one},\n`).join("")}\t\t\t`;
  return `${goMap(value, type)}{${inside}}`;
}

/** If a map may hold anything, the schema says so. If the schema allows two types, the values say which one it is. */
function goMap(value: { readonly [key: string]: Value }, { additionalProperties = {} }: SchemaType): string {
  if (JSON.stringify(additionalProperties).includes("#/Any")) {
    return "pulumi.Map";
  }
  return Object.values(value).every((one) => typeof one === "number") ? "pulumi.Float64Map" : "pulumi.StringMap";
}

function inJava(resource: string, { name, args }: Example, typeOf: TypeOf): string {
  const hasMap = Object.values(args).some(isMap);
  return joinedLines(
    "import com.pulumi.Pulumi;",
    `import com.pulumi.agentplatform.${resource};`,
    `import com.pulumi.agentplatform.${resource}Args;`,
    ...(hasMap ? ["import java.util.Map;"] : []),
    "",
    "public class App {",
    "    public static void main(String[] args) {",
    "        Pulumi.run(ctx -> {",
    `            new ${resource}("${name}", ${resource}Args.builder()`,
    `${lines(args, "                ", ([argument, value]) => `.${argument}(${javaValue(value, typeOf(argument))})`)}                .build());`,
    "        });",
    "    }",
    "}",
  );
}

function javaValue(value: Value, { type = "number" }: SchemaType): string {
  if (isMap(value)) {
    const entries = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}, ${javaValue(one, {})}`);
    return `Map.of(${entries.join(", ")})`;
  }
  return typeof value === "number" && type === "number" ? value.toFixed(1) : JSON.stringify(value);
}

function inYaml(resource: string, { name, args }: Example): string {
  return joinedLines(
    "resources:",
    `  ${name}:`,
    `    type: agent-platform:${resource}`,
    "    properties:",
    lines(args, "      ", ([argument, value]) => `${argument}:${yamlValue(value)}`).trimEnd(),
  );
}

const yamlValue = (value: Value): string =>
  isMap(value)
    ? Object.entries(value)
        .map(([key, one]) => `\n        ${yamlKey(key)}:${yamlValue(one)}`)
        .join("")
    : ` ${yamlScalar(value)}`;

/** A phone number without quotes would be an integer. */
const yamlKey = (text: string): string => (/^[a-z]/i.test(text) ? text : JSON.stringify(text));
const yamlScalar = (value: string | number | boolean): string =>
  typeof value === "string" && !/^[a-z][\w ]*$/i.test(value) ? JSON.stringify(value) : String(value);

const joinedLines = (...texts: readonly string[]): string => `${texts.join("\n").trimEnd()}\n`;

/** A section of a resource's description, of which each SDK shows its own language; it is empty in one that has no example. */
export const exampleSection = (programs: readonly Program[]): string =>
  [
    "{{% examples %}}",
    "{{% example %}}",
    "## Example Usage",
    ...programs.flatMap(({ language, text }) => [`\`\`\`${language}`, text.trimEnd(), "```"]),
    "{{% /example %}}",
    "{{% /examples %}}",
  ].join("\n");
