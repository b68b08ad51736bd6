import { UNKNOWN } from "../../provider/base/engine";
import type { Plan } from "../../provider/run/plan";
import type { Checked } from "../../provider/run/resource";
import { violated } from "../../provider/run/violation";
import { render } from "../../provider/words/message";
import { headsOf } from "./failures";
import { settingsOf } from "./session";

export const ENDPOINT = "https://platform.example.com";

export const settingsWith = (more: Readonly<Record<string, unknown>> = {}) =>
  settingsOf({ baseUrl: ENDPOINT, accessToken: "test-token", ...more });

export const settings = settingsWith();

/** What a user reads of a check, failures first. */
export const reasons = ({ failures, violations }: Checked<unknown>): string[] =>
  [...failures, ...violated(undefined, violations)].map(render);

/** The same as a code and the argument or resource that it names, because the wording is in messages.txt. */
export const refused = (checked: Checked<unknown>): string[] => headsOf(reasons(checked));

/** A diff in a line: what the engine makes of it, why, and which guards refuse it. */
export function outcome({ changes, replaces, reasons: why, violations }: Plan): string {
  const update = changes ? "update" : "same";
  return [
    replaces.length > 0 ? `replace by ${replaces.join(", ")}` : update,
    ...why.map((reason) => reason.why),
    ...violations.map(({ guard }) => `refused by ${guard}`),
  ].join("; ");
}

/** Every way to put the unknown text in place of one value of the inputs: each field, and each value inside it. */
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

/** The same, for the fields of a resource's arguments; the arguments as a whole are never unknown. */
export const argsWithUnknowns = (args: object) =>
  withUnknowns(args)
    .slice(1)
    .map(({ path, value }) => ({ path: path.slice(1), args: value as Record<string, unknown> }));
