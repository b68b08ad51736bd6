import { createServer } from "node:http";
import { closeAll, listen } from "../support/rawServer";

/** As much of GitHub's and of GitLab's interface as the pipelines use: comments of one request, which request a commit merged, and new requests. */

interface Comment {
  readonly id: number;
  body: string;
  readonly user: { readonly login: string };
  readonly author: { readonly id: number };
}

export interface HostServer {
  readonly url: string;
  readonly comments: Comment[];
  readonly requests: string[];
  /** The requests that were opened, as they were asked for. */
  readonly opened: Readonly<Record<string, string>>[];
  /** What became of the requests that were opened, in their order; without one, a request is open. */
  readonly ended: ("merged" | "closed")[];
  /** Refuses to open a request. */
  isRefusing: boolean;
  /** What it responds first, before what is right. */
  readonly faults: Fault[];
  /** What somebody else writes below the request. */
  add(login: string, body: string): void;
  close(): Promise<void>;
}

/** A status with a body; or a connection that ends without a response. */
type Fault = readonly [status: number, body: string] | "reset";

export const robot = "github-actions[bot]";
const robotId = 7;

/** Request 12 merged every commit to main, and 13 to another branch. The commit of 40 zeros came by none, that of 40 ones by one that is open. */
async function startHost(): Promise<HostServer> {
  const comments: Comment[] = [];
  const requests: string[] = [];
  const opened: Readonly<Record<string, string>>[] = [];
  const ended: HostServer["ended"] = [];
  const add = (login: string, body: string) =>
    void comments.push({
      id: comments.length + 1,
      body,
      user: { login },
      author: { id: login === robot ? robotId : 8 },
    });

  function ofBranch(method: string, path: string, body: string): unknown {
    if (method === "POST") {
      return host.isRefusing ? undefined : opened.push(JSON.parse(body)) && {};
    }
    const changed = Number(/\/(\d+)$/.exec(path)?.[1]);
    if (changed > 0) {
      opened[changed - 1] = JSON.parse(body);
      return {};
    }
    const all = opened.flatMap((one, index) =>
      isFrom(one, path) ? [asListed(index + 1, ended[index], "source_branch" in one)] : [],
    );
    return all.reverse();
  }

  function responseTo(method: string, path: string, body: string): unknown {
    if (/\/commits\/0{40}\//.test(path)) {
      return [];
    }
    if (/\/commits\/1{40}\//.test(path)) {
      return [mergedTo("main", 12, { merged_at: null, state: "opened" })];
    }
    if (/\/commits\/\w+\/(pulls|merge_requests)$/.test(path)) {
      return [mergedTo("develop", 13), mergedTo("main", 11, { merge_commit_sha: "another" }), mergedTo("main", 12)];
    }
    if (path.endsWith("/user")) {
      return { id: robotId };
    }
    if (/\/phones\/pulls\b|\/5\/merge_requests(\?|$|\/\d+$)/.test(path)) {
      return ofBranch(method, path, body);
    }
    return /\/(issues|merge_requests)\/(12\/(comments|notes)|comments)/.test(path)
      ? ofComments(method, path, body)
      : undefined;
  }

  function ofComments(method: string, path: string, body: string): unknown {
    if (method === "POST") {
      return add(robot, JSON.parse(body).body) ?? {};
    }
    if (method === "GET") {
      const page = Number(/page=(\d+)$/.exec(path)?.[1]);
      return comments.slice((page - 1) * 100, page * 100);
    }
    const found = comments.find(({ id }) => id === Number(/(\d+)$/.exec(path)?.[1]));
    if (found !== undefined) {
      found.body = JSON.parse(body).body;
    }
    return found;
  }

  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) {
      body += chunk;
    }
    const { method = "", url = "", headers } = request;
    requests.push(`${method} ${url} ${headers.authorization ?? headers["private-token"] ?? "without a token"}`);
    const fault = host.faults.shift();
    if (fault === "reset") {
      request.socket.destroy();
      return;
    }
    if (fault !== undefined) {
      response.writeHead(fault[0]).end(fault[1]);
      return;
    }
    const found = responseTo(method, url, body);
    response.writeHead(found === undefined ? 404 : 200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(found ?? { message: "Not Found" }));
  });
  const host: HostServer = {
    url: `http://127.0.0.1:${await listen(server)}`,
    isRefusing: false,
    faults: [],
    ended,
    comments,
    requests,
    opened,
    add,
    close: () => closeAll(server, []),
  };
  return host;
}

export async function withHost(test: (host: HostServer) => Promise<void>): Promise<void> {
  const host = await startHost();
  try {
    await test(host);
  } finally {
    await host.close();
  }
}

/** A merged request as GitHub and GitLab show it, of the commit that the tests deploy. */
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

/** GitHub says of a merged request that it is closed, and when it was merged. */
const asListed = (id: number, end: "merged" | "closed" | undefined, isGitlab: boolean) =>
  isGitlab
    ? { iid: id, state: end ?? "opened" }
    : {
        number: id,
        state: end === undefined ? "open" : "closed",
        merged_at: end === "merged" ? "2026-11-23T09:00:00Z" : null,
      };

/** Of the branch that is asked for. GitHub wants its owner before it. */
const isFrom = ({ head, source_branch }: Readonly<Record<string, string>>, path: string): boolean =>
  [head === undefined ? "" : `team:${head}`, source_branch].includes(
    new URL(path, "http://host").searchParams.get(head === undefined ? "source_branch" : "head") ?? "none",
  );
