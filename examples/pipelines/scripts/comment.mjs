// What the pipelines say to the host of the repository: GitHub or GitLab.
// One comment on a pull request (GitHub) or a merge request (GitLab) that holds the newest report.
//   node comment.mjs post <file>   writes the comment, or replaces the one that is there
//   node comment.mjs digest        prints the digest in the comment of the request that the present commit merged
// The request of a promotion, from what `promote --json` or `abort --json` printed.
//   node comment.mjs text|branch|file|title <file>   prints what it says, its branch, the file that it changed, the title of its commit
//   node comment.mjs open <file>   opens the request, if none is open for the branch; BRANCH is where it goes to
// GitHub: GITHUB_TOKEN, and PULL_REQUEST (its number) to post. GitLab: GITLAB_TOKEN of a project access token.
import { readFileSync } from "node:fs";

const MARK = "<!-- agent-platform report -->";
const { env } = process;

const github = {
  url: `${env.GITHUB_API_URL}/repos/${env.GITHUB_REPOSITORY}`,
  headers: { Authorization: `Bearer ${env.GITHUB_TOKEN}`, Accept: "application/vnd.github+json" },
  request: () => env.PULL_REQUEST,
  merged: async () => (await call(`/commits/${env.GITHUB_SHA}/pulls`)).map(({ number }) => number),
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
  merged: async () => (await call(`/repository/commits/${env.CI_COMMIT_SHA}/merge_requests`)).map(({ iid }) => iid),
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
    const found = comments.find((comment) => comment.body?.startsWith(MARK) && isOwn(comment));
    if (found !== undefined || comments.length < 100) {
      return found;
    }
  }
}

async function post(file) {
  const body = `${MARK}\n${readFileSync(file, "utf8")}`;
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
  // The last one is the report's own: a name or a title above it may look like one.
  const found = [...body.matchAll(/reviewed-digest `?([0-9a-f]+)/g)].at(-1)?.[1];
  if (found === undefined) {
    throw new Error(`request ${request} has no report: run the job with a digest`);
  }
  console.log(found);
}

// --- the request of a promotion

const fields = {
  text: ({ text }) => text,
  // Of the stack as well: two stacks may be at the same step.
  branch: ({ stack, name, to }) => `promote/${stack.split("/").at(-1)}/${name}-${to.percent}`,
  file: ({ file }) => file,
  title: ({ stack, name, to }) => `${name} in ${stack}: ${to.candidate} at ${to.percent} %`,
};

const promotion = (file) => JSON.parse(readFileSync(file, "utf8"));

async function open(file) {
  const promoted = promotion(file);
  const [head, title] = [fields.branch(promoted), fields.title(promoted)];
  const body = ["```text", promoted.text, "```", ""].join("\n");
  if ((await call(host.open(head))).length === 0) {
    const [path, request] = host.create({ head, title, body });
    await call(path, "POST", request);
  }
}

const [command, file] = process.argv.slice(2);
try {
  if (command === "post") {
    await post(file);
  } else if (command === "digest") {
    await digest();
  } else if (command === "open") {
    await open(file);
  } else if (Object.hasOwn(fields, command)) {
    console.log(fields[command](promotion(file)));
  } else {
    throw new Error("say post <file>, digest, open <file>, or a field of a promotion");
  }
} catch (error) {
  console.error(`comment: ${error.message}`);
  process.exitCode = 1;
}
