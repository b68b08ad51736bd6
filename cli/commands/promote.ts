import { CALLED, defineCommand, type ValuesOf } from "../command";
import { UsageError } from "../errors";
import { present } from "../lists";
import { projectHere } from "../pulumi/projectFile";
import { STACKS_OPTION, stacksOf } from "../pulumi/stacks";
import { ACTION_OPTIONS, finish, type Result } from "../rollout/apply";
import { findRollout, namesIn } from "../rollout/file";
import { judge, type Promotion, writePromotion } from "../rollout/promotion";
import { CONFIG_FILE_OPTION, judgeTo, readStackFile, type StackRollout, type Workspace } from "../rollout/stackFile";

const PROMOTE_OPTIONS = {
  stack: { ...STACKS_OPTION.stack, help: "the stack whose rollout is promoted; repeatable; default the selected one" },
  to: { type: "string", value: "<agent>", help: "start a rollout of this agent, such as agent_front@14" },
  "config-file": CONFIG_FILE_OPTION,
  new: { type: "boolean", help: "with --to: the agent is new, and no typing mistake" },
  check: { type: "string", value: "<command>", help: "only if this command ends with exit code 0" },
  ...ACTION_OPTIONS,
} as const;

type PromoteValues = ValuesOf<typeof PROMOTE_OPTIONS>;

export const promoteCommand = defineCommand({
  name: "promote",
  group: "Roll out a version",
  summary: "Give a rollout's candidate its next percentage, in Pulumi.<stack>.yaml",
  usage: ["[name] [options]"],
  examples: [
    `${CALLED} promote front --stack prod`,
    `${CALLED} promote --stack canary --stack prod`,
    `${CALLED} promote front --stack prod --to agent_front@14`,
    `${CALLED} promote front --stack prod --check ./rate.sh`,
  ],
  about: `It edits one value of the stack's config file. It sends nothing: commit the file, review it as any change, and apply it
with \`pulumi up\`, or here with --up. If the last step is not on every number yet, --up applies that one. Without a name it takes the one rollout of the stack; of several stacks, every rollout. The percentages
are those of agent-platform:steps.

Gates are in the file: \`promote: { after: canary, minSoak: 24h }\` in the rollout. Of several stacks, each rollout is judged
by its own file and by what its stack has now. If one is held, the others are written.

A check gets ROLLOUT_NAME, ROLLOUT_STACK, ROLLOUT_STABLE, ROLLOUT_CANDIDATE, ROLLOUT_PERCENT, ROLLOUT_NEXT and
ROLLOUT_SINCE, and the numbers on standard input. It has 600 seconds. Its output is passed on to standard error.`,
  options: PROMOTE_OPTIONS,
  takes: { least: 0, most: 1, rule: "Name one rollout." },
  exitCodes:
    "0 written, 1 held, 2 wrong arguments, 3 nothing to promote; with --up 1 if not on every number; of several rollouts the lowest",
  page: "rollouts",
  async run({ values, positionals: [name] }, io) {
    judgeValues(values);
    const workspace = { project: projectHere(io), io, configFile: values["config-file"] };
    const stacks = await stacksOf(values.stack, io);
    const rollouts = await chosenRollouts(name, stacks, workspace);
    const judged: (Promotion | Result)[] = [];
    // Each is judged before the first file is written.
    for (const rollout of rollouts) {
      judged.push(await judge(rollout, values));
    }
    const results: Result[] = [];
    for (const one of judged) {
      results.push("code" in one ? one : await writePromotion(one, values["dry-run"] ?? false, values.up ?? false));
    }
    const [only] = results;
    const result = stacks.length > 1 || only === undefined ? summed(rollouts, results) : only;
    const unapplied = rollouts.filter((_, index) => results[index]?.code === 0 || results[index]?.isUnapplied === true);
    return finish(result, unapplied, values, [], io);
  },
});

function judgeValues({ to, check, stack = [], "config-file": file }: PromoteValues): void {
  judgeTo(to);
  // A pipeline may have forgotten to set a variable. Then no check would be asked, and every candidate would pass.
  if (check?.trim() === "") {
    throw new UsageError("--check is empty. Name a command, or leave the option out.");
  }
  const ofOne = present([to !== undefined && "--to", file !== undefined && "--config-file"])[0];
  if (ofOne !== undefined && stack.length > 1) {
    throw new UsageError(`${ofOne} is about one stack. Name one with --stack.`);
  }
}

/** Of several stacks, the rollouts of this name, or all. */
async function chosenRollouts(name: string | undefined, stacks: readonly string[], workspace: Workspace) {
  const files = [];
  for (const stack of stacks) {
    files.push(await readStackFile(workspace, stack));
  }
  const all = files.flatMap((read) =>
    namesIn(read)
      .filter((one) => name === undefined || one === name)
      .map((one) => findRollout(read, one)),
  );
  // If it is in none, the first file says so.
  return stacks.length > 1 && all.length > 0 ? all : files.slice(0, 1).map((read) => findRollout(read, name));
}

/** The best outcome counts for all: if one is written, there is something to commit. */
function summed(rollouts: readonly StackRollout[], results: readonly Result[]): Result {
  const blocks = results.map(({ code, text }, index) => {
    const { name, stack } = rollouts[index] as StackRollout;
    // The text of a promotion that is written begins with its rollout and its stack. The others get them as a title.
    return code === 0 ? text : `${name} in ${stack}\n${text.replaceAll(/^/gm, "  ")}`;
  });
  const [best] = results.toSorted((one, other) => one.code - other.code);
  const { code = 0, outcome = "written" } = best ?? {};
  return { code, text: blocks.join("\n\n"), outcome, promotions: results.map(({ code: _, ...result }) => result) };
}
