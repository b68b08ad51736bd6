import { CLI, defineCommand } from "../command";
import { stackOf } from "../pulumi/stacks";
import { abort } from "../rollout/abort";
import { ACTION_OPTIONS, finish, judgeValues } from "../rollout/apply";

export const abortCommand = defineCommand({
  name: "abort",
  group: "Roll out a version",
  summary: "Send all calls back to a rollout's stable agent, in the stack's config",
  usage: ["[name] [options]"],
  examples: [
    `${CLI} abort front --stack prod --up`,
    `${CLI} abort front --stack prod`,
    `${CLI} abort front --stack prod --to agent_front@12 --up`,
  ],
  about: `The command writes the abort to the config of the stack with \`pulumi config set-all\`. With --up, it then
runs \`pulumi up\` for the rollout's own resources. That run sends the stable split to every number of the rollout,
including numbers that already have it in the saved state, and changes nothing else, even if the program in the working
tree has other changes. An abort works from any percentage and after failed runs, and no guard except freeze refuses it.
Without a name, the command takes the only rollout of the stack.

If the config already has an abort that has not reached every number, --up applies that abort. If a run was stopped
after that abort, or some numbers were not applied, the command writes the abort again with a new time, so that the next
\`pulumi up\` sends the stable split again.

With --to, all calls go to another agent instead. That agent must be in agent-platform:approvedAgents, and must not be
the candidate.`,
  options: {
    stack: { type: "string", value: "<name>", help: "a stack; default the selected one" },
    to: { type: "string", value: "<agent>", help: "return to this approved agent" },
    ...ACTION_OPTIONS,
  },
  positionals: { min: 0, max: 1, error: "Name one rollout." },
  exitCodes: `0 written, and with --up applied to every number; 1 not applied to every number, \`pulumi up\` failed, or a
stopped run was changing something else, which the output names; 2 wrong arguments; 3 nothing to abort`,
  page: "rollouts",
  async run({ values, positionals: [name] }, io) {
    judgeValues(values);
    const target = { stack: await stackOf(values.stack, io) };
    return finish(await abort(target, name, values, io), values, io);
  },
});
