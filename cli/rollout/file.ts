import { isMap, isNode, isScalar, LineCounter, parseDocument, type YAMLMap } from "yaml";
import { defined, same } from "../../provider/core/common/equality";
import { nearest } from "../../provider/core/common/nearest";
import { type NamedRollout, rollouts } from "../../provider/core/routing/rollouts";
import { UsageError } from "../errors";
import { ROLLOUTS } from "../stack/rollout";
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

/** Without a name, the one rollout of the file. */
export function findRollout(file: TextFile, name: string | undefined): FoundRollout {
  const all = findRollouts(file);
  const names = all.map((one) => one.name);
  const wanted = name ?? (names.length === 1 ? names[0] : undefined);
  const found = all.find((one) => one.name === wanted);
  if (found === undefined) {
    throw new UsageError(missing(wanted, names, file));
  }
  return found;
}

function missing(wanted: string | undefined, names: readonly string[], { shown }: TextFile): string {
  if (names.length === 0) {
    return `${shown} has no rollout. Write its rollouts there, under ${ROLLOUTS}: a name, and below it stable, candidate and percent.`;
  }
  const has = wanted === undefined ? `${names.length} rollouts` : `no rollout ${JSON.stringify(wanted)}`;
  const meant = nearest(wanted ?? "", names);
  return `${shown} has ${has}. ${meant === undefined ? `Name one of ${names.join(", ")}.` : `Did you mean ${meant}?`}`;
}

/** Every rollout of the file, read as the setting is. What is wrong is told with its line. */
export function findRollouts({ shown, text }: TextFile): FoundRollout[] {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  function refuse(at: unknown, why: string): never {
    const offset = isNode(at) ? at.range?.[0] : at;
    const { line } = lineCounter.linePos(typeof offset === "number" ? offset : 0);
    throw new UsageError(`${shown}, line ${line}: ${why}`);
  }
  const mapIn = (path: string, node: unknown): YAMLMap =>
    isMap(node) ? node : refuse(node, `${path} must be a map, on lines of its own.`);

  for (const { pos, message } of document.errors) {
    refuse(pos[0], `this is not YAML: ${message}`);
  }
  const node = document.getIn(["config", ROLLOUTS], true);
  if (node === undefined || (isScalar(node) && node.value === null)) {
    return [];
  }
  const all = mapIn(ROLLOUTS, node);
  const maps = all.items.map(({ key, value }) => {
    const name = isScalar(key) ? String(key.value) : "";
    return { name, map: mapIn(`${ROLLOUTS}.${name}`, value) };
  });
  const { data = {}, error } = rollouts.safeParse(all.toJS(document));
  for (const { path, message } of error?.issues ?? []) {
    const keys = path.map(String);
    const at = all.getIn(keys, true) ?? all.get(keys[0], true);
    refuse(at, `${[ROLLOUTS, ...keys].join(".")} ${message}.`);
  }
  return maps.map(({ name, map }) => {
    const value = data[name] as NamedRollout;
    return {
      name,
      value,
      edited: (next) =>
        checked(edited(map, text, value, next), whole(document.toJS(), name, next), `${shown}: ${ROLLOUTS}.${name}`),
    };
  });
}

/** What the whole file has to say after the edit. */
const whole = (before: { readonly config: Readonly<Record<string, object>> }, name: string, next: NamedRollout) => ({
  ...before,
  config: { ...before.config, [ROLLOUTS]: { ...before.config[ROLLOUTS], [name]: defined(next) } },
});

/** An edit is refused if the file would say anything else, as with an anchor that has an alias elsewhere. */
function checked(after: string, wanted: unknown, where: string): string {
  const read = parseDocument(after);
  if (read.errors.length > 0 || !same(read.toJS(), wanted)) {
    const how = "Write stable, candidate and percent on lines of their own, without anchors and aliases.";
    throw new UsageError(`${where} is written in a way that cannot be edited in place. ${how}`);
  }
  return after;
}
