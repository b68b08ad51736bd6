#!/bin/sh
# Gives the candidate of a rollout its next percentage on a branch of its own, and opens a request with it. Sends nothing to the platform.
#   STACK    the stack
#   PROJECT  the project, which names the branch
#   BRANCH   the branch that is deployed
#   NAME     the rollout. Empty: the stack's only one
#   TO       starts a rollout of this agent. Empty: the candidate goes on
#   COMMIT_PREFIX  starts the commit message and the request's title, if your server enforces a form, such as "chore(phones): "
# If check.sh is next to this script, it runs first, and decides. If it fails, an open request of the branch is closed. See "A check before each step" in the guide to pipelines.
set -eu
here=$(dirname "$0")
: "${STACK:?Name the stack, such as STACK=prod}" "${PROJECT:?Name the project, such as PROJECT=phones}" "${BRANCH:?Name the branch, such as BRANCH=main}"
head=promote/$PROJECT/${STACK##*/}${NAME:+-$NAME}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# Hooks such as husky's are meant for people. They must not stop the pipeline's own commit.
git() { command git -c core.hooksPath=/dev/null "$@"; }
requests() { NODE_USE_ENV_PROXY=1 node "$here/comment.mjs" "$@"; }

# The branch starts from what is deployed.
git fetch --quiet origin "$BRANCH"
git checkout --quiet --detach FETCH_HEAD
promoted=0
npx --no-install pulumi-agent-platform promote --stack="$STACK" ${TO:+"--to=$TO"} --json ${NAME:+-- "$NAME"} > "$out/promoted.json" || promoted=$?
field() { node -p "const { name, text, from, to } = require('$out/promoted.json'); $1"; }
if [ -s "$out/promoted.json" ]; then field text | tee "$out/promoted.txt"; fi
# 1: it has to wait. 3: there is nothing to promote, which is no failure of a schedule. Nothing was changed.
if [ "$promoted" -eq 3 ] && [ "${GITHUB_EVENT_NAME:-}${CI_PIPELINE_SOURCE:-}" = schedule ]; then exit 0; fi
if [ "$promoted" -ne 0 ]; then exit "$promoted"; fi
# Only the stack's file: an install may have changed others, such as package.json.
file=":(top,glob)**/Pulumi.${STACK##*/}.yaml"

set -- "$out/promoted.txt"
if [ -f "$here/check.sh" ]; then
  npx --no-install pulumi-agent-platform show --stack="$STACK" --json > "$out/numbers.json"
  NAME=$(field name)
  STABLE=$(field to.stable)
  CANDIDATE=$(field to.candidate)
  # The candidate's percentage until now: 0 at its start.
  PERCENT=$(field 'from.candidate === to.candidate ? from.percent ?? 0 : 0')
  NEXT_PERCENT=$(field to.percent)
  NUMBERS=$(field "require('$out/numbers.json').numbers.filter(({ rollout }) => rollout?.name === name).map(({ number }) => number).join('\n')")
  checked=0
  # Whoever can read the request can read what it prints, so it does not get the tokens.
  (
    unset GITHUB_TOKEN GITLAB_TOKEN GITLAB_PUSH_TOKEN
    export NAME STACK STABLE CANDIDATE PERCENT NEXT_PERCENT NUMBERS
    exec sh "$here/check.sh"
  ) > "$out/checked.txt" 2>&1 || checked=$?
  cat "$out/checked.txt"
  if [ "$checked" -ne 0 ]; then
    git checkout --quiet HEAD -- "$file"
    echo "Not promoted: scripts/check.sh ended with $checked. Its output is above. No request was opened." >&2
    # Nobody may merge what an earlier run of the check has let pass.
    requests close "$head" "$out/checked.txt"
    exit 1
  fi
  set -- "$@" "$out/checked.txt"
fi

title=${COMMIT_PREFIX:-}$(head -n 1 "$out/promoted.txt" | cut -c 1-200)
git commit --quiet --message "$title" -- "$file"
git push --quiet --force origin "HEAD:refs/heads/$head"
requests open "$head" "$title" "$@"
