import { nearest } from "../../../provider/core/common/nearest";
import { isAgentKey } from "../../../provider/core/routing/split";
import { CALLED, defineCommand, JSON_OPTION, type ValuesOf } from "../../command";
import { UsageError } from "../../errors";
import type { Io } from "../../io";
import { groupBy, inOrder, present } from "../../lists";
import { type ProjectFile, readProject } from "../../pulumi/projectFile";
import { STACKS_OPTIONS, stackOf, stacksNamed } from "../../pulumi/stackNames";
import { nameMeant, parseAfter, stackAlone } from "../../rollout/after";
import { judge, type Promotion, write } from "./promotion";
import { findRollouts } from "./rolloutFile";
import { readStackFile } from "./stackFile";
import { print, type Result, readTarget, type Target } from "./target";

const options = {
  stack: { ...STACKS_OPTIONS.stack, help: "the stack whose rollout is promoted; repeatable" },
  all: { type: "boolean", help: "every rollout of every stack of the project, in the order of promote.after" },
  to: { type: "string", value: "<agent>", help: "start a rollout of this agent, such as agent_front@14" },
  check: { type: "string", value: "<command>", help: "only if this command ends with exit code 0" },
  "dry-run": { type: "boolean", help: "write nothing" },
  json: JSON_OPTION,
} as const;

type Values = ValuesOf<typeof options>;

export const promoteCommand = defineCommand({
  name: "promote",
  group: "Roll out a version",
  summary: "Give a rollout's candidate its next percentage, in Pulumi.<stack>.yaml",
  usage: ["[name] --stack <name> [options]", "[name] --all [options]"],
  examples: [
    `${CALLED} promote front --stack prod`,
    `${CALLED} promote --all`,
    `${CALLED} promote front --stack prod --to agent_front@14`,
    `${CALLED} promote front --stack prod --check ./rate.sh`,
  ],
  about: `It edits one value of the stack's config file and prints the difference. It sends nothing: commit the file, review it
as any change, and apply it with \`pulumi up\`. Without a name it takes the one rollout of the stack. The percentages are
those of agent-platform:steps.

Gates are in the file: \`promote: { after: canary, minSoak: 24h }\` in the rollout. Of several stacks, each rollout is judged
by its own file and by what its stack has now. If one is held, the others are written.

A check gets ROLLOUT_NAME, ROLLOUT_STACK, ROLLOUT_STABLE, ROLLOUT_CANDIDATE, ROLLOUT_PERCENT, ROLLOUT_NEXT and
ROLLOUT_SINCE, and the numbers on standard input. It has 600 seconds. Its output is passed on to standard error.`,
  options,
  takes: { least: 0, most: 1, rule: "Name one rollout." },
  exitCodes: "0 written, 1 held, 2 wrong arguments, 3 nothing to promote; of several, that of the best outcome",
  page: "docs/guides/rollout.md",
  async run({ values, positionals: [name] }, io) {
    refuse(values);
    const project = readProject(io);
    const several = values.all || (values.stack ?? []).length > 1;
    const targets = several
      ? allTargets(name, values, project, io)
      : [readTarget(project, await stackOf({ stack: values.stack?.[0] }, io), { name }, io)];
    const results = await promote(targets, values, project, io);
    const [only] = results;
    return print(several || only === undefined ? summed(targets, results) : only, values, io);
  },
});

function refuse({ to, check, all, stack = [] }: Values): void {
  if (to !== undefined && !isAgentKey(to)) {
    throw new UsageError(`--to takes an agent, such as agent_front@14; found ${JSON.stringify(to)}.`);
  }
  // A pipeline may have forgotten to set a variable. Then no check would be asked, and every candidate would pass.
  if (check?.trim() === "") {
    throw new UsageError("--check is empty. Name a command, or leave the option out.");
  }
  if (to !== undefined && (all || stack.length > 1)) {
    throw new UsageError("--to is about one stack. Name it with --stack.");
  }
}

// --- the rollouts of several stacks

/** The rollouts of this name, or all, in the order of `promote.after`. */
function allTargets(name: string | undefined, values: Values, project: ProjectFile, io: Io): Target[] {
  const stacks = stacksNamed({ stack: values.stack, "all-stacks": values.all }, io, "--all");
  const all = stacks.flatMap((stack) => {
    const file = readStackFile(project, stack, io);
    return findRollouts(file).map((found): Target => ({ stack, file, found }));
  });
  const targets = all.filter(({ found }) => name === undefined || found.name === name);
  if (targets.length === 0) {
    throw new UsageError(noneText(name, all, stacks));
  }
  const { ordered, stuck } = inOrder(targets, (one, other) => waitsFor(one, other, all));
  if (stuck.length > 0) {
    const names = stuck.map(({ found, stack }) => `${found.name} in ${stack}`);
    throw new UsageError(`promote.after goes in a circle: ${names.join(", ")} wait for each other.`);
  }
  return ordered;
}

/** Does the file of the first say that the second is to be first? */
function waitsFor(one: Target, other: Target, all: readonly Target[]): boolean {
  const { folder, stack, name } = parseAfter(one.found.value.promote?.after ?? "");
  if (folder !== undefined || stackAlone(stack) !== stackAlone(other.stack)) {
    return false;
  }
  const there = all.filter((target) => target.stack === other.stack).map(({ found }) => found.name);
  return other.found.name === nameMeant(name, there, one.found.name);
}

function noneText(name: string | undefined, all: readonly Target[], stacks: readonly string[]): string {
  const names = [...new Set(all.map(({ found }) => found.name))];
  if (name === undefined || names.length === 0) {
    return `No stack of this project has a rollout: none is in ${stacks.join(", ")}.`;
  }
  const meant = nearest(name, names);
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  return `No stack of this project has a rollout ${JSON.stringify(name)}.${hint} Its rollouts: ${names.join(", ")}.`;
}

// --- judge all, then write

/** A result for each target. Each is judged before the first file is written. */
async function promote(targets: readonly Target[], values: Values, project: ProjectFile, io: Io): Promise<Result[]> {
  const results = new Map<Target, Result>();
  const steps: Promotion[] = [];
  for (const target of targets) {
    const judged = await judge(target, values, project, io);
    if ("code" in judged) {
      results.set(target, judged);
    } else {
      steps.push(judged);
    }
  }
  for (const ofFile of groupBy(steps, ({ target }) => target.file.path)) {
    for (const [index, result] of write(ofFile, !values["dry-run"]).entries()) {
      results.set((ofFile[index] ?? ofFile[0]).target, result);
    }
  }
  return targets.flatMap((target) => results.get(target) ?? []);
}

const OUTCOMES = {
  written: "written",
  "not written": "would be written",
  held: "held",
  "nothing to promote": "with nothing to promote",
} as const;

/** One that is written counts for all: there is something to commit. */
function summed(targets: readonly Target[], results: readonly Result[]): Result {
  const worth = Object.keys(OUTCOMES) as (keyof typeof OUTCOMES)[];
  const outcome = worth.find((one) => results.some((result) => result.outcome === one)) ?? "nothing to promote";
  const counts = worth.map((one) => {
    const count = results.filter((result) => result.outcome === one).length;
    return count > 0 && `${count} ${OUTCOMES[one]}`;
  });
  const blocks = targets.map(({ found, stack }, index) => {
    const { code = 0, text = "" } = results[index] ?? {};
    // The text of a promotion that is written begins with its rollout and its stack. The others get them as a title.
    return code === 0 ? text : `${found.name} in ${stack}\n${text.replaceAll(/^/gm, "  ")}`;
  });
  return {
    code: results.find((result) => result.outcome === outcome)?.code ?? 0,
    text: [...blocks, `${present(counts).join(", ")}.`].join("\n\n"),
    outcome,
    promotions: results.map(({ code: _, ...result }) => result),
  };
}
