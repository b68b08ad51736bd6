#!/bin/sh
# Gives the candidate of a rollout its next percentage on a branch of its own, and opens a request with it. It sends nothing to the platform.
#   STACK    the stack
#   PROJECT  the project: the branch has its name
#   BRANCH   the branch that is deployed
#   NAME     the rollout; empty: the one of the stack
#   TO       starts a rollout of this agent; empty: the candidate goes on
set -eu
here=$(dirname "$0")
: "${STACK:?Name the stack, such as STACK=prod}" "${PROJECT:?Name the project, such as PROJECT=phones}" "${BRANCH:?Name the branch, such as BRANCH=main}"
head=promote/$PROJECT/${STACK##*/}${NAME:+-$NAME}

set -- --stack "$STACK"
if [ -n "${TO:-}" ]; then set -- "$@" --to "$TO"; fi
if [ -n "${NAME:-}" ]; then set -- "$NAME" "$@"; fi

# The branch begins at what is deployed.
git fetch --quiet origin "$BRANCH"
git checkout --quiet --detach FETCH_HEAD
promoted=0
npx --no-install pulumi-agent-platform promote "$@" > promoted.txt || promoted=$?
cat promoted.txt
# 1: it has to wait, 3: there is nothing to promote. Nothing was changed.
if [ "$promoted" -ne 0 ]; then exit "$promoted"; fi

title=$(head -n 1 promoted.txt | cut -c 1-200)
git commit --quiet --all --message "$title"
git push --quiet --force origin "HEAD:refs/heads/$head"
node "$here/comment.mjs" open "$head" "$title" promoted.txt
