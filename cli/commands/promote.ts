import { CALLED, defineCommand, type ValuesOf } from "../command";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { present } from "../lists";
import { findRollout, readConfig, writtenRollouts } from "../pulumi/config";
import { STACKS_OPTION, stacksOf } from "../pulumi/stacks";
import { readState } from "../pulumi/state";

import { ACTION_OPTIONS, finish, judgeTo, type ReadRollout, type Result } from "../rollout/apply";
import { judge, writePromotion } from "../rollout/promote";
import { stackRollout } from "../stack/rollout";

const PROMOTE_OPTIONS = {
  stack: { ...STACKS_OPTION.stack, help: "the stack whose rollout is promoted; repeatable; default the selected one" },
  to: { type: "string", value: "<agent>", help: "start a rollout of this agent, such as agent_front@14" },
  ...ACTION_OPTIONS,
} as const;

type PromoteValues = ValuesOf<typeof PROMOTE_OPTIONS>;

export const promoteCommand = defineCommand({
  name: "promote",
  group: "Roll out a version",
  summary: "Give a rollout's candidate its next percentage, in the config of the stack",
  usage: ["[name] [options]"],
  examples: [
    `${CALLED} promote front --stack prod`,
    `${CALLED} promote front --stack prod --to agent_front@14`,
    `./check.sh && ${CALLED} promote front --stack prod`,
  ],
  about: `It writes the config of the stack with \`pulumi config set-all\` and sends nothing: commit the file, review it as any
change, and apply it with \`pulumi up\`, or here with --up. If the last step is not on every number yet, --up applies that one.
Without a name it takes the one rollout of the stack; of several stacks, every rollout. The percentages are those of
agent-platform:steps.

With \`promote: { minSoak: 24h }\` in the rollout it waits until callers have had the present percentage for so long. Of
several stacks, each rollout is judged by what its stack has now. If one is held, the others are written.`,
  options: PROMOTE_OPTIONS,
  takes: { least: 0, most: 1, rule: "Name one rollout." },
  exitCodes:
    "0 written, 1 held, 2 wrong arguments, 3 nothing to promote; with --up 1 if not on every number; of several rollouts the lowest",
  page: "rollouts",
  async run({ values, positionals: [name] }, io) {
    judgeTo(values.to);
    const stacks = await stacksOf(values.stack, io);
    judgeStacks(values, stacks);
    const rollouts = await rolloutsOf(stacks, name, values["config-file"], io);
    const now = io.now();
    // Each is judged before the first is written.
    const judged = rollouts.map((rollout) => judge(rollout, values, now));
    const results: Result[] = [];
    for (const one of judged) {
      results.push("code" in one ? one : await writePromotion(one, values["dry-run"], values.up, io));
    }
    const [only] = results;
    const result = stacks.length > 1 || only === undefined ? summed(rollouts, results) : only;
    const toApply = rollouts.filter((_, index) => results[index]?.code === 0 || results[index]?.isUnapplied === true);
    return finish(result, toApply, values, [], io);
  },
});

function judgeStacks({ to, "config-file": file }: PromoteValues, stacks: readonly string[]): void {
  const ofOne = present([to !== undefined && "--to", file !== undefined && "--config-file"])[0];
  if (ofOne !== undefined && stacks.length > 1) {
    throw new UsageError(`${ofOne} is about one stack. Name one with --stack.`);
  }
}

/** Of one stack, the rollout of this name. Of several, the rollouts of this name, or all. */
async function rolloutsOf(
  stacks: readonly string[],
  name: string | undefined,
  configFile: string | undefined,
  io: Io,
): Promise<ReadRollout[]> {
  const all: ReadRollout[] = [];
  for (const stack of stacks) {
    const target = { stack, configFile };
    // The config comes last, so that little time passes until it is written.
    const state = await readState(stack, io);
    const config = await readConfig(target, io);
    const names = Object.keys(writtenRollouts(config, target)).filter((one) => name === undefined || one === name);
    for (const one of stacks.length > 1 ? names : [name]) {
      const found = findRollout(config, one, target);
      all.push({ target, config, rollout: stackRollout(found.name, found.entry, state) });
    }
  }
  if (all.length === 0) {
    const where = stacks.join(", ");
    throw new UsageError(
      name === undefined
        ? `No rollout is in the config of these stacks: ${where}.`
        : `No rollout ${JSON.stringify(name)} is in the config of these stacks: ${where}.`,
    );
  }
  return all;
}

/** The best outcome counts for all: if one is written, there is something to commit. */
function summed(rollouts: readonly ReadRollout[], results: readonly Result[]): Result {
  const blocks = results.map(({ code, text }, index) => {
    const { name, stack } = rollouts[index]?.rollout ?? { name: "", stack: "" };
    // The text of a promotion that is written begins with its rollout and its stack. The others get them as a title.
    return code === 0 ? text : `${name} in ${stack}\n${text.replaceAll(/^/gm, "  ")}`;
  });
  const [best] = results.toSorted((one, other) => one.code - other.code);
  const { code = 0, outcome = "written" } = best ?? {};
  return { code, text: blocks.join("\n\n"), outcome, promotions: results.map(({ code: _, ...result }) => result) };
}
