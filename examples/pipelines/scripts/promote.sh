#!/bin/sh
# Gives the candidates of rollouts their next percentage, and opens the pull requests: one for each stack. It sends nothing to the platform.
# If a promotion has to wait, or if there is nothing to promote, it says so and ends with exit code 0.
#   STACK     only this stack; empty or "all": those of STACKS, or every stack of the project
#   STACKS    the stacks of the pipelines, with spaces between them
#   BRANCH    the branch that is deployed
#   NAME      the rollout; empty: the one of the stack, of several stacks all
#   MIN_SOAK, CHECK, and of one stack TO, AFTER  the options of `promote`; empty: none
set -eu
PATH="$PWD/node_modules/.bin:$PATH"
here=$(dirname "$0")

case "${STACK:-all}" in all) stacks=${STACKS:-} ;; *) stacks=$STACK ;; esac
set -- --json
if [ -z "$stacks" ]; then set -- "$@" --all; fi
for stack in $stacks; do set -- "$@" --stack "$stack"; done
if [ -n "${TO:-}" ]; then set -- "$@" --to "$TO"; fi
if [ -n "${AFTER:-}" ]; then set -- "$@" --after "$AFTER"; fi
if [ -n "${MIN_SOAK:-}" ]; then set -- "$@" --min-soak "$MIN_SOAK"; fi
if [ -n "${CHECK:-}" ]; then set -- "$@" --check "$CHECK"; fi
if [ -n "${NAME:-}" ]; then set -- "$@" "$NAME"; fi

git fetch --quiet origin "$BRANCH"
deployed=$(git rev-parse FETCH_HEAD)
git checkout --quiet --detach "$deployed"

promoted=0
agent-platform promote "$@" > promote.json || promoted=$?
# A command that broke off has printed nothing, and has not held anything.
if [ ! -s promote.json ]; then exit "$((promoted == 0 ? 1 : promoted))"; fi
node "$here/comment.mjs" text promote.json
case $promoted in
  0) ;;
  1 | 3) exit 0 ;;
  *) exit "$promoted" ;;
esac

ended=0
for stack in $(node "$here/comment.mjs" promoted promote.json); do
  # Each branch begins at what is deployed, and has no commit of another promotion. The other stacks' files stay edited.
  git checkout --quiet --detach "$deployed"
  STACK=$stack sh "$here/promotion.sh" || ended=$?
done
exit "$ended"
