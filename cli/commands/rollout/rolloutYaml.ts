import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
  visit,
  type YAMLMap,
} from "yaml";
import { isObject, same } from "../../../provider/core/equality";
import { nearest } from "../../../provider/core/nearest";
import { UsageError } from "../../errors";
import { nameOfKey, type Rollout, readRollout } from "../../rollout/value";
import type { ProjectFile, StackFile } from "./stackFile";

/** A rollout in the text of a stack's config file, which can be edited without a change of any other byte. */
export interface Found {
  /** The key without the project's namespace, as operators name it. */
  readonly name: string;
  readonly key: string;
  readonly value: Rollout;
  /** The text of the file with another value of this rollout. */
  edited(next: Rollout): string;
}

export interface Names {
  readonly name?: string | undefined;
  /** The name that is taken if none is given and the file has several rollouts. */
  readonly usual?: string | undefined;
}

/** Without a name, the one rollout of the file. */
export function findRollout(file: StackFile, project: ProjectFile, { name, usual }: Names): Found {
  const yaml = new Yaml(file);
  const all = yaml.entries().map((entry) => ({ ...entry, name: nameOfKey(entry.key, project.name) }));
  const rollouts = all.filter(({ pair }) => looksLikeRollout(pair.value));
  const names = rollouts.map((one) => one.name);
  const wanted = name ?? (names.length === 1 ? names[0] : names.find((one) => one === usual));
  const found = all.find((entry) => entry.key === wanted || entry.name === wanted);
  if (found === undefined) {
    throw new UsageError(
      wanted === undefined ? unnamed(names, file, project) : unknownName(wanted, names, file, project),
    );
  }
  return yaml.found(found);
}

const unnamed = (names: readonly string[], file: StackFile, project: ProjectFile): string =>
  names.length === 0
    ? noRollout(file, project)
    : `${file.shown} has ${names.length} rollouts. Name one of ${names.join(", ")}.`;

const looksLikeRollout = (node: unknown): boolean => isMap(node) && node.has("stable");

const noRollout = ({ shown }: StackFile, { name }: ProjectFile): string =>
  `${shown} has no rollout. A rollout is a map with stable, candidate and percent, such as ${name}:front.`;

function unknownName(name: string, names: readonly string[], file: StackFile, project: ProjectFile): string {
  const elsewhere = [name, `${project.name}:${name}`].find((key) => Object.hasOwn(project.config, key));
  if (elsewhere !== undefined) {
    return `${elsewhere} is in Pulumi.yaml, which every stack reads. Move it to ${file.shown}: this command edits that file alone.`;
  }
  if (names.length === 0) {
    return noRollout(file, project);
  }
  const meant = nearest(name, names);
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  return `${file.shown} has no rollout ${JSON.stringify(name)}.${hint} Its rollouts: ${names.join(", ")}.`;
}

interface Entry {
  readonly name: string;
  readonly key: string;
  readonly pair: Pair;
}

/** Replaces the text from `start` to `end`. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

class Yaml {
  readonly #file: StackFile;
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed;

  constructor(file: StackFile) {
    this.#file = file;
    this.#document = parseDocument(file.text, { lineCounter: this.#lines, prettyErrors: false });
    const [error] = this.#document.errors;
    if (error?.code === "DUPLICATE_KEY") {
      const key = /^.*?(?=:\s|$)/m.exec(file.text.slice(error.pos[0]))?.[0] ?? "";
      throw new UsageError(`${file.shown} has a key twice: ${key} in ${this.#line(error.pos[0])}. Keep one of them.`);
    }
    if (error !== undefined) {
      throw new UsageError(`${file.shown} is not YAML: ${this.#line(error.pos[0])}: ${error.message}`);
    }
  }

  #line(offset: number | undefined): string {
    return `line ${this.#lines.linePos(offset ?? 0).line}`;
  }

  /** The keys of the stack's config. */
  entries(): { key: string; pair: Pair }[] {
    const config = isMap(this.#document.contents) ? this.#document.get("config", true) : undefined;
    const items = isMap(config) ? config.items : [];
    return items.map((pair) => ({ key: isScalar(pair.key) ? String(pair.key.value) : "", pair }));
  }

  found({ name, key, pair }: Entry): Found {
    const map = this.#plainMap(key, pair.value);
    const value = readRollout(map.toJS(this.#document), (path, problem) => {
      const node = map.get(path, true);
      const at = isNode(node) ? node.range?.[0] : map.range?.[0];
      return `${this.#file.shown}, ${this.#line(at)}: ${key}${path === "" ? "" : `.${path}`} ${problem}`;
    });
    return { name, key, value, edited: (next) => this.#edited(key, map, value, next) };
  }

  /** Throws if the rollout cannot be edited without a change of anything else. */
  #plainMap(key: string, node: unknown): YAMLMap {
    const at = isNode(node) ? this.#line(node.range?.[0]) : "";
    const refuse = (why: string) => new UsageError(`${this.#file.shown}, ${at}: ${key} ${why}`);
    if (isNode(node) && holdsReference(node)) {
      throw refuse("has an anchor or an alias, so an edit would change more than this rollout. Write its values out.");
    }
    if (!isMap(node)) {
      const isText = isScalar(node) && typeof node.value === "string" && node.value.trim().startsWith("{");
      throw refuse(
        isText
          ? "is JSON in one text. Write it as a map of YAML: stable, candidate and percent on lines of their own."
          : "is no rollout: that is a map with stable, candidate and percent.",
      );
    }
    if (holdsSecret(node)) {
      throw refuse("is a secret. A rollout is reviewed, so write it in plain text.");
    }
    return node;
  }

  #edited(key: string, map: YAMLMap, value: Rollout, next: Rollout): string {
    const { text, shown } = this.#file;
    const edits = FIELDS.flatMap((field, index) => {
      const wanted = next[field];
      return wanted === undefined || wanted === value[field] ? [] : [this.#edit(map, field, FIELDS[index - 1], wanted)];
    });
    // From the end of the text, so that the places of earlier edits stay right.
    edits.sort((one, other) => one.start - other.start);
    const changed = edits.reduceRight(
      (all, { start, end, text: put }) => all.slice(0, start) + put + all.slice(end),
      text,
    );
    const before: unknown = this.#document.toJS();
    const expected = isObject(before) &&
      isObject(before.config) && { ...before, config: { ...before.config, [key]: next } };
    const read = parseDocument(changed);
    if (read.errors.length > 0 || !same(read.toJS(), expected)) {
      const how = "Write stable, candidate and percent on lines of their own, in this order.";
      throw new UsageError(`${shown}: ${key} is written in a way that this command cannot edit in place. ${how}`);
    }
    return changed;
  }

  #edit(map: YAMLMap, field: Field, after: Field | undefined, wanted: string | number): Edit {
    const node = map.get(field, true);
    if (isScalar(node) && node.value !== null) {
      const [start, end] = rangeOf(node);
      const quote = /^["']/.exec(this.#file.text.slice(start, end))?.[0] ?? "";
      return { start, end, text: `${quote}${wanted}${quote}` };
    }
    const neighbour = [after, "stable" as const].map((one) => one && map.get(one, true)).find(isScalar);
    return this.#inserted(map, neighbour, `${field}: ${wanted}`);
  }

  #inserted(map: YAMLMap, neighbour: Scalar | undefined, text: string): Edit {
    const source = this.#file.text;
    const [start = 0, end = 0] = neighbour === undefined ? [] : rangeOf(neighbour);
    if (map.flow) {
      return { start: end, end, text: `, ${text}` };
    }
    const from = source.lastIndexOf("\n", start - 1) + 1;
    const indent = /^ */.exec(source.slice(from))?.[0] ?? "";
    const line = /^[^\r\n]*/.exec(source.slice(end))?.[0] ?? "";
    const lineEnd = /\r?\n/.exec(source)?.[0] ?? "\n";
    return { start: end + line.length, end: end + line.length, text: `${lineEnd}${indent}${text}` };
  }
}

const FIELDS = ["stable", "candidate", "percent"] as const;
type Field = (typeof FIELDS)[number];

/** The place of the value in the text: its first character, and the one after its last. */
const rangeOf = ({ range }: Scalar): readonly [number, number] => [range?.[0] ?? 0, range?.[1] ?? 0];

function holdsReference(node: Node): boolean {
  let isFound = false;
  visit(node, (_, one) => {
    const isMerge = isScalar(one) && one.value === "<<";
    if (isAlias(one) || isMerge || ((isMap(one) || isScalar(one)) && one.anchor !== undefined)) {
      isFound = true;
      return visit.BREAK;
    }
    return undefined;
  });
  return isFound;
}

const holdsSecret = (map: YAMLMap): boolean =>
  map.has("secure") || map.items.some(({ value }) => isMap(value) && value.has("secure"));
