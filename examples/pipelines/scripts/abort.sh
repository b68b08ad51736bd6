#!/bin/sh
# A version is bad: give the stable agent all calls again. Callers get that first, then BRANCH gets the change.
#   STACK   the stack
#   BRANCH  the branch that is deployed
#   NAME    the rollout. Empty: the stack's only one
#   TO      another approved agent that gets all calls. Empty: the stable one
#   COMMIT_PREFIX  starts the commit message, if your server enforces a form, such as "chore(phones): "
#   INSTALL        installs the project's packages, for the commands printed if the push is refused. Empty: npm ci
#   AGENT_PLATFORM_ACCESS_TOKEN  the platform's token
#   AGENT_PLATFORM_BYPASS        if a freeze is set, the reason to bypass all guards in this run
set -eu
: "${STACK:?Name the stack, such as STACK=prod}" "${BRANCH:?Name the branch, such as BRANCH=main}"

# Hooks such as husky's are meant for people. They must not keep this commit off the branch.
git() { command git -c core.hooksPath=/dev/null "$@"; }

# A freeze stops an abort too, so the branch must not say that there was one.
frozen=$(pulumi config get --stack "$STACK" agent-platform:freeze 2> /dev/null) || frozen=
if [ -n "$frozen" ] && [ -z "${AGENT_PLATFORM_BYPASS:-}" ]; then
  echo "Stopped: the stack is frozen: $frozen. Nothing was changed. To abort anyway, give a reason in \"bypass\" (AGENT_PLATFORM_BYPASS)." >&2
  exit 1
fi

# Green only if every number has the stable agent. What was written goes to the branch in any case.
aborted=0
npx --no-install pulumi-agent-platform abort --stack="$STACK" ${TO:+"--to=$TO"} --up --yes ${NAME:+-- "$NAME"} || aborted=$?

# Only the stack's file: an install may have changed others, such as package.json.
file=":(top,glob)**/Pulumi.${STACK##*/}.yaml"
if git diff --quiet -- "$file"; then exit "$aborted"; fi

# One commit on top of the branch's latest state. This job has already applied it, so GitLab starts no pipeline for it.
title="${COMMIT_PREFIX:-}Abort${NAME:+ $NAME} in $STACK"
publish() {
  git checkout --quiet --detach &&
    git commit --quiet --message "$title" -- "$file" &&
    git fetch --quiet origin "$BRANCH" &&
    git rebase --quiet --autostash --onto FETCH_HEAD HEAD^ > /dev/null &&
    git push --quiet ${GITLAB_CI:+--push-option=ci.skip} origin "HEAD:$BRANCH"
}
if publish; then exit "$aborted"; fi
again="--stack \"$STACK\""
if [ -n "${TO:-}" ]; then again="$again --to \"$TO\""; fi
if [ -n "${NAME:-}" ]; then again="$again -- \"$NAME\""; fi
cat >&2 << END
$BRANCH does not have this abort, so its next deployment would give the candidate calls again.
In a clone, log in to the stack's backend (pulumi login) and run in the project's folder:

git -c core.hooksPath=/dev/null fetch origin
git -c core.hooksPath=/dev/null switch --create "abort-${STACK##*/}" "origin/$BRANCH"
${INSTALL:-npm ci}
npx pulumi-agent-platform abort $again
git -c core.hooksPath=/dev/null commit --message "$title" -- "$file"
git -c core.hooksPath=/dev/null push origin HEAD

Then merge that branch.
END
exit "$((aborted == 0 ? 1 : aborted))"
