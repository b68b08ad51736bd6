#!/bin/sh
# A version is bad: gives the stable agent all calls again, in a commit, and applies it. No guard but a freeze refuses that.
# Beside what operate.sh takes:
#   NAME  the rollout; empty: the one of the stack
set -eu
here=$(dirname "$0")

set -- --stack "$STACK" --json
if [ -n "${NAME:-}" ]; then set -- "$@" "$NAME"; fi

aborted=0
npx --no-install pulumi-agent-platform abort "$@" > abort.json || aborted=$?
if [ -s abort.json ]; then node "$here/comment.mjs" get abort.json text; fi
pushed=0
case $aborted in
  0)
    git add "$(node "$here/comment.mjs" get abort.json file)"
    sh "$here/git-as.sh" Abort commit --quiet --message "$(node "$here/comment.mjs" title abort.json)"
    # First the branch, so that a deployment that starts meanwhile applies the same; a protected one does not hold up the callers.
    sh "$here/push.sh" || pushed=$?
    ;;
  # The file says so already, but maybe no run has applied it.
  3) ;;
  *) exit "$aborted" ;;
esac

# A voice or a chat that may have been sent does not hold up the callers.
upped=0
URGENT=1 sh "$here/up.sh" || upped=$?

# Green only if every number has it. If not, doctor names the ones that do not.
npx --no-install pulumi-agent-platform abort "$@" --dry-run > applied.json || true
if [ "$(node "$here/comment.mjs" get applied.json isApplied)" != true ]; then
  npx --no-install pulumi-agent-platform doctor --stack "$STACK" || true
  echo "Not every number has the abort. Run this job again: it sends the stable split to all of them."
  exit 1
fi
exit "$((upped == 0 ? pushed : upped))"
