// What the pipelines say to the host of the repository, GitHub or GitLab, and read of what the commands print.
//   node comment.mjs post <file>         writes the report in the file as the project's comment on the request, or replaces the one that is there
//   node comment.mjs digest              prints the digest of the stack STACK in the comment of the request that the present commit merged
//   node comment.mjs deployments <stack>…  hands the stacks that are to be deployed to the host
//   node comment.mjs last <branch>       prints what became of the branch's newest request: open, closed, merged, or none
//   node comment.mjs open <branch> <file>  opens the request of a promotion to BRANCH, or gives the open one its title
//   node comment.mjs files|title <file>  prints the files that were written, or a title for them: of what `promote --json` or `abort --json` printed
//   node comment.mjs get <file> <path>   prints one value of a JSON file, such as requests.puts
// PROJECT: two projects of one repository have comments, branches and environments of their own. BRANCH: the branch that is deployed.
// GitHub: GITHUB_TOKEN, and PULL_REQUEST (its number) to post. GitLab: GITLAB_TOKEN of a project access token.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const { env } = process;

const github = {
  url: `${env.GITHUB_API_URL}/repos/${env.GITHUB_REPOSITORY}`,
  headers: { Authorization: `Bearer ${env.GITHUB_TOKEN}`, Accept: "application/vnd.github+json" },
  request: () => env.PULL_REQUEST,
  // Of a commit that is on no deployed branch, GitHub names the requests that are open.
  mergedBy: () => `/commits/${env.GITHUB_SHA}/pulls`,
  // The newest first.
  from: (head) => `/pulls?state=all&head=${encodeURIComponent(`${env.GITHUB_REPOSITORY.split("/")[0]}:${head}`)}`,
  read: ({ number, state, merged_at: at, base, merge_commit_sha: sha }) => ({
    id: number,
    state: at ? "merged" : state,
    base: base?.ref,
    isOf: sha === env.GITHUB_SHA,
  }),
  requests: "/pulls",
  opened: ({ head, title, body }) => ({ head, base: env.BRANCH, title, body }),
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
  mergedBy: () => `/repository/commits/${env.CI_COMMIT_SHA}/merge_requests`,
  from: (head) => `/merge_requests?source_branch=${encodeURIComponent(head)}`,
  read: ({ iid, state, target_branch: base, merge_commit_sha: merge, squash_commit_sha: squash }) => ({
    id: iid,
    state: state === "opened" ? "open" : state,
    base,
    isOf: [merge, squash].includes(env.CI_COMMIT_SHA),
  }),
  requests: "/merge_requests",
  opened: ({ head, title, body }) => ({ source_branch: head, target_branch: env.BRANCH, title, description: body }),
  comments: (request) => `/merge_requests/${request}/notes`,
  comment: (request, id) => `/merge_requests/${request}/notes/${id}`,
  method: "PUT",
  isOwn: async () => {
    const { id } = await call(`${env.CI_API_V4_URL}/user`);
    return (comment) => comment.author?.id === id;
  },
};

const ofPipeline = env.GITHUB_REPOSITORY ? github : undefined;
const host = env.GITLAB_CI ? gitlab : ofPipeline;

/** How long it waits before it asks again, in seconds. */
const WAITS = [1, 5];

/** Asks again if the host does not respond as it should. What makes something is asked for once: the host may have made it. */
async function call(path, method = "GET", body = undefined) {
  for (let tried = 0; ; tried += 1) {
    const { found, reason, isPassing } = await ask(path.startsWith("http") ? path : host.url + path, method, body);
    if (reason === undefined) {
      return found;
    }
    if (!isPassing || method === "POST" || tried === WAITS.length) {
      throw new Error(`${method} ${path}: ${reason}`);
    }
    await wait(WAITS[tried] * 1000);
  }
}

async function ask(url, method, body) {
  try {
    const response = await fetch(url, {
      method,
      headers: { ...host.headers, "Content-Type": "application/json" },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    });
    const { status, ok } = response;
    const found = parsed(await response.text());
    return ok && typeof found === "object"
      ? { found }
      : {
          reason: [status, ...textsIn(found)].join(" ").slice(0, 400),
          isPassing: [429, 500, 502, 503, 504].includes(status),
        };
  } catch (error) {
    return { reason: error.cause?.message || error.message, isPassing: true };
  }
}

/** A proxy may respond with a page. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text.replace(/<style.*?<\/style>|<[^>]*>/gs, " ");
  }
}

/** The host's reasons: `message`, `errors`, `error_description` and whatever else has words, but no links. */
function textsIn(value, key = "") {
  if (typeof value === "string") {
    const words = value.replace(/[\p{C}\s]+/gu, " ").trim();
    return words === "" || /url|^status$/.test(key) ? [] : [words];
  }
  return Object.entries(value ?? {}).flatMap(([name, one]) => textsIn(one, name));
}

// --- the report

const mark = () => `<!-- agent-platform report ${env.PROJECT} -->`;

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
  const request = host?.request();
  if (!request) {
    // As in a merge queue.
    console.log(`This run is of no pull request, so it writes no comment. The report is in ${file}.`);
    return;
  }
  const body = `${mark()}\n${readFileSync(file, "utf8")}`;
  const found = await ownComment(request);
  if (found === undefined) {
    await call(host.comments(request), "POST", { body });
  } else {
    await call(host.comment(request, found.id), host.method, { body });
  }
}

async function digest() {
  if (host === undefined) {
    throw new Error(
      "no pull request to take the digest from. Give it: EXPECT=<digest of the report> sh scripts/apply.sh",
    );
  }
  // A commit may have come by several requests, such as one from branch to branch and the one to the branch that is deployed.
  const all = (await call(host.mergedBy())).map(host.read);
  const merged = all.filter(({ state, base }) => state === "merged" && base === env.BRANCH);
  const request = (merged.find(({ isOf }) => isOf) ?? merged[0])?.id;
  if (request === undefined) {
    throw new Error(`this commit was merged to ${env.BRANCH} by no request: run the job with a digest`);
  }
  const { body = "" } = (await ownComment(request)) ?? {};
  const stack = env.STACK?.split("/").at(-1);
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

/** The jobs deploy-1, deploy-2 … of the workflow. */
const MOST = 4;

function deployments(stacks) {
  if (env.GITLAB_CI) {
    writeFileSync("deploy.gitlab-ci.yml", `${JSON.stringify(pipelineOf(stacks), null, 2)}\n`);
  } else if (host === undefined) {
    // By hand nobody waits for the list.
  } else if (stacks.length > MOST) {
    throw new Error(`${stacks.length} stacks change, and the workflow has jobs for ${MOST}: deploy one by hand first`);
  } else {
    const folder = relative(env.GITHUB_WORKSPACE, process.cwd()) || ".";
    appendFileSync(env.GITHUB_OUTPUT, `stacks=${JSON.stringify(stacks)}\nfolder=${folder}\n`);
  }
}

function pipelineOf(stacks) {
  const { PROJECT: project, FOLDER: folder, STACKS: all } = env;
  // A stack may have a name that is a keyword of GitLab's.
  const nameOf = (stack) => `deploy ${stack}`;
  // Each waits for the one before it. GitLab wants a job in every pipeline.
  const jobs = stacks.map((stack, index) => [
    nameOf(stack),
    {
      extends: `.${project} stack`,
      variables: { STACK: stack },
      environment: { name: `${project}-${stack}` },
      resource_group: `${project}-${stack}`,
      needs: index === 0 ? [] : [nameOf(stacks[index - 1])],
    },
  ]);
  const none = [["no change", { script: ["echo No stack changes."] }]];
  const include = [{ local: ".gitlab/agent-platform.yml", inputs: { project, folder, stacks: all } }];
  return { include, ...Object.fromEntries(jobs.length > 0 ? jobs : none) };
}

// --- the request of a promotion

/** Of one rollout, or of several ones. */
const writtenIn = (printed) => (printed.promotions ?? [printed]).filter(({ outcome }) => outcome === "written");

const filesIn = (printed) => writtenIn(printed).map(({ file }) => file);

const titleOf = ({ stack, name, to: { candidate, percent, aborted } }) =>
  `${name} in ${stack}: ${aborted ? `${aborted.agent} aborted at ${aborted.percent}` : `${candidate} at ${percent}`} %`;

function title(printed) {
  const titles = writtenIn(printed).map(titleOf);
  // GitHub takes 256 characters.
  return titles.join(", ").length <= 200 ? titles.join(", ") : `${titles.length} rollouts of ${env.PROJECT} go on`;
}

const printedIn = (file) => JSON.parse(readFileSync(file, "utf8"));

const newest = async (head) => host && (await call(host.from(head))).map(host.read)[0];

async function open(head, file) {
  if (host === undefined) {
    console.log(`The branch ${head} is pushed. This is no pipeline, so open its pull request yourself.`);
    return;
  }
  const printed = printedIn(file);
  const request = host.opened({ head, title: title(printed), body: `\`\`\`text\n${printed.text}\n\`\`\`\n` });
  const last = await newest(head);
  const isOpen = last?.state === "open";
  await call(isOpen ? `${host.requests}/${last.id}` : host.requests, isOpen ? host.method : "POST", request);
}

const commands = {
  post,
  digest,
  deployments: (...stacks) => deployments(stacks),
  last: async (head) => console.log((await newest(head))?.state ?? "none"),
  open,
  files: (file) => console.log(filesIn(printedIn(file)).join("\n")),
  title: (file) => console.log(title(printedIn(file))),
  get: (file, path) => console.log(path.split(".").reduce((value, key) => value[key], printedIn(file))),
};

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
