import { CALLED } from "../../command";

/** AGENTS.md of a new project: what coding agents read before they change anything. The same rules are good for people. */
export const agentsFile = (program: string, stack: string): string => `# Before you change this project

It decides which AI agents answer real phone calls. A wrong change reaches callers as soon as it is applied.

## You may

- change a split, and add numbers, in \`${program}\`, on a branch and through a pull request
- start and continue a rollout of \`Pulumi.${stack}.yaml\`: \`${CALLED} promote <name> --stack ${stack}\` writes the next
  percentage. If it prints *Held*, wait: do not write the percentage by hand
- go back, as soon as a new version does harm: \`${CALLED} abort <name> --stack ${stack}\` gives the stable agent all calls
  again, and no guard but \`freeze\` refuses that. Both commands edit one value and send nothing, so they need a pull request too
- run what sends nothing: \`pulumi preview\`, \`${CALLED} report\`, \`show\` and \`doctor\`, each with \`--json\`
- apply to the emulator: \`${CALLED} try\` needs no account

## Before each pull request

1. Run \`pulumi preview --stack ${stack} --json | ${CALLED} report\`. The preview needs no token.
2. Read the whole report. Its part *Undo* says what a revert does, and what nothing can take back.
3. If a guard refuses the change, make the change smaller. The message says how: each code is explained in
   \`${CALLED} help AGP-023\`, without a network.

## Never

- Do not set \`AGENT_PLATFORM_BYPASS\`, and do not suggest it. It bypasses every guard for one run. Only a person decides that.
- Do not edit the guards: every key \`agent-platform:…\` in \`Pulumi.${stack}.yaml\` but \`rollouts\`, the file \`agents.yaml\`
  and the pipelines.
- Do not add, rename, replace or copy an \`SmsChat\`. Each of these sends an SMS to a person.
- Do not run \`pulumi up\`, \`destroy\`, \`import\` or \`state\` on a stack that is not the emulator's. The pipeline applies what a
  person approved.
- Do not use \`--target\` or \`--skip-preview\`.
- Do not write an access token into a file, a command or a message.
- Do not remove a number, \`inboundAgents\` or \`rollout\` to silence an error. The number would lose its agents.
`;
