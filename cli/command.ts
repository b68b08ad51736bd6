import { parseArgs } from "node:util";
import { printableLines } from "../provider/base/text";
import { helpHint } from "../provider/words/message";
import { UsageError, usageProblem } from "./errors";
import { type Io, processIo } from "./io";
import { wrapped, wrappedColumns } from "./layout";
import { sayRefusal } from "./print";

/** How every page and message calls a command. With the command's name alone, `npx` could run another package of that name. */
export const CALLED = "npx pulumi-agent-platform";

/** Commands that belong together, in the order in which people meet them. */
export const GROUPS = [
  "Start",
  "Roll out a version",
  "Review a change",
  "Look into a stack",
  "Know the platform",
] as const;
/** One option, as `parseArgs` takes it and as the help shows it. */
export interface Option {
  readonly type: "string" | "boolean";
  readonly multiple?: true;
  readonly default?: string;
  /** The option's value in the help: `<name>`. */
  readonly value?: string;
  readonly help: string;
}

export type Options = Readonly<Record<string, Option>>;

/** The values that were given. */
export type ValuesOf<All extends Options> = ReturnType<typeof parseArgs<{ options: All }>>["values"];

interface Definition<All extends Options> {
  readonly name: string;
  readonly group: (typeof GROUPS)[number];
  /** One line, as the list of commands has it. */
  readonly summary: string;
  /** Its forms, without the name of the command. */
  readonly usage: readonly string[];
  readonly examples: readonly string[];
  /** What an operator has to know beside the summary, in paragraphs. */
  readonly about: string;
  readonly options: All;
  /** How many arguments it takes beside its options, and the error if there are more or fewer. */
  readonly takes: { readonly least: number; readonly most: number; readonly rule: string };
  readonly exitCodes: string;
  /** A page of the package, as `help` takes it. */
  readonly page?: string;
  run(given: { readonly values: ValuesOf<All>; readonly positionals: readonly string[] }, io: Io): Promise<number>;
}

/** A command of the CLI, as `main` calls it. */
export type Command = ReturnType<typeof defineCommand>;

/** The option `--json` of every command that has it. */
export const JSON_OPTION = { type: "boolean", help: "print JSON" } as const;

const HELP = { type: "boolean", short: "h", help: "show this text" } as const;

export function defineCommand<const All extends Options>(definition: Definition<All>) {
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
    async run(argv: readonly string[], world: Partial<Io> = {}): Promise<number> {
      const io = { ...processIo(), ...world };
      try {
        return await runDefined(definition, argv, io);
      } catch (error) {
        const problem = usageProblem(error, [...Object.keys(definition.options), "help"]);
        if (problem === undefined) {
          throw error;
        }
        sayRefusal(name, printableLines(problem), io);
        return 2;
      }
    },
  };
}

async function runDefined<const All extends Options>(definition: Definition<All>, argv: readonly string[], io: Io) {
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
    // A pipeline may have taken it for the name of a rollout.
    throw new UsageError("Nothing was done, because --help was given.");
  }
  // `parseArgs` takes the last of two stacks, and says nothing.
  const given = tokens.flatMap((token) => (token.kind === "option" ? token.name : []));
  const twice = given.find((name, index) => {
    const { type, multiple } = definition.options[name] ?? {};
    return given.indexOf(name) < index && type === "string" && multiple !== true;
  });
  if (twice !== undefined) {
    throw new UsageError(`--${twice} is given twice. It takes one value.`);
  }
  const { least, most, rule } = definition.takes;
  if (positionals.length < least || positionals.length > most) {
    throw new UsageError(rule);
  }
  return definition.run({ values: values as ValuesOf<All>, positionals }, io);
}

function helpOf({ name, summary, usage, examples, about, options, exitCodes, page }: Definition<Options>): string {
  const rows = Object.entries({ ...options, help: HELP as Option }).map(
    ([option, { value, help }]) => [`--${option}${value === undefined ? "" : ` ${value}`}`, help] as const,
  );
  const [first, ...more] = usage.map((form) => `${CALLED} ${name} ${form}`.trimEnd());
  return `${wrapped(`${summary}.`)}

Examples:
${examples.map((example) => `  ${example}`).join("\n")}

Usage: ${[first, ...more.map((form) => `       ${form}`)].join("\n")}

${about
  .split("\n\n")
  .map((part) => (part.startsWith(" ") ? part : wrapped(part)))
  .join("\n\n")}

Options:
${wrappedColumns(rows)}

${wrapped(`Exit codes: ${exitCodes}`)}
${page === undefined ? "" : `${helpHint(page)}\n`}`;
}
