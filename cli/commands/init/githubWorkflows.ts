import { onePosted } from "../../../provider/core/platform/posted";
import type { Files } from "../../io";
import { abort, promote, reassert, rollback } from "./githubButtons";
import {
  $,
  artifact,
  concurrency,
  environment,
  listed,
  ofOneStack,
  ofStacks,
  type Place,
  placeOf,
  STATE,
  setUp,
  summary,
  TOKEN,
} from "./githubParts";
import type { Pipelines } from "./pipelineOptions";

/**
 * The workflows for GitHub Actions. A project below the top of its repository has workflows with its own names, because all of them lie in
 * one folder.
 */
export function githubWorkflows(of: Pipelines): Files {
  const place = placeOf(of);
  const texts: Readonly<Record<string, string>> = {
    preview: preview(of, place),
    deploy: of.stacks.length === 1 ? deployOne(of, place) : deployStages(of, place),
    ...(of.stacks.length > 1 && { "deploy-stack": deployStack(of, place) }),
    promote: promote(of, place),
    abort: abort(of, place),
    rollback: rollback(of, place),
    reassert: reassert(of, place),
  };
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [`.github/workflows/${place.prefix}${name}.yml`, text]),
  );
}

const preview = (
  of: Pipelines,
  place: Place,
): string => `# On every pull request: what would change, as one comment. It sends nothing to the platform and has no access token.
name: Preview${place.title}

on:
  pull_request:
    types: [opened, synchronize, reopened, labeled, unlabeled]${place.paths}

permissions:
  contents: read
  pull-requests: write

concurrency:
  group: preview-${of.project}-${$("github.event.pull_request.number")}
  cancel-in-progress: true

${place.defaults}jobs:
  preview:
    runs-on: ubuntu-latest
    timeout-minutes: 15
    env:
${ofStacks(of)}
${STATE}
    steps:
      - uses: actions/checkout@v4
${setUp(place)}
      - name: Preview and report
        run: sh scripts/preview.sh
        env:
          # With the label a pull request may remove numbers and replace resources; a change of more than 25 points still blocks it.
          FAIL_ON: ${$("contains(github.event.pull_request.labels.*.name, 'number-removal') && 'shift>25' || 'delete,replace,shift>25'")}
      - name: Comment
        # A pull request from a fork has a token that may not write: its report is in the summary of the run.
        if: ${$(`!cancelled() && hashFiles('${place.path("report.md")}') != '' && github.event.pull_request.head.repo.full_name == github.repository`)}
        run: node scripts/comment.mjs post report.md
        env:
          GITHUB_TOKEN: ${$("github.token")}
          PULL_REQUEST: ${$("github.event.pull_request.number")}
${summary(place)}`;

/** What the stacks have after a deployment. Two deployments of one run keep a page each. */
const board = (of: Pipelines, place: Place): string =>
  artifact(place, {
    step: "Board",
    why: "For people who look rather than read: the rollouts, the numbers and what needs attention, as one page.",
    name: of.stacks.length === 1 ? "board" : `board-${$("inputs.stack")}`,
    file: "board.html",
  });

const deployInputs = (stackInputs: string) => `  workflow_dispatch:
    inputs:
${stackInputs}      digest:
        description: Digest of the report that you have read; empty takes the one of the merged pull request
        required: false
      send_again:
        description: Only if a run was killed while it sent ${onePosted()} - the reason to send it again
        required: false
`;

const applySteps = (of: Pipelines, place: Place): string => `    steps:
      - uses: actions/checkout@v4
${setUp(place)}
      - name: Apply what was reviewed
        run: sh scripts/apply.sh
        env:
          EXPECT: ${$("inputs.digest")}
          SEND_AGAIN: ${$("inputs.send_again")}
          GITHUB_TOKEN: ${$("github.token")}
${TOKEN}
${summary(place)}${board(of, place)}`;

const deployOne = (
  of: Pipelines,
  place: Place,
): string => `# After a merge: applies what was reviewed, one deployment at a time, behind the environment's gate.
name: Deploy${place.title}

on:
  push:
    branches: [main]${place.paths}
${deployInputs("")}
permissions:
  contents: read
  pull-requests: read

${concurrency(of)}
${place.defaults}jobs:
  deploy:
    runs-on: ubuntu-latest
    timeout-minutes: 60
    environment: ${environment(of)}
    env:
${ofOneStack(of)}
${STATE}
${applySteps(of, place)}`;

/** The ids of the jobs. An id has no dots. */
const idsOf = (stacks: readonly string[]): string[] => {
  const ids = stacks.map((stack) => `deploy-${stack.replace(/[^\w-]/g, "-")}`);
  return ids.map((id, index) => (ids.indexOf(id) === index ? id : `${id}-${index}`));
};

function deployStages(of: Pipelines, place: Place): string {
  const ids = idsOf(of.stacks);
  const jobs = of.stacks.map(
    (stack, index) => `  ${ids[index]}:
    name: ${JSON.stringify(stack)}
    needs: [${["changes", ...ids.slice(0, index)].join(", ")}]
    if: ${$(`!failure() && !cancelled() && contains(fromJSON(needs.changes.outputs.stacks), '${stack}')`)}
    uses: ./.github/workflows/${place.prefix}deploy-stack.yml
    with:
      stack: ${JSON.stringify(stack)}
      digest: ${$("inputs.digest")}
      send_again: ${$("inputs.send_again")}
    secrets: inherit
`,
  );
  return `# After a merge: applies what was reviewed, one stack after the other, each behind the gate of its environment. A stack without a change is
# left out, and nobody is asked about it. If one fails, those after it are not deployed.
name: Deploy${place.title}

on:
  push:
    branches: [main]${place.paths}
${deployInputs(`      stack:
        description: Only this stack
        type: choice
        options: ${listed(["all", ...of.stacks])}
`)}
permissions:
  contents: read
  pull-requests: read

${place.defaults}jobs:
  changes:
    runs-on: ubuntu-latest
    timeout-minutes: 15
    outputs:
      stacks: ${$("steps.changes.outputs.stacks")}
    env:
${ofStacks(of)}
${STATE}
    steps:
      - uses: actions/checkout@v4
${setUp(place)}
      - name: Which stacks change
        id: changes
        run: sh scripts/changes.sh
        env:
          STACK: ${$("inputs.stack")}
${jobs.join("")}`;
}

const deployStack = (of: Pipelines, place: Place): string => `# The deployment of one stack, which deploy.yml calls.
name: Deploy a stack${place.title}

on:
  workflow_call:
    inputs:
      stack:
        required: true
        type: string
      digest:
        required: false
        type: string
      send_again:
        required: false
        type: string

${place.defaults}jobs:
  deploy:
    runs-on: ubuntu-latest
    timeout-minutes: 60
    environment: ${environment(of)}
${concurrency(of, "    ")}    env:
${ofOneStack(of)}
${STATE}
${applySteps(of, place)}`;
