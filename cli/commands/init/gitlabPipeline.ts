import { onePosted } from "../../../provider/core/platform/posted";
import type { Files } from "../../io";
import type { Pipelines } from "./pipelineOptions";

/** The pipeline for GitLab CI. A project below the top of its repository has a file of its own, and the repository's file includes it. */
export function gitlabPipeline(of: Pipelines): Files {
  const place = placeOf(of);
  const own = {
    [place.path(".gitlab-ci.yml")]: pipeline(of, place),
    ...(of.stacks.length > 1 && { [place.path(".gitlab/deploy-stack.yml")]: deployStack(of, place) }),
  };
  const top = of.folder === "" ? {} : { ".gitlab-ci.yml": `include:\n  - local: ${place.path(".gitlab-ci.yml")}\n` };
  return { ...own, ...top };
}

type Place = ReturnType<typeof placeOf>;

/** What depends on where in its repository the project is. */
function placeOf({ project, folder }: Pipelines) {
  const isTop = folder === "";
  return {
    job: (name: string) => (isTop ? name : `${project}-${name}`),
    base: isTop ? ".base" : `.${project}-base`,
    operate: isTop ? ".operate" : `.${project}-operate`,
    path: (file: string) => (isTop ? file : `${folder}/${file}`),
    enter: isTop ? "" : `    - cd ${JSON.stringify(folder)}\n`,
    /** Only changes of the project start the job. */
    changes: isTop ? "" : `\n      changes: [${JSON.stringify(`${folder}/**/*`)}]`,
    /** A person says which project is meant. */
    asked: isTop ? "" : ` && $PROJECT == ${JSON.stringify(project)}`,
  };
}

const IMAGE = `  image:
    name: pulumi/pulumi-nodejs:3.255.0
    entrypoint: [""]`;

const BRANCH = "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH";

function pipeline(of: Pipelines, place: Place): string {
  const { stacks, project } = of;
  const [only = ""] = stacks;
  const isOne = stacks.length === 1;
  const stack = isOne ? only : "$STACK";
  const variables = isOne ? `    STACK: ${JSON.stringify(only)}` : `    STACKS: ${JSON.stringify(stacks.join(" "))}`;
  // A person names the stack: no other value starts a job.
  const named = isOne ? "" : ` && $STACK =~ /^(${stacks.map((name) => name.replaceAll(".", "\\.")).join("|")})$/`;
  const environment = isOne ? "production" : `${project}-$STACK`;
  const group = `agent-platform-${project}-${stack}`;
  const by = (operation: string) =>
    `    - if: $CI_PIPELINE_SOURCE == "web" && $OPERATION == "${operation}"${place.asked}${named} && ${BRANCH}`;
  const which = isOne ? "" : " STACK=<the stack>";
  const own = (name: string) => `${place.job(name)}:\n  extends: ${place.operate}`;
  return `# Variables of the project: PULUMI_BACKEND_URL, PULUMI_ACCESS_TOKEN or PULUMI_CONFIG_PASSPHRASE for the state, GITLAB_TOKEN (a project
# access token with the scope api) for the comment, and AGENT_PLATFORM_ACCESS_TOKEN, protected and masked, for the deployment alone.
stages:
  - preview
  - deploy
  - operate

${place.base}:
${IMAGE}
  variables:
${variables}
    BRANCH: $CI_DEFAULT_BRANCH
  before_script:
${place.enter}    - npm ci

# On every merge request: what would change, as one comment. It sends nothing to the platform.
${place.job("preview")}:
  extends: ${place.base}
  stage: preview
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event" && $CI_MERGE_REQUEST_LABELS =~ /number-removal/${place.changes}
      variables:
        FAIL_ON: "shift>25"
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"${place.changes}
      variables:
        FAIL_ON: "delete,replace,shift>25"
  interruptible: true
  script:
    - sh scripts/preview.sh
  after_script:
${place.enter}    - if [ -s report.md ] && [ -n "$GITLAB_TOKEN" ]; then node scripts/comment.mjs post report.md; fi
  artifacts:
    when: always
    paths:
      - ${place.path("report.md")}

${isOne ? deployOne(place, group, environment) : deployStages(place)}
# By hand (Run pipeline, with OPERATION and what it needs): for 3 a.m.
${place.operate}:
  extends: ${place.base}
  stage: operate
  resource_group: ${group}
  environment:
    name: ${environment}
  variables:
    GIT_DEPTH: 0
  before_script:
${place.enter}    - npm ci
    - git checkout --quiet -B "$BRANCH" "$CI_COMMIT_SHA"
    # The job itself applies what it pushes: no second pipeline for that commit.
    - git config push.pushOption ci.skip
    - git remote set-url --push origin "https://pipeline:$GITLAB_TOKEN@$CI_SERVER_HOST/$CI_PROJECT_PATH.git"

# OPERATION=rollback${which} COMMIT=<the commit or merge to take back>: commits the revert and applies it.
${own("rollback")}
  rules:
${by("rollback")}
  script:
    - sh scripts/rollback.sh

# OPERATION=reassert${which}: sends every routing again. A freeze stops it.
${own("reassert")}
  rules:
${by("reassert")}
  script:
    - MARK="pipeline $CI_PIPELINE_ID" sh scripts/reassert.sh

# OPERATION=abort${which}, and NAME=<the rollout> if the stack has several: the stable agent gets all calls again, at once.
${own("abort")}
  rules:
${by("abort")}
  script:
    - sh scripts/abort.sh

# OPERATION=promote, by hand or on a schedule: the next percentage of ${isOne ? "a rollout, as a merge request" : "every rollout that may go on, as a merge request for each stack"}. It sends nothing to the platform.
${
  isOne
    ? "# AFTER, MIN_SOAK and CHECK say what the team asks of a promotion; TO=<agent> starts a rollout."
    : "# Each rollout has the gates of its stack's file, and CHECK is asked of each. STACK=<the stack> promotes there alone; TO=<agent> then starts a rollout."
}
${place.job("promote")}:
  extends: ${place.base}
  stage: operate
  rules:
    - if: $CI_PIPELINE_SOURCE =~ /^(web|schedule)$/ && $OPERATION == "promote"${place.asked} && ${BRANCH}
  variables:
    GIT_DEPTH: 0
  before_script:
${place.enter}    - npm ci
    - git remote set-url --push origin "https://pipeline:$GITLAB_TOKEN@$CI_SERVER_HOST/$CI_PROJECT_PATH.git"
  script:
    - sh scripts/promote.sh
`;
}

const deployRules = ({ changes, asked }: Place): string => `  rules:
    - if: $CI_PIPELINE_SOURCE == "push" && ${BRANCH}${changes}
    - if: $CI_PIPELINE_SOURCE == "web" && $OPERATION == "deploy"${asked} && ${BRANCH}`;

const applied = ({ path }: Place): string => `  script:
    - sh scripts/apply.sh
  artifacts:
    when: always
    paths:
      - ${path("report.md")}
      - ${path("board.html")}
`;

const deployOne = (
  place: Place,
  group: string,
  environment: string,
): string => `# After a merge: applies what was reviewed. The resource group lets one job at a time touch the stack.
# By hand (OPERATION=deploy): EXPECT=<the digest that you have read>, SEND_AGAIN=<the reason to send ${onePosted()} again>.
${place.job("deploy")}:
  extends: ${place.base}
  stage: deploy
${deployRules(place)}
  resource_group: ${group}
  environment:
    name: ${environment}
${applied(place)}`;

const deployStages = (
  place: Place,
): string => `# After a merge: applies what was reviewed, one stack after the other, each behind the gate of its environment. A stack without a change has no
# job, and nobody is asked about it. If one fails, those after it are not deployed.
# By hand (OPERATION=deploy): STACK=<one stack>, EXPECT=<the digest that you have read>, SEND_AGAIN=<the reason to send ${onePosted()} again>.
${place.job("changes")}:
  extends: ${place.base}
  stage: deploy
${deployRules(place)}
  variables:
    DEPLOY_JOB: ${place.path(".gitlab/deploy-stack.yml")}
  script:
    - sh scripts/changes.sh
  artifacts:
    paths:
      - ${place.path("deploy.gitlab-ci.yml")}

${place.job("deploy")}:
  stage: deploy
${deployRules(place)}
  needs: [${place.job("changes")}]
  trigger:
    include:
      - artifact: ${place.path("deploy.gitlab-ci.yml")}
        job: ${place.job("changes")}
    strategy: depend
    forward:
      pipeline_variables: true
`;

const deployStack = (
  { stacks }: Pipelines,
  place: Place,
): string => `# The deployment of one stack. The job "changes" makes a pipeline with one for each stack that changes.
.deploy:
${IMAGE}
  variables:
    STACKS: ${JSON.stringify(stacks.join(" "))}
    BRANCH: $CI_DEFAULT_BRANCH
  before_script:
${place.enter}    - npm ci
${applied(place)}`;
