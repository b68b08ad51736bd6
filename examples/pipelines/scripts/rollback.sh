#!/bin/sh
# Takes one merged change back: makes the revert and applies it. Then the branch gets it. Only a freeze refuses the way back, and `steps` the
# revert of an abort.
# Beside what operate.sh takes:
#   COMMIT                 the commit to take back; a merge counts as one change
#   AGENT_PLATFORM_BYPASS  a reason: bypasses the guards for this run, if a freeze is set
set -eu
here=$(dirname "$0")
sh "$here/needs.sh" "$0" STACK BRANCH COMMIT

COMMIT=$(git rev-parse --verify "$COMMIT^{commit}")
parents=$(git rev-list --parents --max-count=1 "$COMMIT" | wc -w)
if [ "$parents" -gt 2 ]; then set -- -m 1; else set --; fi
if ! git revert --no-commit "$@" "$COMMIT"; then
  git reset --quiet --merge || true
  echo "Stopped: nothing was changed. Git cannot take $COMMIT back by itself, so write the change by hand and deploy it." >&2
  exit 1
fi

# The revert of an abort gives the candidate calls again. A guard may refuse that, so it is previewed before the branch gets it. Any other
# revert is applied and pushed, whatever else fails.
if git diff --cached | grep -q '^-.*aborted:' && ! pulumi preview --stack "$STACK" --non-interactive; then
  git reset --quiet --merge
  echo "Stopped: nothing was pushed. This takes an abort back. To start that agent again: promote, with the agent in \"to\" (TO)." >&2
  exit 1
fi

# Nothing to commit if the branch has it already, and maybe no run has applied it.
made=
if ! git diff --cached --quiet; then made=$(sh "$here/made.sh" Rollback --no-edit) || made=; fi

# A voice or a chat that may have been sent does not hold up the callers.
upped=0
URGENT=1 sh "$here/up.sh" || upped=$?

# As with git revert, the hooks pre-commit and commit-msg are not asked.
branched=0
sh "$here/branch.sh" Rollback "$made" . "git revert${*:+ $*} $COMMIT" --no-verify || branched=$?
exit "$((upped == 0 ? branched : upped))"
