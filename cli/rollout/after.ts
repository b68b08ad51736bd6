/** The rollout of a stack that is meant: the one that is named, else the only one, else the one with the usual name. */
export const nameMeant = (named: string | undefined, names: readonly string[], usual: string | undefined) =>
  named ?? (names.length === 1 ? names[0] : names.find((one) => one === usual));

/** With Pulumi Cloud a stack may be named as `organization/project/stack`: the name of the stack alone. */
export const stackAlone = (stack: string): string => stack.split("/").at(-1) ?? "";

/** What `promote.after` names: a stack, and one of its rollouts if one is named. `canary`, `canary:front`, `organization/project/canary`. */
export function parseAfter(text: string) {
  const [stack = "", name] = text.split(":");
  return { stack, name };
}
