import { isMap, isNode, isScalar, LineCounter, type Pair, parseDocument, type YAMLMap } from "yaml";
import { defined, isObject, same } from "../../../provider/core/common/equality";
import { nearest } from "../../../provider/core/common/nearest";
import { type NamedRollout, rollouts } from "../../../provider/core/routing/rollouts";
import { UsageError } from "../../errors";
import { nameMeant } from "../../rollout/after";
import { ROLLOUTS } from "../../rollout/value";
import { edited } from "./edit";

/** The config file of a stack, whose text is edited. */
export interface TextFile {
  /** The path from the operator's working directory. */
  readonly shown: string;
  readonly text: string;
}

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
  const has = wanted === undefined ? `${names.length} rollouts` : `no rollout ${JSON.stringify(wanted)}`;
  const meant = nearest(wanted ?? "", names);
  return `${shown} has ${has}. ${meant === undefined ? `Name one of ${names.join(", ")}.` : `Did you mean ${meant}?`}`;
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
    const node = this.#document.getIn(["config", ROLLOUTS], true);
    return node === undefined || (isScalar(node) && node.value === null) ? [] : this.#map(ROLLOUTS, node).items;
  }

  /** Reads it as the setting does. */
  found(pair: Pair): FoundRollout {
    const name = nameOf(pair);
    const path = `${ROLLOUTS}.${name}`;
    const map = this.#map(path, pair.value);
    const { data, error } = rollouts.safeParse({ [name]: map.toJS(this.#document) });
    const value = data?.[name];
    if (value === undefined) {
      const [issue] = error?.issues ?? [];
      const fields = (issue?.path ?? []).slice(1).map(String);
      const node = map.getIn(fields, true);
      const rule = issue === undefined ? "is not valid" : issue.message;
      throw this.#refusal(isNode(node) ? node : map, `${[path, ...fields].join(".")} ${rule}.`);
    }
    return { name, value, edited: (next) => this.#edited(name, map, value, next) };
  }

  #map(path: string, node: unknown): YAMLMap {
    if (!isMap(node)) {
      throw this.#refusal(node, `${path} must be a map, on lines of its own.`);
    }
    return node;
  }

  /** An edit is refused if the file would say anything else, as with an anchor that has an alias elsewhere. */
  #edited(name: string, map: YAMLMap, value: NamedRollout, next: NamedRollout): string {
    const { text, shown } = this.#file;
    const after = edited(map, text, value, next);
    const read = parseDocument(after);
    if (read.errors.length > 0 || !same(read.toJS(), this.#expected(name, next))) {
      const how = "Write stable, candidate and percent on lines of their own, without anchors and aliases.";
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
