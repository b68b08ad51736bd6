import { POSTED_KINDS } from "../../provider/core/platform/kinds";
import { CALLED, defineCommand } from "../command";
import { projectHere } from "../pulumi/projectFile";
import { stackOf } from "../pulumi/stacks";
import { abort } from "../rollout/abort";
import { ACTION_OPTIONS, finish } from "../rollout/apply";
import { CONFIG_FILE_OPTION, judgeTo } from "../rollout/stackFile";

export const abortCommand = defineCommand({
  name: "abort",
  group: "Roll out a version",
  summary: "Give a rollout's stable agent all calls again, in Pulumi.<stack>.yaml",
  usage: ["[name] [options]"],
  examples: [
    `${CALLED} abort front --stack prod`,
    `${CALLED} abort front --stack prod --up`,
    `${CALLED} abort front --stack prod --to agent_front@12`,
  ],
  about: `It writes what was aborted into the stack's config file. \`pulumi up\`, which --up runs without voices and chats, then sends
the stable split to every number of the rollout, whatever the state says that it has. No guard but freeze refuses that, from any
percentage and after failed runs. Without a name it takes the one rollout of the stack.

There is nothing to abort if the file has an abort already, or never had a candidate. If a run was stopped since then, or if
numbers are not applied, it writes a new time into the file. Then the next \`pulumi up\` sends the stable split again.

With --to another agent gets all calls: one of agent-platform:approvedAgents that is not the candidate.`,
  options: {
    stack: { type: "string", value: "<name>", help: "the stack whose rollout is aborted; default the selected one" },
    to: {
      type: "string",
      value: "<agent>",
      help: "return to another agent of approvedAgents, such as agent_front@12",
    },
    "config-file": CONFIG_FILE_OPTION,
    ...ACTION_OPTIONS,
  },
  takes: { least: 0, most: 1, rule: "Name one rollout." },
  exitCodes:
    "0 written, and with --up on every number; 1 with --up, not on every number; 2 wrong arguments, 3 nothing to abort",
  page: "rollouts",
  async run({ values, positionals: [name] }, io) {
    judgeTo(values.to);
    const stack = await stackOf(values.stack, io);
    const workspace = { project: projectHere(io), io, configFile: values["config-file"] };
    const { result, unapplied } = await abort(workspace, stack, name, values);
    // Callers come first, so a failure of another resource does not stop the run. With --yes nobody reads the preview, which may fail, too.
    // After a killed run a voice or a chat may have been sent, and the next create would send it again: an abort leaves them out.
    const leftOut = POSTED_KINDS.flatMap((kind) => ["--exclude", `urn:pulumi:**:${kind}::**`]);
    const more = ["--continue-on-error", ...(values.yes ? ["--skip-preview"] : []), ...leftOut];
    return finish(result, unapplied, values, more, io);
  },
});
