import { clean } from "../../provider/core/common/redact";
import type { Run } from "../pulumi/history";

/** The author, the commit and the pull request of a run, as Git and the pipeline told Pulumi. */

export interface Origin {
  readonly who?: string | undefined;
  /** The title of the commit, without the number of its pull request. */
  readonly title?: string | undefined;
  readonly commit?: Link | undefined;
  /** `#41`; `!41` in GitLab. */
  readonly pullRequest?: Link | undefined;
  /** Did the run have changes that are in no commit? Then the commit does not tell all. */
  readonly isDirty: boolean;
}

export interface Link {
  readonly text: string;
  readonly url?: string | undefined;
}

const LONGEST_NAME = 200;

/** Names and titles are written by people, so they are cut and made fit for a terminal. */
const cleaned = (written = ""): string | undefined => clean(written, "", LONGEST_NAME) || undefined;

export function originOf({ message, environment }: Run): Origin {
  const { "git.head": head = "", "ci.pr.number": building } = environment;
  const [title, merged] = titleAndNumber(message ?? "");
  const pages = pagesOf(environment);
  const number = merged ?? (/^\d+$/.test(building ?? "") ? building : undefined);
  const isCommit = /^[\da-f]{7,64}$/.test(head);
  return {
    who: cleaned(environment["git.author"]) ?? cleaned(environment["git.committer"]),
    title: cleaned(title),
    ...(isCommit && { commit: { text: head.slice(0, 7), url: pages && `${pages.repository}${pages.commit}${head}` } }),
    ...(number !== undefined && {
      pullRequest: {
        text: `${pages?.sign ?? "#"}${number}`,
        url: pages && `${pages.repository}${pages.pullRequest}${number}`,
      },
    }),
    isDirty: environment["git.dirty"] === "true",
  };
}

/** A squashed pull request has its number at the end of the title, and a merged one at its beginning. */
function titleAndNumber(message: string): readonly [string, string | undefined] {
  const [line = ""] = message.split(/\r?\n/);
  const [, title, squashed] = /^(.*?)\s*\([#!](\d{1,9})\)\s*$/.exec(line) ?? [];
  const [, merged] = /^Merge pull request #(\d{1,9})\b/.exec(line) ?? [];
  return [title ?? line, squashed ?? merged];
}

/** Where the hosts have their pages. */
const HOSTS: Readonly<
  Record<string, { readonly sign: string; readonly commit: string; readonly pullRequest: string }>
> = {
  "github.com": { sign: "#", commit: "/commit/", pullRequest: "/pull/" },
  "gitlab.com": { sign: "!", commit: "/-/commit/", pullRequest: "/-/merge_requests/" },
};

const PATH = /^[\w.-]+(?:\/[\w.-]+)*$/;

function pagesOf(environment: Run["environment"]) {
  const { "vcs.kind": kind = "", "vcs.owner": owner = "", "vcs.repo": repo = "" } = environment;
  const host = Object.hasOwn(HOSTS, kind) ? HOSTS[kind] : undefined;
  return host && PATH.test(owner) && PATH.test(repo)
    ? { ...host, repository: `https://${kind}/${owner}/${repo}` }
    : undefined;
}
