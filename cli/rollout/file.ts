import {
  Document,
  isAlias,
  isMap,
  isNode,
  LineCounter,
  type ParseOptions,
  parseAllDocuments,
  type SchemaOptions,
} from "yaml";
import { defined, isObject, parseJson, same } from "../../provider/core/common/equality";
import { nearest } from "../../provider/core/common/nearest";
import { type NamedRollout, rollouts } from "../../provider/core/routing/rollouts";
import { UsageError } from "../errors";
import type { StackConfig } from "../pulumi/stacks";
import { ROLLOUTS } from "../stack/rollout";
import { edited, pairOf } from "./edit";
import { plainly } from "./plain";

/** The config file of a stack, whose text is edited. */
export interface TextFile {
  /** The path from the operator's working directory. */
  readonly shown: string;
  readonly text: string;
}

/** A text with a new value of a rollout. */
export interface Edited {
  /** Undefined if Pulumi is to write it, because only Pulumi can read the file. */
  readonly text?: string;
  /** What the operator has to know of the edit; undefined if it was made in place. */
  readonly note?: string;
}

/** A rollout of a stack, with the value that the engine will use. */
export interface FoundRollout {
  readonly name: string;
  readonly value: NamedRollout;
  /** Every rollout of the stack, as the engine will use it: not judged. */
  readonly all: Readonly<Record<string, unknown>>;
  /** The file with another value of this rollout. No other value changes, and if possible no byte outside of the changed fields. */
  edited(next: NamedRollout): Edited;
}

/** What Pulumi reads as well: merge keys, and of several documents the first. `failsafe` has each value as it is written. */
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
  const own = valueAt(documentOf(file).toJS(), ["config"]);
  const entry = (value: unknown) => {
    const isSecret = isObject(value) && "secure" in value;
    return isSecret
      ? { secret: true }
      : { value: isObject(value) ? JSON.stringify(value) : String(value), secret: false };
  };
  const values = Object.entries(ofProject).map(([key, one]) => [key, isObject(one) ? one.value : one] as const);
  const all = [...values, ...Object.entries(isObject(own) ? own : {})].filter(([, value]) => (value ?? "") !== "");
  return Object.fromEntries(all.map(([key, value]) => [key, entry(value)]));
}

/** The rollouts of a stack by name, with what the engine will use of each, in whatever form it is written. */
function valuesIn({ shown }: TextFile, { [ROLLOUTS]: entry }: StackConfig): Readonly<Record<string, unknown>> {
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

export const namesIn = (file: TextFile, config: StackConfig): string[] => Object.keys(valuesIn(file, config));

/** Without a name, the one rollout of the stack. Only this one is judged. @param config what the engine will use */
export function findRollout(file: TextFile, config: StackConfig, name: string | undefined): FoundRollout {
  const all = valuesIn(file, config);
  const names = Object.keys(all);
  const wanted = name ?? (names.length === 1 ? names[0] : undefined);
  if (wanted === undefined || !Object.hasOwn(all, wanted)) {
    throw new UsageError(missing(wanted, names, file));
  }
  const { data, error } = rollouts.safeParse({ [wanted]: all[wanted] });
  const [issue] = error?.issues ?? [];
  if (issue !== undefined) {
    const path = [ROLLOUTS, ...issue.path.map(String)];
    throw new UsageError(`${placeOf(path, file)}: ${path.join(".")} ${issue.message}.`);
  }
  const value = data?.[wanted] as NamedRollout;
  return { name: wanted, value, all, edited: (next) => editedFile(file, all, { name: wanted, value, next }) };
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
function placeOf(path: readonly string[], file: TextFile): string {
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

interface Wish {
  readonly name: string;
  readonly value: NamedRollout;
  readonly next: NamedRollout;
}

/** All rollouts with a new value of one. */
export const withNext = ({ name, all }: FoundRollout, next: NamedRollout) => ({ ...all, [name]: defined(next) });

function editedFile(file: TextFile, all: FoundRollout["all"], wish: Wish): Edited {
  const { shown } = file;
  const why = `${shown}: ${ROLLOUTS}.${wish.name} cannot be edited in place`;
  try {
    const found = textIn(file, all, wish, why);
    if (found !== undefined) {
      return found;
    }
  } catch (error) {
    if (!(error instanceof UsageError)) {
      throw error;
    }
  }
  return { note: `${why}, so Pulumi writes all rollouts, as one text of JSON.` };
}

/**
 * The first of these that says what is wanted, and changes no other value: the fields in place, the rollout written plainly, all rollouts
 * written plainly.
 */
function textIn(
  file: TextFile,
  all: FoundRollout["all"],
  { name, value, next }: Wish,
  why: string,
): Edited | undefined {
  const { shown, text } = file;
  const document = documentOf(file);
  const raw = documentOf(file, { schema: "failsafe" });
  const pair = (node: unknown, key: string) => (isMap(node) ? pairOf(node, key)?.value : undefined);
  const ofAll = pair(pair(document.contents, "config"), ROLLOUTS);
  const own = pair(ofAll, name);
  const path = ["config", ROLLOUTS];
  // Beside the config, Pulumi reads no map of the file.
  const others = (one: Document, [, ...at]: readonly string[]) => without(valueAt(one.toJS(), ["config"]), at);
  const isRight = (after: string, at: readonly string[], wanted: unknown): boolean => {
    try {
      const written = valueAt(documentOf({ shown, text: after }).toJS(), at);
      const rawAfter = documentOf({ shown, text: after }, { schema: "failsafe" });
      return same(written, wanted) && same(others(rawAfter, at), others(raw, at));
    } catch {
      return false;
    }
  };
  const alone = [...path, name];
  const inPlace = isMap(own) ? edited(own, text, value, next) : "";
  if (isRight(inPlace, alone, defined(next))) {
    return { text: inPlace };
  }
  const isOfMap = isMap(isAlias(ofAll) ? ofAll.resolve(document) : ofAll);
  const plain = isOfMap ? plainly(raw, text, alone, defined(next)) : "";
  if (isRight(plain, alone, defined(next))) {
    return { text: plain, note: `${why}, so its value was written in one line.` };
  }
  const every = { ...all, [name]: defined(next) };
  const whole = plainly(raw, text, path, every);
  const inherits = `${shown} had no rollouts of its own, so all that the stack has were written into it: it no longer follows Pulumi.yaml.`;
  const again = `${why}, so all rollouts were written again.`;
  const note = valueAt(raw.toJS(), path) === undefined ? inherits : again;
  return isRight(whole, path, every) ? { text: whole, note } : undefined;
}

const valueAt = (value: unknown, [key, ...rest]: readonly string[]): unknown =>
  key === undefined ? value : valueAt(isObject(value) ? value[key] : undefined, rest);

/** The value without the part at the path, and without maps that are empty then. */
function without(value: unknown, [key = "", ...rest]: readonly string[]): unknown {
  const { [key]: inner, ...others } = isObject(value) ? value : {};
  const all = defined({ ...others, [key]: rest.length === 0 ? undefined : without(inner, rest) });
  return Object.keys(all).length === 0 ? undefined : all;
}
