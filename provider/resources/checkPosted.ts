import type * as z from "zod";
import { defined } from "../core/equality";
import { judgeFreeze } from "../core/guards";
import * as messages from "../core/messages";
import type { UnresolvedArgs } from "../core/plan";
import { validate } from "../core/schemas";
import type { Settings } from "../core/settings";
import type { Checked } from "./lifecycle";
import { contradictions } from "./unresolved";

type Given = UnresolvedArgs & { workspaceId?: number | undefined };
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
  const nothing = { warnings: [], violations: [], declares: [] };
  if (value === undefined) {
    return { value, checked: { inputs: { ...news } as unknown as Placed<Value>, failures, ...nothing } };
  }
  const workspaceId = value.workspaceId ?? settings.workspaceId;
  if (workspaceId === undefined) {
    failures.push(messages.workspaceMissing());
  }
  const inputs = defined({ ...value, workspaceId: workspaceId as number });
  const violations = olds === undefined && inputs.adopt === undefined ? judgeFreeze(settings) : [];
  return {
    value: inputs,
    checked: { inputs, failures: [...failures, ...contradictions(inputs)], ...nothing, violations },
  };
}
