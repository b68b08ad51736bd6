import { isObject, same } from "../core/common/equality";
import type { Received } from "./properties";

export type DiffKind = "ADD" | "DELETE" | "UPDATE";

/** The paths of the inputs that differ, such as `inboundAgents["agent_front@12"]`. A secret property is one path, because its keys are secret as well. */
export function detailedDiff(olds: Received, news: Received): Map<string, DiffKind> {
  const found = new Map<string, DiffKind>();
  for (const name of new Set([...Object.keys(olds.values), ...Object.keys(news.values)])) {
    // Inputs that only the dynamic provider has, in a state that it has saved.
    if (name.startsWith("__")) {
      continue;
    }
    const isSecret = olds.secrets.has(name) || news.secrets.has(name);
    findChanges(step("", name), olds.values[name] ?? undefined, news.values[name] ?? undefined, isSecret, found);
  }
  return found;
}

function findChanges(path: string, old: unknown, now: unknown, isWhole: boolean, found: Map<string, DiffKind>): void {
  if (same(old, now)) {
    return;
  }
  if (old === undefined || now === undefined) {
    found.set(path, old === undefined ? "ADD" : "DELETE");
  } else if (isWhole || !isObject(old) || !isObject(now)) {
    found.set(path, "UPDATE");
  } else {
    for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
      findChanges(step(path, key), old[key], now[key], false, found);
    }
  }
}

function step(path: string, key: string): string {
  if (/^[A-Za-z_$][\w$]*$/.test(key)) {
    return path === "" ? key : `${path}.${key}`;
  }
  return `${path}["${key.replaceAll('"', '\\"')}"]`;
}
