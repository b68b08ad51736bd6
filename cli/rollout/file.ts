import { Document, isMap, isNode, LineCounter, type ParseOptions, parseAllDocuments, type SchemaOptions } from "yaml";
import { defined, isObject, parseJson, same } from "../../provider/core/common/equality";
import { nearest } from "../../provider/core/common/nearest";
import { valueIn } from "../../provider/core/common/schemas";
import { wrongValue } from "../../provider/core/config/readSettings";
import { type NamedRollout, rollouts } from "../../provider/core/routing/rollouts";
import { UsageError } from "../errors";
import type { StackConfig } from "../pulumi/stacks";
import { ROLLOUTS } from "../stack/rollout";
import { editInPlace } from "./edit";

/** The config file of a stack, whose text is edited. */
export interface TextFile {
  /** The path from the operator's working directory. */
  readonly shown: string;
  readonly text: string;
}

/** The file of a stack, and the config that the engine will use. */
export interface ReadConfig {
  readonly file: TextFile;
  readonly config: StackConfig;
}

/** A rollout of a stack, as the engine will use it. */
export interface WrittenRollout {
  readonly file: TextFile;
  readonly name: string;
  readonly value: NamedRollout;
  /** Every rollout of the stack: not judged. */
  readonly all: Readonly<Record<string, unknown>>;
}

/** What Pulumi reads as well: merge keys, and of several documents the first. */
function documentOf({ shown, text }: TextFile, options: ParseOptions & SchemaOptions = {}): Document {
  const lineCounter = new LineCounter();
  const all = parseAllDocuments(text, { merge: true, lineCounter, prettyErrors: false, ...options });
  const document = (Array.isArray(all) ? all[0] : undefined) ?? new Document(null);
  const [error] = document.errors;
  if (error !== undefined) {
    throw new UsageError(
      `${shown}, line ${lineCounter.linePos(error.pos[0]).line}: this is not YAML: ${error.message}`,
    );
  }
  return document;
}

/** The config of a stack as its files say it, in the form of Pulumi. @param ofProject the config of the project's file */
export function configIn(file: TextFile, ofProject: Readonly<Record<string, unknown>>): StackConfig {
  const own: unknown = documentOf(file).toJS()?.config;
  const entry = (value: unknown) => {
    const isSecret = isObject(value) && "secure" in value;
    return isSecret
      ? { secret: true }
      : { value: typeof value === "object" ? JSON.stringify(value) : String(value), secret: false };
  };
  const values = Object.entries(ofProject).map(([key, one]) => [key, isObject(one) ? one.value : one] as const);
  const all = [...values, ...Object.entries(isObject(own) ? own : {})].filter(([, value]) => (value ?? "") !== "");
  return Object.fromEntries(all.map(([key, value]) => [key, entry(value)]));
}

/** The rollouts of a stack by name, in whatever form they are written. */
export function writtenRollouts({ file: { shown }, config: { [ROLLOUTS]: entry } }: ReadConfig): WrittenRollout["all"] {
  if (entry?.secret) {
    throw new UsageError(
      `${ROLLOUTS} is secret, and \`pulumi up\` refuses that. Write it in plain text into ${shown}.`,
    );
  }
  const text = entry?.value?.trim() ?? "";
  const values = text === "" ? {} : parseJson(text);
  if (!isObject(values)) {
    throw new UsageError(`${shown}: ${ROLLOUTS} must be a map from names to rollouts.`);
  }
  return values;
}

export const namesIn = (read: ReadConfig): string[] => Object.keys(writtenRollouts(read));

/** Without a name, the one rollout of the stack. Only this one is judged. */
export function findRollout<Read extends ReadConfig>(read: Read, name: string | undefined): Read & WrittenRollout {
  const all = writtenRollouts(read);
  const names = Object.keys(all);
  const wanted = name ?? (names.length === 1 ? names[0] : undefined);
  if (wanted === undefined || !Object.hasOwn(all, wanted)) {
    throw new UsageError(missing(wanted, names, read.file));
  }
  const { data, error } = rollouts.safeParse({ [wanted]: all[wanted] });
  const [issue] = error?.issues ?? [];
  if (issue !== undefined) {
    const path = issue.path.map(String);
    const { text } = wrongValue(
      "rollouts",
      ["rollouts", ...path].join("."),
      issue.message,
      path.reduce<unknown>(valueIn, all),
    );
    throw new UsageError(`${lineOf([ROLLOUTS, ...path], read.file)}: ${text}`);
  }
  return { ...read, name: wanted, value: data?.[wanted] as NamedRollout, all };
}

function missing(wanted: string | undefined, names: readonly string[], { shown }: TextFile): string {
  if (names.length === 0) {
    return `${shown} has no rollout. Write its rollouts there, under ${ROLLOUTS}: a name, and below it stable, candidate and percent.`;
  }
  const has = wanted === undefined ? `${names.length} rollouts` : `no rollout ${JSON.stringify(wanted)}`;
  const meant = nearest(wanted ?? "", names);
  return `${shown} has ${has}. ${meant === undefined ? `Name one of ${names.join(", ")}.` : `Did you mean ${meant}?`}`;
}

/** The file and the line of the value that is nearest to the path. */
function lineOf(path: readonly string[], file: TextFile): string {
  const lineCounter = new LineCounter();
  const document = documentOf(file, { lineCounter });
  const keys = ["config", ...path];
  const found = keys
    .map((_, index) => document.getIn(keys.slice(0, keys.length - index), true))
    .find((node) => isNode(node) && node !== document.contents);
  const [start] = (isNode(found) ? found.range : undefined) ?? [];
  return start === undefined ? file.shown : `${file.shown}, line ${lineCounter.linePos(start).line}`;
}

// --- the edit

/**
 * The text of the file with another value of the rollout, and with no other change; undefined if only Pulumi can write it. The edit is right if
 * nothing else in the config is written in another way.
 */
export function editedText({ file, name, value }: WrittenRollout, next: NamedRollout): string | undefined {
  try {
    const map = documentOf(file).getIn(["config", ROLLOUTS, name], true);
    const text = isMap(map) ? editInPlace(map, file.text, value, next) : file.text;
    const after = { ...file, text };
    const isRight =
      same(splitConfig(after, name).own, defined(next)) &&
      same(splitConfig(after, name, AS_WRITTEN).others, splitConfig(file, name, AS_WRITTEN).others);
    return isRight ? text : undefined;
  } catch {
    // Pulumi reads a few forms of YAML that this parser refuses.
    return undefined;
  }
}

/** Each value is a text, so that 010 is not 10. */
const AS_WRITTEN = { schema: "failsafe" } as const;

/** What the config of a file says of one rollout, and of everything else. Pulumi reads no other map of the file. */
function splitConfig(file: TextFile, name: string, options: SchemaOptions = {}) {
  const { [ROLLOUTS]: all, ...others } = documentOf(file, options).toJS().config;
  const { [name]: own, ...rollouts } = all;
  return { own, others: { ...others, [ROLLOUTS]: rollouts } };
}
