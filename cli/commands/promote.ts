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
  about: `It writes the config of the stack with \`pulumi config set-all\` and sends nothing: commit the file, review it like
any other change, and apply it with \`pulumi up\`, or here with --up. If the last step is not on every number yet, --up
applies that one and promotes nothing. It writes nothing that a guard refuses.
Without a name it takes the one rollout of the stack. The percentages are those of agent-platform:steps.

With \`promote: { minSoak: 24h }\` in the rollout it waits until the candidate's percentage is that old on every number. At
0%, as after an abort, it does not wait.`,
  options: {
    stack: { type: "string", value: "<name>", help: "a stack; default the selected one" },
    to: { type: "string", value: "<agent>", help: "start a rollout of this agent" },
    ...ACTION_OPTIONS,
  },
  positionals: { min: 0, max: 1, error: "Name one rollout." },
  exitCodes: `0 written, and with --up on every number; 1 held: nothing was written, or with --up not on every number, or \`pulumi up\` failed;
2 wrong arguments, settings or stack; 3 nothing to promote, or with --up only an earlier step was applied`,
  page: "rollouts",
  async run({ values, positionals: [name] }, io) {
    judgeValues(values);
    const target = { stack: await stackOf(values.stack, io) };
    return finish(await promote(target, name, values, io), values, io);
  },
});
