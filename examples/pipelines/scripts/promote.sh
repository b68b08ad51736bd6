#!/bin/sh
# Gives the candidate of a rollout its next percentage, on a branch, and opens the pull request. It sends nothing to the platform.
# If the promotion has to wait, or if there is nothing to promote, it says so and ends with exit code 0.
#   STACK     the stack
#   BRANCH    the branch that is deployed
#   NAME      the rollout; empty: the one of the stack
#   TO, AFTER, MIN_SOAK, CHECK  the options of `promote`; empty: none
set -eu
PATH="$PWD/node_modules/.bin:$PATH"
here=$(dirname "$0")

set -- --stack "$STACK" --json
if [ -n "${TO:-}" ]; then set -- "$@" --to "$TO"; fi
if [ -n "${AFTER:-}" ]; then set -- "$@" --after "$AFTER"; fi
if [ -n "${MIN_SOAK:-}" ]; then set -- "$@" --min-soak "$MIN_SOAK"; fi
if [ -n "${CHECK:-}" ]; then set -- "$@" --check "$CHECK"; fi
if [ -n "${NAME:-}" ]; then set -- "$@" "$NAME"; fi

promoted=0
agent-platform promote "$@" > promote.json || promoted=$?
if [ -s promote.json ]; then node "$here/comment.mjs" text promote.json; fi
case $promoted in
  0) ;;
  1 | 3) exit 0 ;;
  *) exit "$promoted" ;;
esac

head=$(node "$here/comment.mjs" branch promote.json)
file=$(node "$here/comment.mjs" file promote.json)
# The same promotion waits for its review, or was declined: a schedule does not ask for it again.
if git fetch --quiet origin "$head" 2> /dev/null && git diff --quiet FETCH_HEAD -- "$file"; then
  echo "The branch $head has this already. Merge its pull request, or delete the branch to have it opened again."
  exit 0
fi

git add "$file"
git -c user.name="Promote" -c user.email="promote@users.noreply.invalid" commit --quiet --message "$(node "$here/comment.mjs" title promote.json)"
git push --quiet --force origin "HEAD:refs/heads/$head"
node "$here/comment.mjs" open promote.json
