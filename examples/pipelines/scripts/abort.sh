#!/bin/sh
# A version is bad: the stable agent gets all calls again. Callers have that first, then BRANCH gets the change.
#   STACK   the stack
#   BRANCH  the branch that is deployed
#   NAME    the rollout; empty: the one of the stack
#   TO      another approved agent, which gets all calls; empty: the stable one
#   AGENT_PLATFORM_ACCESS_TOKEN  the platform's token
#   AGENT_PLATFORM_BYPASS        if a freeze is set, the reason to bypass all guards in this run
set -eu
: "${STACK:?Name the stack, such as STACK=prod}" "${BRANCH:?Name the branch, such as BRANCH=main}"

set -- --stack "$STACK"
if [ -n "${TO:-}" ]; then set -- "$@" --to "$TO"; fi
if [ -n "${NAME:-}" ]; then set -- "$NAME" "$@"; fi

# A freeze stops an abort too, so the branch must not say that there was one.
frozen=$(pulumi config get --stack "$STACK" agent-platform:freeze 2> /dev/null) || frozen=
if [ -n "$frozen" ] && [ -z "${AGENT_PLATFORM_BYPASS:-}" ]; then
  echo "Stopped: the stack is frozen: $frozen. Nothing was changed. To abort it all the same, give a reason in \"bypass\" (AGENT_PLATFORM_BYPASS)." >&2
  exit 1
fi

# It is green only if every number has it. What it has written goes to the branch in any case.
aborted=0
npx --no-install pulumi-agent-platform abort "$@" --up --yes || aborted=$?
if git diff --quiet; then exit "$aborted"; fi

# One commit on top of what the branch has by now. The job itself has applied it, so GitLab starts no pipeline for it.
title="Abort${NAME:+ $NAME} in $STACK"
publish() {
  git checkout --quiet --detach &&
    git commit --quiet --all --message "$title" &&
    git fetch --quiet origin "$BRANCH" &&
    git rebase --quiet --onto FETCH_HEAD HEAD^ &&
    git push --quiet ${GITLAB_CI:+--push-option=ci.skip} origin "HEAD:$BRANCH"
}
if publish; then exit "$aborted"; fi
cat >&2 << END
$BRANCH does not have this abort, so its next deployment would give the candidate calls again. In a clone, run:

git fetch origin && git switch --create "abort-${STACK##*/}" "origin/$BRANCH"
npx pulumi-agent-platform abort $*
git commit --all --message "$title" && git push origin HEAD

Then merge that branch.
END
exit "$((aborted == 0 ? 1 : aborted))"
