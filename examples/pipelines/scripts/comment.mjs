// What the pipelines say to the host of the repository: GitHub or GitLab.
// One comment on a pull request (GitHub) or a merge request (GitLab) that holds the newest report.
//   node comment.mjs post <file>   writes the comment, or replaces the one that is there
//   node comment.mjs digest        prints the digest in the comment of the request that the present commit merged; of several stacks, that of STACK
// What a report says, from what `report --json` printed on standard input: exit code 0 for yes.
//   node comment.mjs is-unchanged  does the run change nothing?
//   node comment.mjs sends         does it send a PUT?
//   node comment.mjs deployments <stack>…  hands the stacks that are to be deployed to the host
// What `promote --json` or `abort --json` printed.
//   node comment.mjs text|applied|promoted <file>   prints what it says, whether every number has it, the stacks that it has written
//   node comment.mjs branch|file|title <file>   prints the branch, the file and the title of the commit for the stack STACK
//   node comment.mjs open <file>   opens the request of that stack, if none is open for the branch; BRANCH is where it goes to
// GitHub: GITHUB_TOKEN, and PULL_REQUEST (its number) to post. GitLab: GITLAB_TOKEN of a project access token.
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";

const { env } = process;

/** The name in the project's file. Two projects of one repository have comments, branches and environments of their own. */
function project() {
  const file = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"].find((name) => existsSync(name));
  const [, name] =
    /^[{\s]*"?name"?:\s*["']?([\w.-]+)/m.exec(file === undefined ? "" : readFileSync(file, "utf8")) ?? [];
  if (name === undefined) {
    throw new Error("there is no Pulumi.yaml with a name here");
  }
  return name;
}

/** The first line of the project's comment. Pipelines of one stack have one for the stack. */
const mark = () => {
  const [only, ...others] = (env.STACKS || env.STACK || "").split(/\s+/);
  return `<!-- agent-platform report ${project()}${others.length > 0 || only === "" ? "" : `/${lastOf(only)}`} -->`;
};

const lastOf = (stack) => stack.split("/").at(-1);

const github = {
  url: `${env.GITHUB_API_URL}/repos/${env.GITHUB_REPOSITORY}`,
  headers: { Authorization: `Bearer ${env.GITHUB_TOKEN}`, Accept: "application/vnd.github+json" },
  request: () => env.PULL_REQUEST,
  // Of a commit that is on no deployed branch, GitHub names the requests that are open.
  merged: async () =>
    (await call(`/commits/${env.GITHUB_SHA}/pulls`)).flatMap(({ number, merged_at: at }) => (at ? [number] : [])),
  open: (head) => `/pulls?state=open&head=${encodeURIComponent(`${env.GITHUB_REPOSITORY.split("/")[0]}:${head}`)}`,
  create: ({ head, title, body }) => ["/pulls", { head, base: env.BRANCH, title, body }],
  comments: (request) => `/issues/${request}/comments`,
  comment: (_request, id) => `/issues/comments/${id}`,
  method: "PATCH",
  // Anybody can write a comment that looks like the report; only the workflow's own counts.
  isOwn: async () => (comment) => comment.user?.login === (env.COMMENT_AUTHOR ?? "github-actions[bot]"),
};

const gitlab = {
  url: `${env.CI_API_V4_URL}/projects/${env.CI_PROJECT_ID}`,
  headers: { "PRIVATE-TOKEN": env.GITLAB_TOKEN },
  request: () => env.CI_MERGE_REQUEST_IID,
  merged: async () =>
    (await call(`/repository/commits/${env.CI_COMMIT_SHA}/merge_requests`)).flatMap(({ iid, state }) =>
      state === "merged" ? [iid] : [],
    ),
  open: (head) => `/merge_requests?state=opened&source_branch=${encodeURIComponent(head)}`,
  create: ({ head, title, body }) => [
    "/merge_requests",
    { source_branch: head, target_branch: env.BRANCH, title, description: body },
  ],
  comments: (request) => `/merge_requests/${request}/notes`,
  comment: (request, id) => `/merge_requests/${request}/notes/${id}`,
  method: "PUT",
  isOwn: async () => {
    const { id } = await call(`${env.CI_API_V4_URL}/user`);
    return (comment) => comment.author?.id === id;
  },
};

const host = env.GITLAB_CI ? gitlab : github;

async function call(path, method = "GET", body = undefined) {
  const response = await fetch(path.startsWith("http") ? path : host.url + path, {
    method,
    headers: { ...host.headers, "Content-Type": "application/json" },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) {
    throw new Error(`${method} ${path}: ${response.status}`);
  }
  return response.json();
}

async function ownComment(request) {
  const isOwn = await host.isOwn();
  for (let page = 1; ; page += 1) {
    const comments = await call(`${host.comments(request)}?per_page=100&page=${page}`);
    const found = comments.find((comment) => comment.body?.startsWith(mark()) && isOwn(comment));
    if (found !== undefined || comments.length < 100) {
      return found;
    }
  }
}

async function post(file) {
  const body = `${mark()}\n${readFileSync(file, "utf8")}`;
  const request = host.request();
  const found = await ownComment(request);
  if (found === undefined) {
    await call(host.comments(request), "POST", { body });
  } else {
    await call(host.comment(request, found.id), host.method, { body });
  }
}

async function digest() {
  const [request] = await host.merged();
  if (request === undefined) {
    throw new Error("this commit was merged by no request: run the job with a digest");
  }
  const { body = "" } = (await ownComment(request)) ?? {};
  const stack = env.STACK && lastOf(env.STACK);
  const digests = [...body.matchAll(/reviewed-digest (?:`([^`]+)` )?`([0-9a-f]+)`/g)];
  const isOfStacks = digests.some(([, name]) => name !== undefined);
  // The last one is the report's own: a name or a title above it may look like one.
  const found = digests.filter(([, name]) => !isOfStacks || name === stack).at(-1)?.[2];
  if (found === undefined) {
    const of = isOfStacks ? ` of stack ${stack}` : "";
    throw new Error(`request ${request} has no report${of}: run the job with a digest`);
  }
  console.log(found);
}

// --- which stacks are deployed

const report = () => JSON.parse(readFileSync(0, "utf8"));

const answers = {
  "is-unchanged": () => report().isUnchanged,
  sends: () => report().requests.puts > 0,
};

function deployments(stacks) {
  if (!env.GITLAB_CI) {
    appendFileSync(env.GITHUB_OUTPUT, `stacks=${JSON.stringify(stacks)}\n`);
    return;
  }
  // A stack may have a name that is a keyword of GitLab's.
  const nameOf = (stack) => `deploy ${stack}`;
  // Each waits for the one before it. GitLab wants a job in every pipeline.
  const jobs = stacks.map((stack, index) => [
    nameOf(stack),
    {
      extends: ".deploy",
      variables: { STACK: stack },
      environment: { name: `${project()}-${stack}` },
      resource_group: `agent-platform-${project()}-${stack}`,
      needs: index === 0 ? [] : [nameOf(stacks[index - 1])],
    },
  ]);
  const none = [["no change", { script: ["echo No stack changes."] }]];
  const pipeline = { include: [{ local: env.DEPLOY_JOB }], ...Object.fromEntries(jobs.length > 0 ? jobs : none) };
  writeFileSync("deploy.gitlab-ci.yml", `${JSON.stringify(pipeline, null, 2)}\n`);
}

// --- the request of a promotion

/** Of one rollout, or of several ones. */
const writtenIn = (printed) => (printed.promotions ?? [printed]).filter(({ outcome }) => outcome === "written");

/** What was written for the stack STACK: it has one file, and gets one request. */
const ofStack = (printed) => writtenIn(printed).filter(({ stack }) => lastOf(stack) === lastOf(env.STACK));

const fields = {
  text: ({ text }) => text,
  applied: ({ isApplied }) => String(isApplied === true),
  promoted: (printed) => [...new Set(writtenIn(printed).map(({ stack }) => stack))].join("\n"),
  // Two stacks may be at the same step, and two versions of an agent one after the other.
  branch(printed) {
    const parts = ofStack(printed).map(({ name, to }) => refPart(`${name}-${to.candidate}-${to.percent}`));
    return ["promote", refPart(project()), refPart(lastOf(env.STACK)), shortened(parts.join("+"))].join("/");
  },
  file: (printed) => ofStack(printed)[0].file,
  title: (printed) => ofStack(printed).map(titleOf).join(", "),
};

const titleOf = ({ stack, name, to: { candidate, percent, aborted } }) =>
  `${name} in ${stack}: ${aborted ? `${aborted.agent} aborted at ${aborted.percent}` : `${candidate} at ${percent}`} %`;

// What git allows in no part of a branch's name, with the code of the character in its place, so that two names stay two.
const refPart = (text) =>
  text.replace(/^\.|\.(?=\.)|\.(?=lock$)|\.$|[^\w.@-]/g, (char) => `%${char.codePointAt(0).toString(16)}`);

/** git keeps a branch in a file, whose name has at most 255 bytes. Two long names that begin alike stay two. */
const shortened = (text) =>
  text.length <= 200 ? text : `${text.slice(0, 160)}-${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;

const printedIn = (file) => JSON.parse(readFileSync(file, "utf8"));

/** Who pressed the button, and the job that says more. */
function startedBy() {
  const who = env.GITHUB_ACTOR ?? env.GITLAB_USER_LOGIN;
  const run = `${env.GITHUB_SERVER_URL}/${env.GITHUB_REPOSITORY}/actions/runs/${env.GITHUB_RUN_ID}`;
  const job = env.CI_JOB_URL ?? (env.GITHUB_RUN_ID && run);
  return who === undefined ? [] : ["", `Started by \`${who}\`${job ? `: ${job}` : ""}`];
}

async function open(file) {
  const printed = printedIn(file);
  const [head, title] = [fields.branch(printed), fields.title(printed)];
  const said = ofStack(printed).map(({ text }) => text);
  const body = ["```text", said.join("\n\n"), "```", ...startedBy(), ""].join("\n");
  if ((await call(host.open(head))).length === 0) {
    const [path, request] = host.create({ head, title, body });
    await call(path, "POST", request);
  }
}

const [command, file, ...more] = process.argv.slice(2);
try {
  if (command === "post") {
    await post(file);
  } else if (command === "digest") {
    await digest();
  } else if (command === "open") {
    await open(file);
  } else if (command === "deployments") {
    deployments(file === undefined ? [] : [file, ...more]);
  } else if (Object.hasOwn(answers, command)) {
    process.exitCode = answers[command]() ? 0 : 1;
  } else if (Object.hasOwn(fields, command)) {
    console.log(fields[command](printedIn(file)));
  } else {
    throw new Error("say post <file>, digest, open <file>, deployments, a question or a field of what was printed");
  }
} catch (error) {
  console.error(`comment: ${error.message}`);
  process.exitCode = 1;
}
