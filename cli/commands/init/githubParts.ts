import type { Pipelines } from "./pipelineOptions";

/** Parts of the workflows for GitHub. */

export type Place = ReturnType<typeof placeOf>;

/** What depends on where in its repository the project is. */
export function placeOf({ project, folder }: Pipelines) {
  const isTop = folder === "";
  return {
    prefix: isTop ? "" : `${project}-`,
    title: isTop ? "" : ` (${project})`,
    /** A file of the project, as GitHub's own functions name it. */
    path: (file: string) => (isTop ? file : `${folder}/${file}`),
    /** Only changes of the project start the workflow. */
    paths: isTop ? "" : `\n    paths: [${JSON.stringify(`${folder}/**`)}]`,
    defaults: isTop ? "" : `defaults:\n  run:\n    working-directory: ${JSON.stringify(folder)}\n\n`,
  };
}

/** An expression of GitHub's. */
export const $ = (expression: string): string => `\${{ ${expression} }}`;

export const STATE = `      PULUMI_BACKEND_URL: ${$("vars.PULUMI_BACKEND_URL")}
      PULUMI_ACCESS_TOKEN: ${$("secrets.PULUMI_ACCESS_TOKEN")}
      PULUMI_CONFIG_PASSPHRASE: ${$("secrets.PULUMI_CONFIG_PASSPHRASE")}`;

/** A stack's name is quoted, because it may look like a number. */
export const ofStacks = ({ stacks }: Pipelines): string =>
  stacks.length === 1
    ? `      STACK: ${JSON.stringify(stacks[0])}`
    : `      STACKS: ${JSON.stringify(stacks.join(" "))}`;

/** A list as YAML has it on one line. */
export const listed = (names: readonly string[]): string => `[${names.map((name) => JSON.stringify(name)).join(", ")}]`;

/** The variables of a job for one stack. Of several stacks, the person who starts it names one. */
export const ofOneStack = (of: Pipelines): string =>
  of.stacks.length === 1 ? ofStacks(of) : `${ofStacks(of)}\n      STACK: ${$("inputs.stack")}`;

const stackName = ({ stacks }: Pipelines): string => (stacks.length === 1 ? (stacks[0] ?? "") : $("inputs.stack"));

/** One stack has the environment "production"; several have one each, with reviewers of their own. */
export const environment = (of: Pipelines): string =>
  of.stacks.length === 1 ? "production" : `${of.project}-${$("inputs.stack")}`;

export const stackInput = ({ stacks }: Pipelines, first: readonly string[] = []): string =>
  stacks.length === 1
    ? ""
    : `      stack:
        description: The stack
        required: true
        type: choice
        options: ${listed([...first, ...stacks])}
`;

export const checkout = (isWhole: boolean): string => `      - uses: actions/checkout@v4
        with:
          ref: main${isWhole ? "\n          fetch-depth: 0" : ""}`;

export const setUp = ({ path, defaults }: Place): string => `      - uses: actions/setup-node@v4
        with:
          node-version: 20
          cache: npm${defaults === "" ? "" : `\n          cache-dependency-path: ${path("package-lock.json")}`}
      - run: npm ci
      - uses: pulumi/actions@v6
        with:
          pulumi-version: 3.255.0`;

export const summary = ({ path }: Place): string => `      - name: Summary
        if: ${$(`!cancelled() && hashFiles('${path("report.md")}') != ''`)}
        run: cat report.md >> "$GITHUB_STEP_SUMMARY"
`;

/** A file that the run keeps, if the job has written it. */
export const artifact = (
  { path }: Place,
  { step, why, name, file }: Readonly<Record<"step" | "why" | "name" | "file", string>>,
): string => `      - name: ${step}
        # ${why}
        if: ${$(`!cancelled() && hashFiles('${path(file)}') != ''`)}
        uses: actions/upload-artifact@v4
        with:
          name: ${name}
          path: ${path(file)}
`;

export const TOKEN = `          AGENT_PLATFORM_ACCESS_TOKEN: ${$("secrets.AGENT_PLATFORM_ACCESS_TOKEN")}`;

/** One job at a time changes a stack. */
export const concurrency = (of: Pipelines, indent = ""): string => `${indent}concurrency:
${indent}  group: agent-platform-${of.project}-${stackName(of)}
${indent}  cancel-in-progress: false
`;
