#!/bin/sh
# Aborts a rollout because its new version is bad: all calls go to the stable agent again. Sends this to the platform
# first, and then commits the change to BRANCH.
#   STACK   the stack
#   BRANCH  the branch that is deployed
#   NAME    the rollout; if empty, the stack's only one
#   TO      another approved agent to send all calls to; if empty, the stable one
#   COMMIT_PREFIX  the beginning of the commit message, if your server enforces a format, such as "chore(phones): "
#   INSTALL        the command that installs the project's packages; if empty, npm ci. It is only printed, as part of the
#                  instructions for a refused push
#   AGENT_PLATFORM_ACCESS_TOKEN  the platform's access token
#   AGENT_PLATFORM_BYPASS        if a freeze is set, the reason to bypass all guards in this run
set -eu
: "${STACK:?Name the stack, such as STACK=prod}" "${BRANCH:?Name the branch, such as BRANCH=main}"

# Turn off Git hooks such as husky's. They are meant for people and must not keep this commit off the branch.
git() { command git -c core.hooksPath=/dev/null "$@"; }

# A freeze also refuses an abort. Stop now, so that no abort is committed that was never applied.
frozen=$(pulumi config get --stack "$STACK" agent-platform:freeze 2> /dev/null) || frozen=
if [ -n "$frozen" ] && [ -z "${AGENT_PLATFORM_BYPASS:-}" ]; then
  echo "Stopped: the stack is frozen: $frozen. Nothing was changed. To abort anyway, give a reason in \"bypass\" (AGENT_PLATFORM_BYPASS)." >&2
  exit 1
fi

# This job succeeds only if every number was assigned to the stable agent. The changed config is pushed in any case.
aborted=0
npx --no-install pulumi-agent-platform abort --stack="$STACK" ${TO:+"--to=$TO"} --up --yes ${NAME:+-- "$NAME"} || aborted=$?

# Commit only the stack's config, because an install may have changed other files, such as package.json.
file=":(top,glob)**/Pulumi.${STACK##*/}.yaml"
if git diff --quiet -- "$file"; then exit "$aborted"; fi

# Push one commit on top of the branch's latest one. Tell GitLab not to start a pipeline for it, because this job has
# already applied the change.
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

git -c core.hooksPath=/dev/null fetch origin &&
git -c core.hooksPath=/dev/null switch --create "abort-${STACK##*/}-$(date -u +%Y%m%d-%H%M%S)" "origin/$BRANCH" &&
${INSTALL:-npm ci} &&
npx pulumi-agent-platform abort $again &&
git -c core.hooksPath=/dev/null commit --message "$title" -- "$file" &&
git -c core.hooksPath=/dev/null push origin HEAD

Then merge that branch.
END
exit "$((aborted == 0 ? 1 : aborted))"
