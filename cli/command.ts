import { parseArgs } from "node:util";
import { nearest } from "../provider/core/nearest";
import { redact } from "../provider/core/redact";
import { TOKEN_ENV } from "../provider/core/settings";
import { columns, type Io, printable, processIo, UsageError } from "./io";
import { bugsAddress, manifest } from "./links";

/** How a command is called everywhere: without the package installed, another name would let `npx` run somebody else's. */
export const CALLED = "npx pulumi-agent-platform";

/** Commands that belong together, in the order in which people meet them. */
export const GROUPS = ["Start", "Review a change", "Look into a stack", "Know the platform"] as const;
type Group = (typeof GROUPS)[number];

/** One option, as `parseArgs` takes it and as the help shows it. */
interface Option {
  readonly type: "string" | "boolean";
  readonly multiple?: true;
  readonly default?: string;
  /** What stands behind it: `<name>`. */
  readonly value?: string;
  readonly help: string;
}

type Options = Readonly<Record<string, Option>>;

/** What is given of them. */
export type ValuesOf<All extends Options> = ReturnType<typeof parseArgs<{ options: All }>>["values"];

export interface Definition<All extends Options> {
  readonly name: string;
  readonly group: Group;
  /** One line, as the list of commands has it. */
  readonly summary: string;
  /** Its forms, without the name of the command. */
  readonly usage: readonly string[];
  readonly examples: readonly string[];
  /** What has to be known beside the summary: paragraphs. */
  readonly about: string;
  readonly options: All;
  /** How many arguments it takes beside its options, and what is said where they are more or fewer. */
  readonly takes: { readonly least: number; readonly most: number; readonly rule: string };
  readonly exitCodes: string;
  /** A page of the documentation. */
  readonly page?: string;
  run(given: { readonly values: ValuesOf<All>; readonly positionals: readonly string[] }, io: Io): Promise<number>;
}

/** A command of the CLI, as the dispatcher sees it. */
export type Command = ReturnType<typeof defineCommand>;

/** The same for every command that has it. */
export const JSON_OPTION = { type: "boolean", help: "print the same as JSON" } as const;

const HELP = { type: "boolean", short: "h", help: "show this text" } as const;

export function defineCommand<const All extends Options>(definition: Definition<All>) {
  const { name, group, summary } = definition;
  const help = () => helpOf(definition);
  return {
    name,
    group,
    summary,
    help,
    /** Resolves with the exit code. */
    run: (argv: readonly string[], world: Partial<Io> = {}) => {
      const io = { ...processIo(), ...world };
      return withUsage(definition, io, async () => {
        const options = { ...definition.options, help: HELP };
        const { values, positionals } = parseArgs({ args: [...argv], options, strict: true, allowPositionals: true });
        if ((values as { readonly help?: boolean }).help) {
          io.stdout.write(help());
          return 0;
        }
        const { least, most, rule } = definition.takes;
        if (positionals.length < least || positionals.length > most) {
          throw new UsageError(rule);
        }
        return definition.run({ values: values as ValuesOf<All>, positionals }, io);
      });
    },
  };
}

function helpOf({ name, summary, usage, examples, about, options, exitCodes, page }: Definition<Options>): string {
  const rows = Object.entries({ ...options, help: HELP as Option }).map(
    ([option, { value, help }]) => [`--${option}${value === undefined ? "" : ` ${value}`}`, help] as const,
  );
  const [first, ...more] = usage.map((form) => `${CALLED} ${name} ${form}`.trimEnd());
  return `${summary}.

Examples:
${examples.map((example) => `  ${example}`).join("\n")}

Usage: ${[first, ...more.map((form) => `       ${form}`)].join("\n")}

${about}

Options:
${columns(rows)}

Exit codes: ${exitCodes}
${page === undefined ? "" : `More: ${page}\n`}`;
}

// --- what is wrong with the arguments, and what is wrong with us

/** What is wrong with a command's arguments is said in one sentence. */
async function withUsage<All extends Options>(
  { name, options }: Definition<All>,
  io: Io,
  work: () => Promise<number>,
): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UsageError) && !isParseArgsError(error)) {
      throw error;
    }
    const text = error instanceof UsageError ? error.message : parseProblem(error, Object.keys(options));
    io.stderr.write(`agent-platform ${name}: ${text.split("\n").map(printable).join("\n")}\n`);
    return 2;
  }
}

/** `parseArgs` of Node throws a TypeError with a code of its own. */
const isParseArgsError = (error: unknown): error is Error =>
  error instanceof Error && String((error as { code?: unknown }).code).startsWith("ERR_PARSE_ARGS");

function parseProblem({ message }: Error, known: readonly string[]): string {
  const [, unknown] = /^Unknown option '--?([^']*)'/.exec(message) ?? [];
  if (unknown === undefined) {
    return message;
  }
  const meant = nearest(unknown, [...known, "help"]);
  return `The option --${unknown} does not exist.${meant === undefined ? "" : ` Did you mean --${meant}?`}`;
}

/** A command did what it could, and what it needed failed: its message says all, and nobody reports it as a bug. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
}

/** What is printed of an error that nobody expected. The access token is never part of it. */
export function unexpected(error: unknown, { env }: Pick<Io, "env">): string {
  const withoutToken = (text: string) => text.split("\n").map((line) => printable(redact(line, env[TOKEN_ENV] ?? "")));
  if (error instanceof CommandFailure) {
    return `agent-platform: ${withoutToken(error.message).join("\n")}\n`;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `agent-platform: this is a bug. ${withoutToken(text).join("\n")}

Please report it to ${bugsAddress()}, with the lines above and these:
  agent-platform ${manifest().version}, Node ${process.versions.node}, ${process.platform} ${process.arch}
`;
}

/** The languages that commands write programs in. Programs in Python and Go use the SDKs of a release. */
export type Language = "typescript" | "yaml";

export const LANGUAGE_OPTION = {
  type: "string",
  default: "typescript",
  value: "<name>",
  help: "typescript or yaml; default typescript",
} as const;

export function readLanguage(text: string): Language {
  if (text === "typescript" || text === "yaml") {
    return text;
  }
  throw new UsageError("--language takes typescript or yaml.");
}
