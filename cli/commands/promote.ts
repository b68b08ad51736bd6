import { CALLED, defineCommand } from "../command";
import { stackOf } from "../pulumi/stacks";
import { ACTION_OPTIONS, finish, judgeTo } from "../rollout/apply";
import { promote } from "../rollout/promote";

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
Without a name it takes the one rollout of the stack. The percentages are those of agent-platform:steps.

With \`promote: { minSoak: 24h }\` in the rollout it waits until callers have had the present percentage for so long.`,
  options: {
    stack: { type: "string", value: "<name>", help: "a stack; default the selected one" },
    to: { type: "string", value: "<agent>", help: "start a rollout of this agent" },
    ...ACTION_OPTIONS,
  },
  takes: { least: 0, most: 1, rule: "Name one rollout." },
  exitCodes: `0 written, and with --up on every number; 1 held, or not on every number; 2 wrong arguments,
3 nothing to promote, or with --to and --up only an earlier step was applied`,
  page: "rollouts",
  async run({ values, positionals: [name] }, io) {
    judgeTo(values.to);
    const target = { stack: await stackOf(values.stack, io), configFile: values["config-file"] };
    return finish(await promote(target, name, values, io), values, [], io);
  },
});
