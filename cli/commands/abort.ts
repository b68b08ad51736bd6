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
  about: `It writes what is aborted into the config of the stack with \`pulumi config set-all\`. With --up it then runs \`pulumi up\` of
the rollout's own resources. That sends the stable split to every number of the rollout, whatever the state says that it has,
and changes nothing else, whatever the working tree has changed. No guard but freeze refuses it, from any percentage and after
failed runs. Without a name it takes the one rollout of the stack.

If the config has an abort that is not on every number, --up applies that. If a run was stopped since then, or if numbers are not
applied, it writes a new time into the config. Then the next \`pulumi up\` sends the stable split again.

With --to another agent gets all calls: one of agent-platform:approvedAgents that is not the candidate.`,
  options: {
    stack: { type: "string", value: "<name>", help: "a stack; default the selected one" },
    to: { type: "string", value: "<agent>", help: "return to this approved agent" },
    ...ACTION_OPTIONS,
  },
  positionals: { min: 0, max: 1, error: "Name one rollout." },
  exitCodes: `0 written, and with --up on every number; 1 not on every number, or \`pulumi up\` failed; 2 wrong arguments,
3 nothing to abort`,
  page: "rollouts",
  async run({ values, positionals: [name] }, io) {
    judgeValues(values);
    const target = { stack: await stackOf(values.stack, io) };
    return finish(await abort(target, name, values, io), values, io);
  },
});
