import { CLI, defineCommand } from "../command";
import { stackOf } from "../pulumi/stacks";
import { ACTION_OPTIONS, finish, judgeValues } from "../rollout/apply";
import { promote } from "../rollout/promote";

export const promoteCommand = defineCommand({
  name: "promote",
  group: "Roll out a version",
  summary: "Give a rollout's candidate its next percentage, in the config of the stack",
  usage: ["[name] [options]"],
  examples: [
    `${CLI} promote front --stack prod`,
    `${CLI} promote front --stack prod --to agent_front@14`,
    `./check.sh && ${CLI} promote front --stack prod`,
  ],
  about: `The command writes the next percentage to the config of the stack with \`pulumi config set-all\`, and sends
nothing. Commit the file, review it like any other change, and apply it with \`pulumi up\`. With --up, the command runs
\`pulumi up\` itself. If some numbers do not have the current percentage yet, --up applies that percentage and promotes
nothing. A percentage that a guard would refuse is not written. Without a name, the command takes the only rollout of
the stack. The percentages are those in agent-platform:steps.

If the rollout has \`promote: { minSoak: 24h }\`, the next percentage is not written until every number has had the
current one for 24 hours. At 0%, for example after an abort, there is no such wait.`,
  options: {
    stack: { type: "string", value: "<name>", help: "a stack; default the selected one" },
    to: { type: "string", value: "<agent>", help: "start a rollout of this agent" },
    ...ACTION_OPTIONS,
  },
  positionals: { min: 0, max: 1, error: "Name one rollout." },
  exitCodes: `0 written, and with --up applied to every number; 1 held (nothing was written), or with --up not applied
to every number, or \`pulumi up\` failed; 2 wrong arguments, settings or stack; 3 nothing to promote, or with --up only an
earlier step was applied`,
  page: "rollouts",
  async run({ values, positionals: [name] }, io) {
    judgeValues(values);
    const target = { stack: await stackOf(values.stack, io) };
    return finish(await promote(target, name, values, io), values, io);
  },
});
