import { join } from "node:path";
import { type HostServer, startHost } from "./hostServer";
import { gitlabLines, linesOf, type PipelineProject, withPipeline } from "./pipelineProject";

/** The pipelines' jobs as their hosts run them: their lines, and the variables that they are given. */

const number = "+15550000001";

/** The job that a pull request, a merge or a person starts. Three of them are one job, which is told the operation. */
export const workflow = (name: string): string[] =>
  ({
    preview: linesOf("phones-preview.yml", "preview"),
    changes: linesOf("phones.yml", "changes"),
    deploy: linesOf("agent-platform-stack.yml", "deploy"),
    promote: linesOf("phones.yml", "promote"),
  })[name] ?? [`export OPERATION=${name}`, ...linesOf("phones.yml", "operate")];

/** The job of GitLab that a person starts with this operation. */
export const byHand = (operation: string): string[] => [`export OPERATION=${operation}`, ...gitlabLines("operate")];

const failOn = "delete,replace,shift>25";

export const splitOf = ({ emulator }: PipelineProject) => emulator.routing(number)?.inboundAgents;
export const share = (percent: number) => ({ "agent_front@12": 100 - percent, "agent_front@13": percent });

/** What GitHub hands to the steps; the platform's token goes to those that apply, and to no preview. */
export const github = (host: HostServer, { folder, emulator }: Pick<PipelineProject, "folder" | "emulator">) => {
  const base = {
    GITHUB_API_URL: host.url,
    GITHUB_REPOSITORY: "team/phones",
    GITHUB_TOKEN: "ghs",
    GITHUB_SHA: "abc123",
    GITHUB_STEP_SUMMARY: join(folder, "..", "summary.md"),
  };
  return {
    preview: { ...base, PULL_REQUEST: "12", FAIL_ON: failOn },
    deploy: { ...base, EXPECT: "", AGENT_PLATFORM_ACCESS_TOKEN: emulator.token },
  };
};

export const gitlab = (host: HostServer, { emulator }: PipelineProject) => {
  const base = {
    GITLAB_CI: "true",
    GITLAB_TOKEN: "glpat",
    CI_API_V4_URL: host.url,
    CI_PROJECT_ID: "5",
    CI_COMMIT_SHA: "abc123",
    CI_PIPELINE_ID: "77",
    FOLDER: "",
  };
  return {
    preview: { ...base, CI_MERGE_REQUEST_IID: "12", FAIL_ON: failOn },
    deploy: { ...base, AGENT_PLATFORM_ACCESS_TOKEN: emulator.token },
  };
};

async function withHost(test: (host: HostServer) => Promise<void>): Promise<void> {
  const host = await startHost();
  try {
    await test(host);
  } finally {
    await host.close();
  }
}

export const pipeline = (
  options: Parameters<typeof withPipeline>[0],
  test: (project: PipelineProject, host: HostServer) => Promise<void>,
) => withHost((host) => withPipeline(options, (project) => test(project, host)));

/** The stack before the story: applied, and nothing was sent since. */
export async function applied(project: PipelineProject): Promise<void> {
  await project.merge(10);
  await project.passes(["sh scripts/up.sh"], {
    AGENT_PLATFORM_ACCESS_TOKEN: project.emulator.token,
  });
  project.emulator.clearRequests();
}
