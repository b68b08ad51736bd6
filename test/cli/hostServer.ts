import { createServer } from "node:http";
import { closeAll, listen } from "../support/rawServer";

/**
 * Fakes the parts of GitHub's and GitLab's APIs that the pipelines use. In this file, a request is a pull request on
 * GitHub or a merge request on GitLab.
 */

interface Comment {
  readonly id: number;
  body: string;
  readonly user: { readonly login: string };
  readonly author: { readonly id: number };
}

type OpenedRequest = Readonly<Record<string, string>>;

/** A status and body to respond with, or "reset" to close the connection without a response. */
type Fault = readonly [status: number, body: string] | "reset";

export interface HostServer {
  readonly url: string;
  readonly comments: Comment[];
  /** The method, path (including the query) and token of each API call so far. */
  readonly calls: string[];
  /** The fields of each request that a pipeline has opened, including later updates. */
  readonly opened: OpenedRequest[];
  /** Faults for the next API calls, one per call. Afterwards, the server responds normally again. */
  readonly faults: Fault[];
  /** Adds a comment by this user to request 12. */
  add(login: string, body: string): void;
}

export const robot = "github-actions[bot]";
const robotId = 7;

/**
 * Returns a request that was merged to this branch, with the fields of both GitHub's and GitLab's API. By default, its
 * merge commit is the one that the tests deploy.
 */
const mergedTo = (branch: string, id: number, overrides: object = {}) => ({
  number: id,
  iid: id,
  merged_at: "2026-11-23T09:00:00Z",
  state: "merged",
  base: { ref: branch },
  target_branch: branch,
  merge_commit_sha: "abc123",
  ...overrides,
});

/**
 * Returns the requests that contain a commit. A commit of 40 zeros is in no request, and one of 40 ones is only in an
 * open request.
 */
function requestsOf(commit: string): object[] {
  if (/^0{40}$/.test(commit)) {
    return [];
  }
  // Request 12 merged all other commits to main. The pipelines must ignore request 13, which was merged to another
  // branch, and request 11, which has a different merge commit.
  return /^1{40}$/.test(commit)
    ? [mergedTo("main", 12, { merged_at: null, state: "opened" })]
    : [mergedTo("develop", 13), mergedTo("main", 11, { merge_commit_sha: "another" }), mergedTo("main", 12)];
}

export async function withHost(test: (host: HostServer) => Promise<void>): Promise<void> {
  const comments: Comment[] = [];
  const opened: OpenedRequest[] = [];
  const calls: string[] = [];
  const faults: Fault[] = [];
  const add = (login: string, body: string) => {
    const author = { id: login === robot ? robotId : 8 };
    comments.push({ id: comments.length + 1, body, user: { login }, author });
  };

  function handleRequests(method: string, { pathname, searchParams }: URL, sent: OpenedRequest): unknown {
    if (method === "POST") {
      opened.push(sent);
      return {};
    }
    if (method === "GET") {
      const branch = searchParams.get("source_branch") ?? searchParams.get("head")?.replace(/^team:/, "");
      return opened.flatMap(({ head, source_branch, state, state_event }, index) =>
        branch === (head ?? source_branch) && (state ?? state_event) === undefined
          ? [{ number: index + 1, iid: index + 1 }]
          : [],
      );
    }
    const index = Number(pathname.split("/").at(-1)) - 1;
    opened[index] = { ...opened[index], ...sent };
    return {};
  }

  function handleComments(method: string, { pathname, searchParams }: URL, { body = "" }: OpenedRequest): unknown {
    if (method === "POST") {
      add(robot, body);
      return {};
    }
    if (method === "GET") {
      const page = Number(searchParams.get("page"));
      return comments.slice((page - 1) * 100, page * 100);
    }
    const comment = comments.find(({ id }) => id === Number(pathname.split("/").at(-1)));
    return comment && Object.assign(comment, { body });
  }

  function responseTo(method: string, url: URL, sent: OpenedRequest): unknown {
    const path = url.pathname.replace(/^(\/gitlab\/api\/v4)?(\/repos\/team\/phones|\/projects\/5)?/, "");
    const [, commit] = /^(?:\/repository)?\/commits\/(\w+)\/(?:pulls|merge_requests)$/.exec(path) ?? [];
    if (commit !== undefined) {
      return requestsOf(commit);
    }
    if (path === "/user") {
      return { id: robotId };
    }
    if (/^\/(pulls|merge_requests)(\/\d+)?$/.test(path)) {
      return handleRequests(method, url, sent);
    }
    return /^\/(issues|merge_requests)\/(12\/(comments|notes)|comments)/.test(path)
      ? handleComments(method, url, sent)
      : undefined;
  }

  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) {
      body += chunk;
    }
    const { method = "", url = "", headers } = request;
    calls.push(`${method} ${url} ${headers.authorization ?? headers["private-token"] ?? "without a token"}`);
    const fault = faults.shift();
    if (fault === "reset") {
      request.socket.destroy();
      return;
    }
    const content = fault ?? responseTo(method, new URL(url, "http://host"), JSON.parse(body || "{}"));
    const [status, text] = fault ?? [
      content === undefined ? 404 : 200,
      JSON.stringify(content ?? { message: "Not Found" }),
    ];
    response.writeHead(status, { "Content-Type": "application/json" }).end(text);
  });
  try {
    await test({ url: `http://127.0.0.1:${await listen(server)}`, comments, calls, opened, faults, add });
  } finally {
    await closeAll(server, []);
  }
}
