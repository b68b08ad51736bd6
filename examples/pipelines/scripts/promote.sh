#!/bin/sh
# Gives the candidate of a rollout its next percentage, on a branch, and opens the pull request: one for each stack. It sends nothing to the platform.
# If a promotion has to wait, or if there is nothing to promote, it says so and ends with exit code 0.
#   STACKS    the stacks, in the order in which they are deployed
#   STACK     only this one; empty or "all": every one
#   BRANCH    the branch that is deployed
#   NAME      the rollout; empty: the one of the stack
#   TO, AFTER, MIN_SOAK, CHECK  the options of `promote`; empty: none
set -eu
here=$(dirname "$0")

case "${STACK:-all}" in all) stacks=$STACKS ;; *) stacks=$STACK ;; esac
git fetch --quiet origin "$BRANCH"
deployed=$(git rev-parse FETCH_HEAD)
ended=0
for stack in $stacks; do
  file="Pulumi.${stack##*/}.yaml"
  if [ "${STACK:-all}" = all ] && [ -e "$file" ] && ! grep -q stable "$file"; then
    echo "$file has no rollout."
    continue
  fi
  # Each branch begins at what is deployed, and has no commit of another promotion.
  git checkout --quiet --detach "$deployed"
  STACK=$stack sh "$here/promotion.sh" || ended=$?
done
exit "$ended"
