import { isObject, same } from "../core/equality";
import type { Received } from "./properties";

export type DiffKind = "add" | "delete" | "update";

/**
 * What changed between the inputs of before and those of now, by path: `inboundAgents["agent_front@12"]`. Of a secret property there
 * is one path only, for the keys of a secret split are agents.
 */
export function detailedDiff(olds: Received, news: Received): Map<string, DiffKind> {
  const found = new Map<string, DiffKind>();
  for (const name of new Set([...Object.keys(olds.values), ...Object.keys(news.values)])) {
    // What the dynamic provider keeps for itself, in a state that it has saved.
    if (name.startsWith("__")) {
      continue;
    }
    const isSecret = olds.secrets.has(name) || news.secrets.has(name);
    compare(step("", name), olds.values[name] ?? undefined, news.values[name] ?? undefined, isSecret, found);
  }
  return found;
}

function compare(path: string, old: unknown, now: unknown, isWhole: boolean, found: Map<string, DiffKind>): void {
  if (same(old, now)) {
    return;
  }
  if (old === undefined || now === undefined) {
    found.set(path, old === undefined ? "add" : "delete");
  } else if (isWhole || !isObject(old) || !isObject(now)) {
    found.set(path, "update");
  } else {
    for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
      compare(step(path, key), old[key], now[key], false, found);
    }
  }
}

function step(path: string, key: string): string {
  if (/^[A-Za-z_$][\w$]*$/.test(key)) {
    return path === "" ? key : `${path}.${key}`;
  }
  return `${path}["${key.replaceAll('"', '\\"')}"]`;
}
