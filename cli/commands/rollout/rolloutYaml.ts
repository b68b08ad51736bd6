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
  visit,
  type YAMLMap,
} from "yaml";
import { defined, isObject, same } from "../../../provider/core/common/equality";
import { nearest } from "../../../provider/core/common/nearest";
import type { NamedRollout } from "../../../provider/core/routing/rollouts";
import { UsageError } from "../../errors";
import type { ProjectFile } from "../../pulumi/projectFile";
import { nameMeant } from "../../rollout/after";
import { ROLLOUTS, readRollout } from "../../rollout/value";
import { editsOf } from "./edits";
import type { TextFile } from "./stackFile";

/** A rollout in the text of a stack's config file, which can be edited without a change of any other byte. */
export interface FoundRollout {
  readonly name: string;
  readonly value: NamedRollout;
  /** The text of the file with another value of this rollout. */
  edited(next: NamedRollout): string;
}

export interface Names {
  readonly name?: string | undefined;
  /** The name that is taken if none is given and the file has several rollouts. */
  readonly usual?: string | undefined;
}

/** Without a name, the one rollout of the file. */
export function findRollout(file: TextFile, project: ProjectFile, { name, usual }: Names): FoundRollout {
  const yaml = new Yaml(file);
  const all = yaml.rollouts();
  const names = all.map((one) => one.name);
  const wanted = nameMeant(name, names, usual);
  const found = all.find((one) => one.name === wanted);
  if (found === undefined) {
    throw new UsageError(missing(wanted, names, file, project));
  }
  return yaml.found(found);
}

/** Every rollout of the file. */
export function findRollouts(file: TextFile): FoundRollout[] {
  const yaml = new Yaml(file);
  return yaml.rollouts().map((one) => yaml.found(one));
}

function missing(wanted: string | undefined, names: readonly string[], file: TextFile, project: ProjectFile): string {
  if (names.length === 0) {
    return Object.hasOwn(project.config, ROLLOUTS)
      ? `${ROLLOUTS} is in ${project.shown}, which every stack reads. Move it to ${file.shown}: this command edits that file alone.`
      : `${file.shown} has no rollout. Write its rollouts under ${ROLLOUTS}: a name, and below it stable, candidate and percent.`;
  }
  if (wanted === undefined) {
    return `${file.shown} has ${names.length} rollouts. Name one of ${names.join(", ")}.`;
  }
  const meant = nearest(wanted, names);
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  return `${file.shown} has no rollout ${JSON.stringify(wanted)}.${hint} Its rollouts: ${names.join(", ")}.`;
}

interface RolloutPair {
  readonly name: string;
  readonly pair: Pair;
}

class Yaml {
  readonly #file: TextFile;
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed;

  constructor(file: TextFile) {
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

  rollouts(): RolloutPair[] {
    const config = isMap(this.#document.contents) ? this.#document.get("config", true) : undefined;
    const node = isMap(config) ? config.get(ROLLOUTS, true) : undefined;
    if (node === undefined || (isScalar(node) && node.value === null)) {
      return [];
    }
    const { items } = this.#plainMap(ROLLOUTS, node, "a map from names to rollouts");
    return items.map((pair) => ({ name: isScalar(pair.key) ? String(pair.key.value) : "", pair }));
  }

  found({ name, pair }: RolloutPair): FoundRollout {
    const path = `${ROLLOUTS}.${name}`;
    const map = this.#plainMap(path, pair.value, "a map with stable, candidate and percent");
    if (holdsReference(map)) {
      throw this.#refusal(path, map, ANCHORED);
    }
    if (map.items.some((field) => isMap(field.value) && field.value.has("secure"))) {
      throw this.#refusal(path, map, SECRET);
    }
    const value = readRollout(name, map.toJS(this.#document), (fields, problem) => {
      const node = map.getIn(fields, true);
      const at = isNode(node) ? node : map;
      return this.#refusal([path, ...fields].join("."), at, problem, "").message;
    });
    return { name, value, edited: (next) => this.#edited(name, map, value, next) };
  }

  #refusal(path: string, node: unknown, why: string, end = "."): UsageError {
    const at = isNode(node) ? this.#line(node.range?.[0]) : "";
    return new UsageError(`${this.#file.shown}, ${at}: ${path} ${why}${end}`);
  }

  /** Throws if nothing in it can be edited without a change of anything else. */
  #plainMap(path: string, node: unknown, what: string): YAMLMap {
    if (isAlias(node)) {
      throw this.#refusal(path, node, ANCHORED);
    }
    if (!isMap(node)) {
      const isText = isScalar(node) && typeof node.value === "string" && node.value.trim().startsWith("{");
      const why = isText ? "is JSON in one text. Write it as a map of YAML, on lines of its own" : `must be ${what}`;
      throw this.#refusal(path, node, why);
    }
    if (node.has("secure")) {
      throw this.#refusal(path, node, SECRET);
    }
    return node;
  }

  #edited(name: string, map: YAMLMap, value: NamedRollout, next: NamedRollout): string {
    const { text, shown } = this.#file;
    // From the end of the text, so that the places of earlier edits stay right.
    const edited = editsOf(map, text, value, next).reduceRight(
      (all, { start, end, text: put }) => all.slice(0, start) + put + all.slice(end),
      text,
    );
    // If the last lines go, the file still ends as it did.
    const changed = text.endsWith("\n") ? edited : edited.replace(/\r?\n$/, "");
    const read = parseDocument(changed);
    if (read.errors.length > 0 || !same(read.toJS(), this.#expected(name, next))) {
      const how = "Write stable, candidate and percent on lines of their own, in this order.";
      throw new UsageError(
        `${shown}: ${ROLLOUTS}.${name} is written in a way that this command cannot edit in place. ${how}`,
      );
    }
    return changed;
  }

  /** What the whole file has to say after the edit. */
  #expected(name: string, next: NamedRollout): unknown {
    const before: unknown = this.#document.toJS();
    const config = isObject(before) && isObject(before.config) ? before.config : {};
    const all = isObject(config[ROLLOUTS]) ? config[ROLLOUTS] : {};
    return { ...(before as object), config: { ...config, [ROLLOUTS]: { ...all, [name]: defined(next) } } };
  }
}

const ANCHORED = "has an anchor or an alias, so an edit would change more than this rollout. Write its values out";

const SECRET = "is a secret. A rollout is reviewed, so write it in plain text";

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
