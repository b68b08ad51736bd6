import {
  $,
  checkout,
  concurrency,
  environment,
  ofOneStack,
  type Place,
  STATE,
  setUp,
  stackInput,
  TOKEN,
} from "./githubParts";
import type { Pipelines } from "./pipelineOptions";

/** The workflows that a person starts. */

/** What the team asks of every promotion. Of several stacks, each file says which stack is to be first. */
const gates = ({ stacks }: Pipelines): string =>
  stacks.length === 1
    ? `          # What the team asks of every promotion, such as AFTER: canary, MIN_SOAK: 24h, CHECK: ./check.sh
          AFTER: ""
          MIN_SOAK: ""
          CHECK: ""
`
    : `          # Each rollout has the gates of its stack's file, such as promote: { after: canary, minSoak: 24h }. A check, such as ./check.sh, is asked of each.
          CHECK: ""
`;

export const promote = (
  of: Pipelines,
  place: Place,
): string => `# The next percentage of ${of.stacks.length === 1 ? "a rollout, as a pull request" : "every rollout that may go on, as a pull request for each stack"}: by hand, or on a schedule. It sends nothing to the platform and has no access token.
name: Promote${place.title}

on:
  workflow_dispatch:
    inputs:
${stackInput(of, ["all"])}      name:
        description: The rollout; empty takes ${of.stacks.length === 1 ? "the one of the stack" : "every one; of one stack, its only one"}
        required: false
      to:
        description: Starts a rollout of this agent, such as agent_front@14${of.stacks.length === 1 ? "" : "; choose the stack then"}
        required: false
  # Once a day, at a time when the team is there: what has to wait is not promoted.
  # schedule:
  #   - cron: "0 9 * * 1-4"

permissions:
  contents: write
  pull-requests: write

# Not the group of the deployments: a promotion that waits must not take the place of an abort that waits.
concurrency:
  group: agent-platform-${of.project}-promote
  cancel-in-progress: false

${place.defaults}jobs:
  promote:
    runs-on: ubuntu-latest
    timeout-minutes: 30
    env:
${ofOneStack(of)}
${STATE}
    steps:
${checkout(true)}
${setUp(place)}
      - name: Promote, and open the pull request
        run: sh scripts/promote.sh
        env:
          BRANCH: main
          NAME: ${$("inputs.name")}
          TO: ${$("inputs.to")}
${gates(of)}          # GitHub starts no workflow for a pull request that its own token has opened: the secret is the token of an app or of a person.
          GITHUB_TOKEN: ${$("secrets.PROMOTE_TOKEN || github.token")}
`;

interface Button {
  readonly about: string;
  readonly name: string;
  readonly inputs: string;
  readonly step: string;
  readonly script: string;
  readonly env: string;
}

/** A job that a person starts, and that applies at once. */
const button = (of: Pipelines, place: Place, { about, name, inputs, step, script, env }: Button): string => `# ${about}
name: ${name}${place.title}

on:
  workflow_dispatch:
${stackInput(of) + inputs === "" ? "" : `    inputs:\n${stackInput(of)}${inputs}`}
permissions:
  contents: write

${concurrency(of)}
${place.defaults}jobs:
  ${script}:
    runs-on: ubuntu-latest
    timeout-minutes: 60
    environment: ${environment(of)}
    env:
${ofOneStack(of)}
${STATE}
    steps:
${checkout(script !== "reassert")}
${setUp(place)}
      - name: ${step}
        run: sh scripts/${script}.sh
        env:
          BRANCH: main
${env}
${TOKEN}
`;

const OVERRIDE = `      override:
        description: Only where a freeze stands in the way - the reason to bypass the guards for this run
        required: false
`;
const BYPASS = `          AGENT_PLATFORM_BYPASS: ${$("inputs.override")}`;

export const abort = (of: Pipelines, place: Place): string =>
  button(of, place, {
    about:
      "One button when a version is bad: the stable agent gets all calls again. No review, the same gate as a deployment.",
    name: "Abort",
    inputs: `      name:
        description: The rollout; empty takes the one of the stack
        required: false
${OVERRIDE}`,
    step: "Give the stable agent all calls, and apply it",
    script: "abort",
    env: `          NAME: ${$("inputs.name")}\n${BYPASS}`,
  });

export const rollback = (of: Pipelines, place: Place): string =>
  button(of, place, {
    about:
      "By hand, for 3 a.m.: commits the revert of one change and applies it. No review, the same gate as a deployment.",
    name: "Rollback",
    inputs: `      commit:
        description: The commit (or merge) to take back
        required: true
${OVERRIDE}`,
    step: "Commit the revert and apply it",
    script: "rollback",
    env: `          COMMIT: ${$("inputs.commit")}\n${BYPASS}`,
  });

export const reassert = (of: Pipelines, place: Place): string =>
  button(of, place, {
    about:
      "By hand only: sends every routing again, for when somebody has changed numbers at the platform. A freeze stops it.",
    name: "Re-assert",
    inputs: "",
    step: "Send every routing again",
    script: "reassert",
    env: `          MARK: run ${$("github.run_id")}`,
  });
