#!/bin/sh
# Deploys the stack, but only if the changes are those that were reviewed. Together, two merged requests can result in
# changes that nobody has reviewed.
#   STACK       the stack
#   BRANCH      the branch that is deployed
#   EXPECT      the digest of the reviewed report; if empty, the one in the comment on the merged request
#   SEND_AGAIN  the reason to continue although an earlier run may have added a voice, started a chat or changed numbers
#   AGENT_PLATFORM_ACCESS_TOKEN  the platform's access token
set -eu
here=$(dirname "$0")
: "${STACK:?Name the stack, such as STACK=prod}" "${BRANCH:?Name the branch, such as BRANCH=main}"

# Turn off Git hooks such as husky's, which are meant for people.
git() { command git -c core.hooksPath=/dev/null "$@"; }

stop() {
  echo "Stopped: nothing was applied. $2" >&2
  exit "$1"
}

# If this job had to wait or was restarted, its commit may have been reverted in the meantime. Its digest would still
# match, so compare the files.
git fetch --quiet origin "$BRANCH" || stop 1 "origin did not say what $BRANCH has now. Run this job again."
git diff --quiet HEAD FETCH_HEAD -- . || stop 1 "$BRANCH has other files here than this commit, which was taken back or changed since. Start a deployment of $BRANCH."

# Look for operations that a stopped run left pending, because the next `up` may add a voice or start a chat again.
found=0
looked=$(npx --no-install pulumi-agent-platform doctor --stack="$STACK") || found=$?
[ -n "$looked" ] || stop 1 "doctor did not say whether an earlier run may have added a voice or started a chat (exit code $found). Run this job again."
printf '%s\n' "$looked"
if [ "$found" -eq 3 ]; then
  [ -n "${SEND_AGAIN:-}" ] || stop 3 "An earlier run may have added a voice or started a chat, and \`pulumi up\` would add it or send its SMS again. Follow the steps above. If the voice or chat exists, merge a change that sets \`adopt\`. Then start this job manually with a reason in \"send_again\" (SEND_AGAIN). If this job keeps stopping, run \`pulumi refresh --clear-pending-creates --stack $STACK\` once the voice or chat is in the state, or once you have looked for it and the program no longer declares it."
  echo "Continuing although an earlier run may have added a voice or started a chat: $SEND_AGAIN"
fi

previewed=0
# Use the same options as preview.sh, which made the reviewed report.
pulumi preview --stack "$STACK" --json --show-sames --show-replacement-steps --non-interactive > preview.json || previewed=$?
report() { npx --no-install pulumi-agent-platform report preview.json "$@"; }
if [ "$previewed" -ne 0 ]; then
  # The report says which guard stopped the preview.
  report || true
  exit "$previewed"
fi

report --json > report.json

if [ "$found" -ne 0 ]; then
  npx --no-install pulumi-agent-platform doctor --json --stack="$STACK" > doctor.json || true
  # If the last deployment failed for an unknown reason, such as a killed provider, it may have sent an SMS already.
  again=$(node -p '
    const isSent = require("./report.json").facts.some(({ condition }) => ["sms", "voice"].includes(condition));
    const isUnexplained = require("./doctor.json").findings.some((finding) => finding.isUnexplained);
    isSent && isUnexplained ? "again" : ""') || stop 1 "doctor did not say whether the last deployment may have sent an SMS. Run this job again."
  [ -z "$again" ] || [ -n "${SEND_AGAIN:-}" ] || stop 3 "The state does not say why the last run failed, so read its log. If the log says EOF or \"transport is closing\", this deployment may add a voice or send an SMS a second time: look for the voice or chat in the web application. If the voice or chat exists, merge a change that sets \`adopt\`. In every case, then start this job manually with a reason in \"send_again\" (SEND_AGAIN)."
  # If the change of a stopped run was reverted, `pulumi up` would send nothing to the numbers that the run may have
  # changed, and remove the record of that run.
  left=$(node -p '
    const { findings } = require("./doctor.json");
    const { sentNumbers } = require("./report.json");
    const stopped = findings.filter(({ help }) => help === "killed-run").flatMap(({ numbers = [] }) => numbers);
    const left = stopped.filter((number) => !sentNumbers.includes(number));
    left.slice(0, 4).join(", ") + (left.length > 4 ? " and more" : "")') || stop 1 "doctor did not say which numbers a stopped run may have changed. Run this job again."
  [ -z "$left" ] || [ -n "${SEND_AGAIN:-}" ] || stop 3 "A stopped run may have changed these numbers, and \`pulumi up\` would send nothing to them: $left. Follow the steps above: to send their routing again, merge a change of \`triggers\`. If callers reach the right agents, start this job manually with a reason in \"send_again\" (SEND_AGAIN). If this job keeps stopping, run \`pulumi refresh --clear-pending-creates --stack $STACK\`, which removes Pulumi's record of stopped creates."
fi

# If the stack doesn't change, there is nothing to review, so don't expect a digest.
set --
if [ "$(node -p 'String(require("./report.json").isUnchanged)')" != true ]; then
  if [ -z "${EXPECT:-}" ]; then EXPECT=$(NODE_USE_ENV_PROXY=1 node "$here/comment.mjs" digest); fi
  set -- --expect="$EXPECT"
fi
reported=0
report "$@" > report.md || reported=$?
cat report.md
if [ "$reported" -ne 0 ]; then
  stop "$reported" "This is not what was reviewed (digest $EXPECT). Read the report above, then start this job manually with its digest."
fi

# Don't use --continue-on-error, so that the first failure ends the run. With some versions of the SDK, a run that
# continues never declares the resources that depend on a failed one.
applied=0
pulumi up --stack "$STACK" --yes --skip-preview --non-interactive || applied=$?

# Print what was not applied, and what to do about it.
if [ "$applied" -ne 0 ]; then npx --no-install pulumi-agent-platform doctor --stack="$STACK" || true; fi
# Write a page that shows the stack's current state. If this fails, the result of the deployment stays the same.
npx --no-install pulumi-agent-platform board --stack="$STACK" --output board.html || echo "There is no page of this deployment: see above."
exit "$applied"
