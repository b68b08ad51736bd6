// What the pipelines say to the host of the repository, GitHub or GitLab, and read of it.
//   node comment.mjs post <file>      writes the report in the file as the project's comment on the request, or replaces the one that is there
//   node comment.mjs digest           prints the digest of the stack STACK in the comment of the request that the present commit merged
//   node comment.mjs open <branch> <title> <file>  opens a request from the branch to BRANCH, or gives the open one this title and text
// PROJECT: two projects of one repository have comments and branches of their own. BRANCH: the branch that is deployed.
// GitHub: GITHUB_TOKEN, and PULL_REQUEST (its number) to post. GitLab: GITLAB_TOKEN of a project access token.
import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

const { env } = process;

const github = {
  url: `${env.GITHUB_API_URL}/repos/${env.GITHUB_REPOSITORY}`,
  headers: { Authorization: `Bearer ${env.GITHUB_TOKEN}`, Accept: "application/vnd.github+json" },
  update: "PATCH",
  request: () => env.PULL_REQUEST,
  requests: "/pulls",
  comments: (request) => `/issues/${request}/comments`,
  comment: (_request, id) => `/issues/comments/${id}`,
  // Anybody can write a comment that looks like the report. Only the workflow's own counts.
  isOwn: async () => (comment) => comment.user?.login === (env.COMMENT_AUTHOR ?? "github-actions[bot]"),
  // Of a commit that is on no deployed branch, GitHub names the requests that are open.
  mergedBy: () => `/commits/${env.GITHUB_SHA}/pulls`,
  merged: ({ number, merged_at: at, base, merge_commit_sha: sha }) =>
    at && base.ref === env.BRANCH ? { id: number, isOfCommit: sha === env.GITHUB_SHA } : undefined,
  openFrom: (head) => `/pulls?state=open&head=${encodeURIComponent(`${env.GITHUB_REPOSITORY.split("/")[0]}:${head}`)}`,
  idOf: ({ number }) => number,
  opened: (head, title, body) => ({ head, base: env.BRANCH, title, body }),
};

const gitlab = {
  url: `${env.CI_API_V4_URL}/projects/${env.CI_PROJECT_ID}`,
  headers: { "PRIVATE-TOKEN": env.GITLAB_TOKEN },
  update: "PUT",
  request: () => env.CI_MERGE_REQUEST_IID,
  requests: "/merge_requests",
  comments: (request) => `/merge_requests/${request}/notes`,
  comment: (request, id) => `/merge_requests/${request}/notes/${id}`,
  isOwn: async () => {
    const { id } = await call("GET", `${env.CI_API_V4_URL}/user`);
    return (comment) => comment.author?.id === id;
  },
  mergedBy: () => `/repository/commits/${env.CI_COMMIT_SHA}/merge_requests`,
  merged: ({ iid, state, target_branch: target, merge_commit_sha: merge, squash_commit_sha: squash }) =>
    state === "merged" && target === env.BRANCH
      ? { id: iid, isOfCommit: [merge, squash].includes(env.CI_COMMIT_SHA) }
      : undefined,
  openFrom: (head) => `/merge_requests?state=opened&source_branch=${encodeURIComponent(head)}`,
  idOf: ({ iid }) => iid,
  opened: (head, title, description) => ({ source_branch: head, target_branch: env.BRANCH, title, description }),
};

function findHost() {
  if (env.GITLAB_CI) {
    return gitlab;
  }
  return env.GITHUB_REPOSITORY ? github : undefined;
}

const host = findHost();

/** How long it waits before it asks again, in seconds. */
const WAITS = [1, 5];

/** Asks again if the host does not respond as it should. A POST is sent once, because the host may have made what it asks for. */
async function call(method, path, body = undefined) {
  for (let tried = 0; ; tried += 1) {
    const { found, reason, isPassing } = await ask(method, path.startsWith("http") ? path : host.url + path, body);
    if (reason === undefined) {
      return found;
    }
    if (!isPassing || method === "POST" || tried === WAITS.length) {
      throw new Error(`${method} ${path}: ${reason}`);
    }
    await wait(WAITS[tried] * 1000);
  }
}

async function ask(method, url, body) {
  try {
    const response = await fetch(url, {
      method,
      headers: { ...host.headers, "Content-Type": "application/json" },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    });
    const { status, ok } = response;
    const text = await response.text();
    const found = parsed(text);
    if (ok && found !== undefined) {
      return { found };
    }
    const said = text.replace(/<[^>]*>|[\p{C}\s]+/gu, " ").slice(0, 300);
    return { reason: `${status} ${said}`.trim(), isPassing: status === 429 || status >= 500 };
  } catch (error) {
    return { reason: error.cause?.message || error.message, isPassing: true };
  }
}

/** A proxy may respond with a page. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const mark = `<!-- agent-platform report ${env.PROJECT} -->`;

async function ownComment(request) {
  const isOwn = await host.isOwn();
  for (let page = 1; ; page += 1) {
    const comments = await call("GET", `${host.comments(request)}?per_page=100&page=${page}`);
    const found = comments.find((comment) => comment.body?.startsWith(mark) && isOwn(comment));
    if (found !== undefined || comments.length < 100) {
      return found;
    }
  }
}

async function post(file) {
  const request = host?.request();
  if (!request) {
    // As in a merge queue.
    console.log(`This run is of no pull request, so it writes no comment. The report is in ${file}.`);
    return;
  }
  const body = `${mark}\n${readFileSync(file, "utf8")}`;
  const found = await ownComment(request);
  if (found === undefined) {
    await call("POST", host.comments(request), { body });
  } else {
    await call(host.update, host.comment(request, found.id), { body });
  }
}

async function digest() {
  if (host === undefined) {
    throw new Error("no pipeline, so no pull request has the digest. Give it: EXPECT=<digest> sh scripts/deploy.sh");
  }
  // A commit may have come by several requests, such as one from branch to branch and the one to the branch that is deployed.
  const merged = (await call("GET", host.mergedBy())).flatMap((one) => host.merged(one) ?? []);
  const request = (merged.find(({ isOfCommit }) => isOfCommit) ?? merged[0])?.id;
  if (request === undefined) {
    throw new Error(`this commit was merged to ${env.BRANCH} by no request: run the job with a digest`);
  }
  const { body = "" } = (await ownComment(request)) ?? {};
  const stack = env.STACK?.split("/").at(-1);
  const digests = [...body.matchAll(/^reviewed-digest (?:`([^`]+)` )?`([0-9a-f]+)`/gm)];
  const isOfStacks = digests.some(([, name]) => name !== undefined);
  const found = digests.filter(([, name]) => !isOfStacks || name === stack).at(-1)?.[2];
  if (found === undefined) {
    throw new Error(`request ${request} has no report of stack ${stack}: run the job with a digest`);
  }
  console.log(found);
}

async function open(head, title, file) {
  if (host === undefined) {
    console.log(`The branch ${head} is pushed. This is no pipeline, so open its pull request yourself.`);
    return;
  }
  const request = host.opened(head, title, `\`\`\`text\n${readFileSync(file, "utf8").trimEnd()}\n\`\`\`\n`);
  const [there] = await call("GET", host.openFrom(head));
  if (there === undefined) {
    await call("POST", host.requests, request);
  } else {
    await call(host.update, `${host.requests}/${host.idOf(there)}`, request);
  }
}

const commands = { post, digest, open };

const [command, ...args] = process.argv.slice(2);
try {
  if (!Object.hasOwn(commands, command)) {
    throw new Error(`say one of ${Object.keys(commands).join(", ")}`);
  }
  await commands[command](...args);
} catch (error) {
  console.error(`comment: ${error.message}`);
  process.exitCode = 1;
}
