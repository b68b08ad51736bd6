import { createServer } from "node:http";
import { closeAll, listen } from "../support/rawServer";

/** As much of GitHub's and of GitLab's interface as the pipelines use: comments of one request, which request a commit merged, and new requests. */

interface Comment {
  readonly id: number;
  body: string;
  readonly user: { readonly login: string };
  readonly author: { readonly id: number };
}

type OpenedRequest = Readonly<Record<string, string>>;

/** A status with a body; or a connection that ends without a response. */
type Fault = readonly [status: number, body: string] | "reset";

export interface HostServer {
  readonly url: string;
  readonly comments: Comment[];
  /** Of each call the method, the path and the token. */
  readonly calls: string[];
  /** The requests that were opened, as they were asked for, and as they were changed since. */
  readonly opened: OpenedRequest[];
  /** What it responds first, before what is right. */
  readonly faults: Fault[];
  /** What somebody writes below the request. */
  add(login: string, body: string): void;
}

export const robot = "github-actions[bot]";
const robotId = 7;

/** A merged request as both hosts show it, of the commit that the tests deploy. */
const mergedTo = (branch: string, id: number, more: object = {}) => ({
  number: id,
  iid: id,
  merged_at: "2026-11-23T09:00:00Z",
  state: "merged",
  base: { ref: branch },
  target_branch: branch,
  merge_commit_sha: "abc123",
  ...more,
});

/** Request 12 merged every commit to main, and 13 to another branch. The commit of 40 zeros came by none, that of 40 ones by one that is open. */
function requestsOf(commit: string): object[] {
  if (/^0{40}$/.test(commit)) {
    return [];
  }
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

  function ofRequests(method: string, { pathname, searchParams }: URL, sent: OpenedRequest): unknown {
    if (method === "POST") {
      opened.push(sent);
      return {};
    }
    if (method === "GET") {
      const from = searchParams.get("source_branch") ?? searchParams.get("head")?.replace(/^team:/, "");
      return opened.flatMap(({ head, source_branch, state, state_event }, index) =>
        from === (head ?? source_branch) && (state ?? state_event) === undefined
          ? [{ number: index + 1, iid: index + 1 }]
          : [],
      );
    }
    const changed = Number(pathname.split("/").at(-1)) - 1;
    opened[changed] = { ...opened[changed], ...sent };
    return {};
  }

  function ofComments(method: string, { pathname, searchParams }: URL, { body = "" }: OpenedRequest): unknown {
    if (method === "POST") {
      add(robot, body);
      return {};
    }
    if (method === "GET") {
      const page = Number(searchParams.get("page"));
      return comments.slice((page - 1) * 100, page * 100);
    }
    const found = comments.find(({ id }) => id === Number(pathname.split("/").at(-1)));
    return found && Object.assign(found, { body });
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
      return ofRequests(method, url, sent);
    }
    return /^\/(issues|merge_requests)\/(12\/(comments|notes)|comments)/.test(path)
      ? ofComments(method, url, sent)
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
    const found = fault ?? responseTo(method, new URL(url, "http://host"), JSON.parse(body || "{}"));
    const [status, text] = fault ?? [
      found === undefined ? 404 : 200,
      JSON.stringify(found ?? { message: "Not Found" }),
    ];
    response.writeHead(status, { "Content-Type": "application/json" }).end(text);
  });
  try {
    await test({ url: `http://127.0.0.1:${await listen(server)}`, comments, calls, opened, faults, add });
  } finally {
    await closeAll(server, []);
  }
}
