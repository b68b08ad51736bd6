import type { z } from "zod";
import { validate } from "../core/inputs";
import * as messages from "../core/messages";
import { defined } from "../core/same";
import type { Settings } from "../core/settings";
import { judgeFreeze } from "./judge";
import type { Checked } from "./lifecycle";
import { contradictions, type Settling } from "./unresolved";

type Given = Settling & { workspaceId?: number | undefined };
type Placed<Value extends Given> = Omit<Value, "workspaceId"> & { workspaceId: number };

/**
 * What the check of a voice and that of a chat have in common: the rules of their form, the workspace, the operator's answers, the
 * freeze. `value` is undefined where the form is broken: then nothing more is to be judged.
 */
export function checkPosted<Value extends Given>(
  schema: z.ZodType<Value>,
  olds: Readonly<Record<string, unknown>> | undefined,
  news: Readonly<Record<string, unknown>>,
  settings: Settings,
): { value: Placed<Value> | undefined; checked: Checked<Placed<Value>> } {
  const { value, problems } = validate(schema, news);
  const failures = problems.map((problem) => messages.invalid(problem));
  const nothing = { warnings: [], trips: [], declares: [] };
  if (value === undefined)
    return { value, checked: { inputs: { ...news } as unknown as Placed<Value>, failures, ...nothing } };
  const workspaceId = value.workspaceId ?? settings.workspaceId;
  if (workspaceId === undefined) failures.push(messages.workspaceMissing());
  const inputs = defined({ ...value, workspaceId: workspaceId as number });
  const trips = olds === undefined && inputs.adopt === undefined ? judgeFreeze(settings) : [];
  return {
    value: inputs,
    checked: { inputs, failures: [...failures, ...contradictions(inputs)], ...nothing, trips },
  };
}
