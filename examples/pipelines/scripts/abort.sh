#!/bin/sh
# A version is bad: gives the stable agent all calls again and applies that. Then the branch gets it. No guard but a freeze refuses an abort.
# Beside what operate.sh takes:
#   NAME  the rollout; empty: the one of the stack
#   TO    an older agent that had all calls, to return to; empty: the stable one
set -eu
here=$(dirname "$0")
sh "$here/needs.sh" "$0" STACK BRANCH

set -- --stack "$STACK" --json
if [ -n "${TO:-}" ]; then set -- "$@" --to "$TO"; fi
if [ -n "${NAME:-}" ]; then set -- "$@" "$NAME"; fi

aborted=0
npx --no-install pulumi-agent-platform abort "$@" > abort.json || aborted=$?
if [ -s abort.json ]; then node "$here/comment.mjs" get abort.json text; fi
# With 3 the file says so already, but maybe no run has applied it.
case $aborted in 0 | 3) ;; *) exit "$aborted" ;; esac

file=$(node "$here/comment.mjs" get abort.json file)
made=
if [ "$aborted" -eq 0 ]; then made=$(sh "$here/made.sh" Abort --message "$(node "$here/comment.mjs" title abort.json)" -- "$file") || made=; fi

# A voice or a chat that may have been sent does not hold up the callers.
upped=0
URGENT=1 sh "$here/up.sh" || upped=$?

branched=0
sh "$here/branch.sh" Abort "$made" "$file" "npx pulumi-agent-platform abort ${NAME:+$NAME }--stack $STACK${TO:+ --to $TO} && git commit --all" || branched=$?

# Green only if every number has it. If not, doctor names the ones that do not.
npx --no-install pulumi-agent-platform abort "$@" --dry-run > applied.json || true
if [ "$(node "$here/comment.mjs" get applied.json isApplied)" != true ]; then
  npx --no-install pulumi-agent-platform doctor --stack "$STACK" || true
  echo "Not every number has the abort. Run this job again: it sends the stable split to all of them."
  exit 1
fi
exit "$((upped == 0 ? branched : upped))"
