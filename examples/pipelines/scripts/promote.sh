#!/bin/sh
# Gives a rollout's candidate its next percentage on a separate branch, and opens a request (a pull request or merge
# request) for that branch. Sends nothing to the platform.
#   STACK    the stack
#   PROJECT  the project; part of the branch's name
#   BRANCH   the branch that is deployed
#   NAME     the rollout; if empty, the stack's only one
#   TO       the agent to start a rollout of; if empty, the current rollout continues
#   COMMIT_PREFIX  the beginning of the commit message and of the request's title, if your server enforces a format,
#                  such as "chore(phones): "
# If check.sh is next to this script, it runs first. If it fails, nothing is promoted, and the branch's open request is
# closed. See "A check before each step" in the guide to pipelines.
set -eu
here=$(dirname "$0")
: "${STACK:?Name the stack, such as STACK=prod}" "${PROJECT:?Name the project, such as PROJECT=phones}" "${BRANCH:?Name the branch, such as BRANCH=main}"
head=promote/$PROJECT/${STACK##*/}${NAME:+-$NAME}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# Turn off Git hooks such as husky's. They are meant for people and must not stop the pipeline's own commit.
git() { command git -c core.hooksPath=/dev/null "$@"; }
requests() { NODE_USE_ENV_PROXY=1 node "$here/comment.mjs" "$@"; }

# Start from the latest commit of the deployed branch.
git fetch --quiet origin "$BRANCH"
git checkout --quiet --detach FETCH_HEAD
promoted=0
npx --no-install pulumi-agent-platform promote --stack="$STACK" ${TO:+"--to=$TO"} --json ${NAME:+-- "$NAME"} > "$out/promoted.json" || promoted=$?
field() { node -p "const { name, text, from, to } = require('$out/promoted.json'); $1"; }
if [ -s "$out/promoted.json" ]; then field text | tee "$out/promoted.txt"; fi
# With exit code 1, the rollout has to wait. With 3, there is nothing to promote, which doesn't fail a scheduled run.
# Nothing was changed in either case.
if [ "$promoted" -eq 3 ] && [ "${GITHUB_EVENT_NAME:-}${CI_PIPELINE_SOURCE:-}" = schedule ]; then exit 0; fi
if [ "$promoted" -ne 0 ]; then exit "$promoted"; fi
# Commit only the stack's config, because an install may have changed other files, such as package.json.
file=":(top,glob)**/Pulumi.${STACK##*/}.yaml"

set -- "$out/promoted.txt"
if [ -f "$here/check.sh" ]; then
  npx --no-install pulumi-agent-platform show --stack="$STACK" --json > "$out/numbers.json"
  NAME=$(field name)
  STABLE=$(field to.stable)
  CANDIDATE=$(field to.candidate)
  # The candidate's current percentage, which is 0 when the rollout starts.
  PERCENT=$(field 'from.candidate === to.candidate ? from.percent ?? 0 : 0')
  NEXT_PERCENT=$(field to.percent)
  NUMBERS=$(field "require('$out/numbers.json').numbers.filter(({ rollout }) => rollout?.name === name).map(({ number }) => number).join('\n')")
  checked=0
  # Don't pass the tokens to the check, because everyone who can read the request can read the check's output.
  (
    unset GITHUB_TOKEN GITLAB_TOKEN GITLAB_PUSH_TOKEN
    export NAME STACK STABLE CANDIDATE PERCENT NEXT_PERCENT NUMBERS
    exec sh "$here/check.sh"
  ) > "$out/checked.txt" 2>&1 || checked=$?
  cat "$out/checked.txt"
  if [ "$checked" -ne 0 ]; then
    git checkout --quiet HEAD -- "$file"
    echo "Not promoted: scripts/check.sh ended with $checked. Its output is above. No request was opened." >&2
    # Close the request, so that nobody merges it because an earlier check passed.
    requests close "$head" "$out/checked.txt"
    exit 1
  fi
  set -- "$@" "$out/checked.txt"
fi

title=${COMMIT_PREFIX:-}$(head -n 1 "$out/promoted.txt" | cut -c 1-200)
git commit --quiet --message "$title" -- "$file"
git push --quiet --force origin "HEAD:refs/heads/$head"
requests open "$head" "$title" "$@"
