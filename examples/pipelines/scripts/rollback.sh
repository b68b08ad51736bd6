#!/bin/sh
# Takes one merged change back: commits the revert and applies it. Only a freeze refuses the way back, and `steps` the revert of an abort.
# Beside what operate.sh takes:
#   COMMIT                 the commit to take back; a merge counts as one change
#   AGENT_PLATFORM_BYPASS  a reason: bypasses the guards for this run, if a freeze is set
set -eu
here=$(dirname "$0")

parents=$(git rev-list --parents --max-count=1 "$COMMIT" | wc -w)
if [ "$parents" -gt 2 ]; then set -- -m 1; else set --; fi
sh "$here/git-as.sh" Rollback revert --no-edit "$@" "$COMMIT"

# Callers go up again: if a guard refuses that, the branch must not say it. A way down is pushed and applied, whatever fails beside it.
if git show HEAD | grep -q '^-.*aborted:' && ! pulumi preview --stack "$STACK" --non-interactive; then
  echo "Stopped: nothing was pushed. This takes an abort back. To start that agent again: promote, with the agent in \"to\" (TO)." >&2
  exit 1
fi

# First the branch, so that a deployment that starts meanwhile applies the same; a protected one does not hold up the callers.
pushed=0
sh "$here/push.sh" || pushed=$?

# A voice or a chat that may have been sent does not hold up the callers.
URGENT=1 sh "$here/up.sh"
exit "$pushed"
