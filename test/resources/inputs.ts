import { readSettings } from "../../provider/core/readSettings";
import type { Settings } from "../../provider/core/settings";
import { UNKNOWN } from "../../provider/core/unknown";
import type { Checked, Diff } from "../../provider/resources/lifecycle";

export const ENDPOINT = "https://platform.example.com";

/** The settings of a stack, without any world. */
export function settingsWith(more: Readonly<Record<string, unknown>> = {}): Settings {
  const config: Record<string, unknown> = { baseUrl: ENDPOINT, accessToken: "token", ...more };
  const read = readSettings({
    get: (key) => config[key.replace("agent-platform:", "")],
    env: {},
    readApproved: () => "",
  });
  if ("problems" in read) throw new Error(read.problems.map(({ text }) => text).join("\n"));
  return read.settings;
}

export const settings = settingsWith();

/** What a user reads of a check, failures first. */
export const reasons = ({ failures, trips }: Checked<unknown>): string[] =>
  [...failures, ...trips].map(({ text }) => text);

/** A diff in a word: what the engine makes of it. */
export function outcome({ changes, replaces, deleteBeforeReplace }: Diff): string {
  if (replaces.length > 0)
    return `replace by ${replaces.join(", ")}${deleteBeforeReplace ? ", the old one first" : ""}`;
  return changes ? "update" : "same";
}

/** Every way to put the unknown text in place of one value of the inputs: each field, and each value inside it. */
export function withUnknowns(value: unknown): { path: string; value: unknown }[] {
  const inside = Array.isArray(value)
    ? value.flatMap((item, index) =>
        withUnknowns(item).map(({ path, value: item }) => ({
          path: `[${index}]${path}`,
          value: value.with(index, item),
        })),
      )
    : typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, item]) =>
          withUnknowns(item).map(({ path, value: item }) => ({
            path: `.${key}${path}`,
            value: { ...value, [key]: item },
          })),
        )
      : [];
  return [{ path: "", value: UNKNOWN }, ...inside];
}

/** The same, for the fields of a resource's arguments; the arguments as a whole are never unknown. */
export const argsWithUnknowns = (args: object) =>
  withUnknowns(args)
    .slice(1)
    .map(({ path, value }) => ({ path: path.slice(1), args: value as Record<string, unknown> }));
