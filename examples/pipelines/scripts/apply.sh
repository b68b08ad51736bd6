#!/bin/sh
# Applies what was reviewed, or stops: two merged pull requests can add up to a third change that nobody has read.
#   STACK   the stack
#   BRANCH  the branch that is deployed
#   STACKS  those of the pipelines, for the page; empty: STACK alone
#   EXPECT  the digest of the report that was reviewed; without it, the one in the comment of the merged pull request
set -eu
here=$(dirname "$0")
sh "$here/needs.sh" "$0" STACK BRANCH

# A job that waited, or that is started again, may be of a commit that was taken back since, and its digest is right all the same.
# If nobody can say what the branch has, nothing is applied: callers keep what they have, and an abort does not ask.
if ! git fetch --quiet origin "$BRANCH"; then
  echo "Stopped: nothing was applied, because origin did not say what $BRANCH has now. Run this job again." >&2
  exit 1
fi
if ! git diff --quiet HEAD FETCH_HEAD -- .; then
  echo "Stopped: nothing was applied. $BRANCH has other files here than this commit: it was taken back, or changed since. Start a deployment of $BRANCH." >&2
  exit 1
fi

if [ -z "${EXPECT:-}" ]; then EXPECT=$(node "$here/comment.mjs" digest); fi

previewed=0
# With what stays the same, as in the review: a resource option that changes is shown only there.
pulumi preview --stack "$STACK" --json --show-sames --non-interactive > preview.json || previewed=$?

reported=0
npx --no-install pulumi-agent-platform report preview.json --expect "$EXPECT" > report.md || reported=$?
cat report.md
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat report.md >> "$GITHUB_STEP_SUMMARY"; fi

if [ "$previewed" -ne 0 ]; then exit "$previewed"; fi
if [ "$reported" -ne 0 ]; then
  echo "Not applied: this is not what was reviewed (digest $EXPECT). Read the report above, then run this job with its digest." >&2
  exit "$reported"
fi

applied=0
sh "$here/up.sh" || applied=$?

# What the stacks have now, as a page. If it cannot be made, the deployment is as it is.
set --
for each in ${STACKS:-$STACK}; do set -- "$@" --stack "$each"; done
npx --no-install pulumi-agent-platform board "$@" --output board.html || echo "There is no page of this deployment: see above."
exit "$applied"
