// Reads and writes comments and requests on the repository's host. A request is a pull request on GitHub or a merge
// request on GitLab.
//   node comment.mjs post <file>
//     posts the report in the file as a comment on the request, or replaces the project's existing comment
//   node comment.mjs digest
//     prints the digest for the stack STACK from the comment on the request that was merged as the current commit
//   node comment.mjs open <branch> <title> <file> [<check>]
//     opens a request from the branch to BRANCH, or updates the open one; the file and the check's output are its text
//   node comment.mjs close <branch> <check>
//     closes the open request from the branch; the output of the failed check replaces its text
// Environment variables:
//   PROJECT              keeps the comments of several projects in one repository apart
//   BRANCH               the branch that is deployed
//   GITHUB_TOKEN         on GitHub, a token for the API
//   PULL_REQUEST         on GitHub, the number of the pull request to post to
//   GITLAB_TOKEN         on GitLab, a project access token
//   NODE_USE_ENV_PROXY   if 1, uses the proxy in https_proxy (Node 22.21, 24.5 or newer)
//   NODE_EXTRA_CA_CERTS  a file with additional certificates
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
  // Accept only the workflow's own comments, because anyone can write a comment that looks like the report.
  isOwn: async () => (comment) => comment.user?.login === (env.COMMENT_AUTHOR ?? "github-actions[bot]"),
  // GitHub may also list requests that are still open.
  mergedBy: () => `/commits/${env.GITHUB_SHA}/pulls`,
  merged: ({ number, merged_at: at, base, merge_commit_sha: sha }) =>
    at && base.ref === env.BRANCH ? { id: number, isOfCommit: sha === env.GITHUB_SHA } : undefined,
  openFrom: (head) => `/pulls?state=open&head=${encodeURIComponent(`${env.GITHUB_REPOSITORY.split("/")[0]}:${head}`)}`,
  idOf: ({ number }) => number,
  opened: (head, title, body) => ({ head, base: env.BRANCH, title, body }),
  closed: (body) => ({ state: "closed", body }),
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
  closed: (description) => ({ state_event: "close", description }),
};

function findHost() {
  if (env.GITLAB_CI) {
    return gitlab;
  }
  return env.GITHUB_REPOSITORY ? github : undefined;
}

const host = findHost();

/** The delay before each retry, in seconds. */
const WAITS = [1, 5];

/**
 * Calls the host's API. Retries after a failure that may pass, such as a 503. A POST is never retried, because the host
 * may already have created the comment or request.
 */
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
    return { reason: `${status} ${quotable(text)}`.trim(), isPassing: status === 429 || status >= 500 };
  } catch (error) {
    return { reason: quotable(error.cause?.message || error.message) + proxyHint(), isPassing: true };
  }
}

/**
 * Returns the text of a page or an error, without tags and cut off after 300 characters. If it contains the token,
 * returns a note instead, even if the token's characters are encoded, as in \u005f, %5F or &#95;, or have tags between
 * them.
 */
function quotable(text) {
  const decoded = text
    .replace(/<[^>]*>/g, "")
    .replace(/\\u([0-9a-f]{4})|(?:%|\\x)([0-9a-f]{2})|&#x([0-9a-f]{1,4});?/gi, (_, ...codes) =>
      String.fromCharCode(Number.parseInt(codes.slice(0, 3).join(""), 16)),
    )
    .replace(/&#(\d{1,5});?/g, (_, code) => String.fromCharCode(Number(code)));
  const [inText, token] = [decoded, env.GITLAB_CI ? env.GITLAB_TOKEN : env.GITHUB_TOKEN].map((one = "") =>
    one.replace(/[\p{C}\s]/gu, ""),
  );
  return token && inText.includes(token)
    ? "(not shown, because it contains the token)"
    : text.replace(/<[^>]*>|[\p{C}\s]+/gu, " ").slice(0, 300);
}

/** Returns a hint if a proxy is set but this version of Node ignores it. */
function proxyHint() {
  const isSet = env.https_proxy || env.HTTPS_PROXY || env.http_proxy || env.HTTP_PROXY;
  return isSet && !process.allowedNodeEnvironmentFlags.has("--use-env-proxy")
    ? `. A proxy is set, but Node ${process.versions.node} does not use it: take Node 22.21, 24.5 or newer`
    : "";
}

/** Parses a response. Returns undefined if it isn't JSON, for example because a proxy responded with a page. */
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
    // For example, in a merge queue.
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
    throw new Error(
      "this is no pipeline, so no pull request has the digest. Give it: EXPECT=<digest> sh scripts/deploy.sh",
    );
  }
  // A commit may be part of several merged requests. Prefer the request whose merge created this commit.
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

const MOST_BYTES = 10_000;

/**
 * Returns the bytes as a code block, so that the host doesn't interpret them as Markdown or commands. The fence is
 * longer than any run of backticks in the text, so the text can't end the block. Replaces characters that could hide or
 * reorder others.
 */
function block(bytes) {
  const shown = new TextDecoder().decode(bytes.subarray(0, MOST_BYTES));
  const text = shown
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{C}\n\t]/gu, "\ufffd")
    .trimEnd();
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  const cut = bytes.length > MOST_BYTES ? `\nThe first ${MOST_BYTES} of ${bytes.length} bytes.\n` : "";
  return `${fence}text\n${text}\n${fence}\n${cut}`;
}

async function open(head, title, file, check) {
  if (host === undefined) {
    console.log(`The branch ${head} is pushed. This is no pipeline, so open its pull request yourself.`);
    return;
  }
  const checked = check === undefined ? "" : `\nscripts/check.sh ended with 0:\n\n${block(readFileSync(check))}`;
  const request = host.opened(head, title, block(readFileSync(file)) + checked);
  const there = await pathFrom(head);
  if (there === undefined) {
    await call("POST", host.requests, request);
  } else {
    await call(host.update, there, request);
  }
}

/** Returns the path of the open request from this branch, or undefined if there is none. */
async function pathFrom(head) {
  const [request] = await call("GET", host.openFrom(head));
  return request && `${host.requests}/${host.idOf(request)}`;
}

async function close(head, check) {
  const there = host && (await pathFrom(head));
  if (there !== undefined) {
    await call(host.update, there, host.closed(`scripts/check.sh failed later:\n\n${block(readFileSync(check))}`));
    console.log("Closed the request that was opened when the check had passed.");
  }
}

const commands = { post, digest, open, close };

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
