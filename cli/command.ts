import { parseArgs } from "node:util";
import { printableLines } from "../provider/base/text";
import { helpHint } from "../provider/words/message";
import { UsageError, usageProblem } from "./errors";
import { type Io, processIo } from "./io";
import { wrap, wrapColumns } from "./layout";
import { printError } from "./print";

/**
 * This tool's command, as printed in pages and messages. It uses the package's full name, because with a shorter name,
 * `npx` could run another package's command.
 */
export const CLI = "npx pulumi-agent-platform";

/** The headings under which the help lists the commands, in the order in which users need them. */
export const GROUPS = [
  "Start",
  "Roll out a version",
  "Review a change",
  "Look into a stack",
  "Know the platform",
] as const;
/** An option of a command: its definition for `parseArgs`, and how the help describes it. */
export interface Option {
  readonly type: "string" | "boolean";
  readonly multiple?: true;
  readonly default?: string;
  /** The placeholder for the option's value that the help shows, such as `<name>`. */
  readonly value?: string;
  readonly help: string;
}

export type Options = Readonly<Record<string, Option>>;

/** The parsed values of a command's options. */
export type ValuesOf<T extends Options> = ReturnType<typeof parseArgs<{ options: T }>>["values"];

interface Definition<T extends Options> {
  readonly name: string;
  readonly group: (typeof GROUPS)[number];
  /** A one-line description for the list of commands. */
  readonly summary: string;
  /** The usage lines in the command's help, each without the command's name, such as `[name] [options]`. */
  readonly usage: readonly string[];
  readonly examples: readonly string[];
  /**
   * The main part of the command's help text. Blank lines separate paragraphs. A paragraph that starts with a space is
   * printed as it is; all others are wrapped.
   */
  readonly about: string;
  readonly options: T;
  /** The allowed number of positional arguments, and the error message for any other number. */
  readonly positionals: { readonly min: number; readonly max: number; readonly error: string };
  readonly exitCodes: string;
  /** The page about the command in the package's documentation, such as `rollouts`. */
  readonly page?: string;
  run(args: { readonly values: ValuesOf<T>; readonly positionals: readonly string[] }, io: Io): Promise<number>;
}

/** A command that `main` can run. */
export type Command = ReturnType<typeof defineCommand>;

/** The `--json` option, shared by all commands that print JSON. */
export const JSON_OPTION = { type: "boolean", help: "print JSON" } as const;

const HELP = { type: "boolean", short: "h", help: "show this text" } as const;

export function defineCommand<const T extends Options>(definition: Definition<T>) {
  const { name, group, summary, usage, exitCodes } = definition;
  const options: Options = definition.options;
  return {
    name,
    group,
    summary,
    usage,
    options,
    exitCodes,
    help: () => helpOf(definition),
    /** Resolves with the exit code. */
    async run(argv: readonly string[], overrides: Partial<Io> = {}): Promise<number> {
      const io = { ...processIo(), ...overrides };
      try {
        return await runDefined(definition, argv, io);
      } catch (error) {
        const problem = usageProblem(error, [...Object.keys(definition.options), "help"]);
        if (problem === undefined) {
          throw error;
        }
        printError(name, printableLines(problem), io);
        return 2;
      }
    },
  };
}

async function runDefined<const T extends Options>(definition: Definition<T>, argv: readonly string[], io: Io) {
  const options = { ...definition.options, help: HELP };
  const { values, positionals, tokens } = parseArgs({
    args: [...argv],
    options,
    strict: true,
    allowPositionals: true,
    tokens: true,
  });
  if ((values as { readonly help?: boolean }).help) {
    io.stdout.write(helpOf(definition));
    if (argv.length === 1) {
      return 0;
    }
    // Exit with an error. A pipeline that passes `--help` in place of a rollout's name would take exit code 0 for a
    // successful promotion.
    throw new UsageError("Nothing was done, because --help was given.");
  }
  // `parseArgs` would silently use the last value if an option is given twice.
  const names = tokens.flatMap((token) => (token.kind === "option" ? token.name : []));
  const repeated = names.find((name, index) => {
    const { type, multiple } = definition.options[name] ?? {};
    return names.indexOf(name) < index && type === "string" && multiple !== true;
  });
  if (repeated !== undefined) {
    throw new UsageError(`--${repeated} is given twice. It takes one value.`);
  }
  const { min: least, max: most, error: rule } = definition.positionals;
  if (positionals.length < least || positionals.length > most) {
    throw new UsageError(rule);
  }
  return definition.run({ values: values as ValuesOf<T>, positionals }, io);
}

function helpOf({ name, summary, usage, examples, about, options, exitCodes, page }: Definition<Options>): string {
  const rows = Object.entries({ ...options, help: HELP as Option }).map(
    ([option, { value, help }]) => [`--${option}${value === undefined ? "" : ` ${value}`}`, help] as const,
  );
  const [first, ...more] = usage.map((form) => `${CLI} ${name} ${form}`.trimEnd());
  return `${wrap(`${summary}.`)}

Examples:
${examples.map((example) => `  ${example}`).join("\n")}

Usage: ${[first, ...more.map((form) => `       ${form}`)].join("\n")}

${about
  .split("\n\n")
  .map((part) => (part.startsWith(" ") ? part : wrap(part)))
  .join("\n\n")}

Options:
${wrapColumns(rows)}

${wrap(`Exit codes: ${exitCodes}`)}
${page === undefined ? "" : `${helpHint(page)}\n`}`;
}
