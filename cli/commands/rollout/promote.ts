import { isAgentKey } from "../../../provider/core/routing/split";
import { CALLED, defineCommand, JSON_OPTION, type ValuesOf } from "../../command";
import { UsageError } from "../../errors";
import type { Io } from "../../io";
import { readProject } from "../../pulumi/projectFile";
import { STACKS_OPTIONS, stackOf } from "../../pulumi/stackNames";
import { promoteAll } from "./promoteAll";
import { type Given, held, judge, readSoak, write } from "./promotion";
import { print, type Result, readTarget } from "./target";

const options = {
  stack: { ...STACKS_OPTIONS.stack, help: "the stack whose rollout is promoted; repeatable" },
  all: { type: "boolean", help: "every rollout of every stack of the project, in the order of promote.after" },
  to: {
    type: "string",
    value: "<agent>",
    help: "start a rollout of this agent at the first step, such as agent_front@14",
  },
  after: {
    type: "string",
    value: "<stack>[:<name>]",
    help: "only if that stack gives the candidate 100 %; without --to, start with its agent",
  },
  "min-soak": {
    type: "string",
    value: "<time>",
    help: "only if the present split is this old: 30m, 24h or 7d; with --after, in that stack as well",
  },
  check: {
    type: "string",
    value: "<command>",
    help: "only if this command ends with exit code 0; it gets the numbers on standard input",
  },
  "dry-run": { type: "boolean", help: "write nothing" },
  json: JSON_OPTION,
} as const;

export const promoteCommand = defineCommand({
  name: "promote",
  group: "Roll out a version",
  summary: "Give a rollout's candidate its next percentage, in Pulumi.<stack>.yaml",
  usage: [
    "[name] --stack <name> [options]",
    "[name] --all [options]",
    "[name] --stack <name> --stack <name>… [options]",
  ],
  examples: [
    `${CALLED} promote front --stack prod`,
    `${CALLED} promote --all`,
    `${CALLED} promote front --stack prod --to agent_front@14`,
    `${CALLED} promote front --stack prod --after canary --min-soak 24h --check ./rate.sh`,
  ],
  about: `It edits one value of the stack's config file and prints the difference. It sends nothing: commit the file, review it
as any change, and apply it with \`pulumi up\`. The rest of the file stays as it is. Without a name it takes the one
rollout of the stack. The percentages are those of agent-platform:steps.

The file may ask for more: \`promote: { after: canary, minSoak: 24h }\` in the rollout. An option takes its place for once.

With --all or several stacks, each rollout has the gates of its own file, and is judged by what its stack has now. If one
is held, the others are written. If one stack cannot be read, nothing is written.

A check passes with exit code 0 and fails with 1. With any other exit code, a signal, or after 600 seconds it is
inconclusive. Unless it passes, nothing is written. Its variables are ROLLOUT_NAME, ROLLOUT_STACK, ROLLOUT_STABLE,
ROLLOUT_CANDIDATE, ROLLOUT_PERCENT, ROLLOUT_NEXT and ROLLOUT_SINCE. The last line that it prints is shown.`,
  options,
  takes: { least: 0, most: 1, rule: "Name one rollout." },
  exitCodes:
    "0 written, 1 held, 2 wrong arguments, 3 nothing to promote;\nof several stacks 0 if one was written, else 1 if one is held",
  page: "docs/guides/rollout.md",
  async run({ values, positionals: [name] }, io) {
    return print(await promote(name, values, io), values, io);
  },
});

async function promote(name: string | undefined, given: ValuesOf<typeof options>, io: Io): Promise<Result> {
  refuseNoAgent(given);
  refuseEmptyCheck(given);
  readSoak(given["min-soak"]);
  const isWritten = !given["dry-run"];
  const project = readProject(io);
  const [stack, ...others] = given.stack ?? [];
  if (given.all || others.length > 0) {
    return promoteAll(name, given, project, isWritten, io);
  }
  const one = await judge(readTarget(project, stackOf({ stack }), { name }, io), given, project, io);
  return "code" in one ? one : (write([one], project, isWritten)[0] ?? held([], one.target));
}

function refuseNoAgent({ to }: Given): void {
  if (to !== undefined && !isAgentKey(to)) {
    throw new UsageError(`--to takes an agent, such as agent_front@14; found ${JSON.stringify(to)}.`);
  }
}

/** A pipeline may have forgotten to set a variable. Then no check would be asked, and every candidate would pass. */
function refuseEmptyCheck({ check }: Given): void {
  if (check?.trim() === "") {
    throw new UsageError("--check is empty. Name a command, or leave the option out.");
  }
}
