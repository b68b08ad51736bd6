/** The rollout of a stack that is meant: the one that is named, else the only one, else the one with the usual name. */
export const nameMeant = (named: string | undefined, names: readonly string[], usual: string | undefined) =>
  named ?? (names.length === 1 ? names[0] : names.find((one) => one === usual));

/** With Pulumi Cloud a stack may be named as `organization/project/stack`: the name of the stack alone. */
export const stackAlone = (stack: string): string => stack.split("/").at(-1) ?? "";

/**
 * What `--after` and `promote.after` name: a stack, of a project in another folder if one is named, and one of its rollouts if one is named.
 * `canary`, `canary:front`, `organization/project/canary`, or `../desk/canary` for the stack of a project in the folder `../desk`.
 */
export function parseAfter(text: string) {
  const [path = "", name] = text.split(":");
  const cut = /^\.{1,2}\//.test(path) ? path.lastIndexOf("/") : -1;
  return { folder: cut < 0 ? undefined : path.slice(0, cut), stack: path.slice(cut + 1), name };
}
