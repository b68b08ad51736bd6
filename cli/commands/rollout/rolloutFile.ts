import { isAlias, isMap, isNode, isScalar, LineCounter, type Pair, parseDocument, visit, type YAMLMap } from "yaml";
import { defined, isObject, same } from "../../../provider/core/common/equality";
import { nearest } from "../../../provider/core/common/nearest";
import type { NamedRollout } from "../../../provider/core/routing/rollouts";
import { UsageError } from "../../errors";
import { nameMeant } from "../../rollout/after";
import { ROLLOUTS, readRollout } from "../../rollout/value";
import { edited } from "./edit";
import type { TextFile } from "./stackFile";

/** A rollout in the text of a stack's config file. */
export interface FoundRollout {
  readonly name: string;
  readonly value: NamedRollout;
  /** The text of the file with another value of this rollout. Every byte outside of its changed fields stays. */
  edited(next: NamedRollout): string;
}

export interface Names {
  readonly name?: string | undefined;
  /** The name that is taken if none is given and the file has several rollouts. */
  readonly usual?: string | undefined;
}

/** Without a name, the one rollout of the file. */
export function findRollout(file: TextFile, { name, usual }: Names): FoundRollout {
  const yaml = new Yaml(file);
  const all = yaml.pairs();
  const names = all.map(nameOf);
  const wanted = nameMeant(name, names, usual);
  const found = all.find((pair) => nameOf(pair) === wanted);
  if (found === undefined) {
    throw new UsageError(missing(wanted, names, file));
  }
  return yaml.found(found);
}

/** Every rollout of the file. */
export function findRollouts(file: TextFile): FoundRollout[] {
  const yaml = new Yaml(file);
  return yaml.pairs().map((pair) => yaml.found(pair));
}

function missing(wanted: string | undefined, names: readonly string[], { shown }: TextFile): string {
  if (names.length === 0) {
    return `${shown} has no rollout. Write its rollouts there, under ${ROLLOUTS}: a name, and below it stable, candidate and percent.`;
  }
  if (wanted === undefined) {
    return `${shown} has ${names.length} rollouts. Name one of ${names.join(", ")}.`;
  }
  const meant = nearest(wanted, names);
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  return `${shown} has no rollout ${JSON.stringify(wanted)}.${hint} Its rollouts: ${names.join(", ")}.`;
}

const nameOf = ({ key }: Pair): string => (isScalar(key) ? String(key.value) : "");

class Yaml {
  readonly #file: TextFile;
  readonly #lines = new LineCounter();
  readonly #document;

  constructor(file: TextFile) {
    this.#file = file;
    this.#document = parseDocument(file.text, { lineCounter: this.#lines, prettyErrors: false });
    const [error] = this.#document.errors;
    if (error !== undefined) {
      throw this.#refusal(error.pos[0], `this is not YAML: ${error.message}`);
    }
  }

  #refusal(at: unknown, why: string): UsageError {
    const offset = isNode(at) ? at.range?.[0] : at;
    const { line } = this.#lines.linePos(typeof offset === "number" ? offset : 0);
    return new UsageError(`${this.#file.shown}, line ${line}: ${why}`);
  }

  pairs(): Pair[] {
    const config = isMap(this.#document.contents) ? this.#document.get("config", true) : undefined;
    const node = isMap(config) ? config.get(ROLLOUTS, true) : undefined;
    if (node === undefined || (isScalar(node) && node.value === null)) {
      return [];
    }
    return this.#plainMap(ROLLOUTS, node, "a map from names to rollouts").items;
  }

  found(pair: Pair): FoundRollout {
    const name = nameOf(pair);
    const path = `${ROLLOUTS}.${name}`;
    const map = this.#plainMap(path, pair.value, "a map with stable, candidate and percent");
    if (isReferred(map)) {
      throw this.#refusal(map, `${path} ${REFERRED}`);
    }
    const value = readRollout(name, map.toJS(this.#document), (fields, problem) => {
      const node = map.getIn(fields, true);
      return this.#refusal(isNode(node) ? node : map, `${[path, ...fields].join(".")} ${problem}`).message;
    });
    return { name, value, edited: (next) => this.#edited(name, map, value, next) };
  }

  /** Throws if it holds nothing that can be edited. */
  #plainMap(path: string, node: unknown, what: string): YAMLMap {
    if (isAlias(node)) {
      throw this.#refusal(node, `${path} ${REFERRED}`);
    }
    if (!isMap(node)) {
      throw this.#refusal(node, `${path} must be ${what}, on lines of its own.`);
    }
    if (node.has("secure")) {
      throw this.#refusal(node, `${path} is a secret. A rollout is reviewed, so write it in plain text.`);
    }
    return node;
  }

  #edited(name: string, map: YAMLMap, value: NamedRollout, next: NamedRollout): string {
    const { text, shown } = this.#file;
    const after = edited(map, text, value, next);
    const read = parseDocument(after);
    if (read.errors.length > 0 || !same(read.toJS(), this.#expected(name, next))) {
      const how = "Write stable, candidate and percent on lines of their own, in this order.";
      throw new UsageError(`${shown}: ${ROLLOUTS}.${name} is written in a way that cannot be edited in place. ${how}`);
    }
    return after;
  }

  /** What the whole file has to say after the edit. */
  #expected(name: string, next: NamedRollout): unknown {
    const before: unknown = this.#document.toJS();
    const config = isObject(before) && isObject(before.config) ? before.config : {};
    const all = isObject(config[ROLLOUTS]) ? config[ROLLOUTS] : {};
    return { ...(before as object), config: { ...config, [ROLLOUTS]: { ...all, [name]: defined(next) } } };
  }
}

const REFERRED = "has an anchor or an alias, so an edit would change more than this rollout. Write its values out.";

function isReferred(node: YAMLMap): boolean {
  let isFound = false;
  visit(node, (_, one) => {
    const isMerge = isScalar(one) && one.value === "<<";
    isFound ||= isAlias(one) || isMerge || ((isMap(one) || isScalar(one)) && one.anchor !== undefined);
  });
  return isFound;
}
