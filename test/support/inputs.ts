import { UNKNOWN } from "../../provider/base/engine";
import type { Plan } from "../../provider/run/plan";
import type { Checked } from "../../provider/run/resource";
import { violated } from "../../provider/run/violation";
import { render } from "../../provider/words/message";
import { headsOf } from "./failures";
import { settingsOf } from "./session";

export const ENDPOINT = "https://platform.example.com";

export const settingsWith = (overrides: Readonly<Record<string, unknown>> = {}) =>
  settingsOf({ baseUrl: ENDPOINT, accessToken: "test-token", ...overrides });

export const settings = settingsWith();

/** Returns the messages that a user sees after a check: first the failures, then the guards' refusals. */
export const reasons = ({ failures, violations }: Checked<unknown>): string[] =>
  [...failures, ...violated(undefined, violations)].map(render);

/** Returns the messages from `reasons`, shortened to the code and the argument or resource that each one names. */
export const refused = (checked: Checked<unknown>): string[] => headsOf(reasons(checked));

/** Describes a plan in one line: what the engine does, the reasons, and the guards that refuse the change. */
export function outcome({ changes, replaces, reasons: planReasons, violations }: Plan): string {
  const update = changes ? "update" : "same";
  return [
    replaces.length > 0 ? `replace by ${replaces.join(", ")}` : update,
    ...planReasons.map(({ why }) => why),
    ...violations.map(({ guard }) => `refused by ${guard}`),
  ].join("; ");
}

/**
 * Returns every variant of a value in which exactly one part is unknown: the whole value, or one field or item at any
 * depth. `path` says which part is unknown.
 */
function withUnknowns(value: unknown): { path: string; value: unknown }[] {
  return [{ path: "", value: UNKNOWN }, ...withUnknownsInside(value)];
}

function withUnknownsInside(value: unknown): { path: string; value: unknown }[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) =>
      withUnknowns(item).map(({ path, value: item }) => ({
        path: `[${index}]${path}`,
        value: value.with(index, item),
      })),
    );
  }
  if (typeof value !== "object" || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([key, item]) =>
    withUnknowns(item).map(({ path, value: item }) => ({ path: `.${key}${path}`, value: { ...value, [key]: item } })),
  );
}

/**
 * Returns every variant of a resource's arguments in which exactly one argument, or one part of an argument, is
 * unknown.
 */
export const argsWithUnknowns = (args: object) =>
  withUnknowns(args)
    .slice(1)
    .map(({ path, value }) => ({ path: path.slice(1), args: value as Record<string, unknown> }));
