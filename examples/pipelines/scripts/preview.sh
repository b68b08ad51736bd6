#!/bin/sh
# Previews the stacks and writes a single report about all of them to report.md, for the reviewers. Sends nothing to the
# platform and needs no access token.
#   STACKS   the stacks, separated by spaces
#   FAIL_ON  the changes that fail the check, such as "delete,replace,shift=25,sms"; if empty, only preview errors do
#   LABELS   the request's labels, separated by commas; number-removal allows delete and replace, sends-sms allows sms
#   INSTALL  the command that installs the project's packages; if empty, npm ci
set -eu
: "${STACKS:?Name the stacks, such as STACKS=\"dev prod\"}"

# Turn off Git hooks such as husky's, which are meant for people.
git() { command git -c core.hooksPath=/dev/null "$@"; }

gates=
for gate in $(printf %s "${FAIL_ON:-}" | tr , ' '); do
  case "$gate:,${LABELS:-}," in
    delete:*,number-removal,* | replace:*,number-removal,* | sms:*,sends-sms,*) ;;
    *) gates=$gates${gates:+,}$gate ;;
  esac
done

# Replace the comment even without a report, because the report on an earlier push no longer applies.
no_report() {
  printf '### ❌ No report: %s\n' "$1" > report.md
  cat report.md
}

# GitHub checks out the branch merged with its target, but GitLab checks out only the branch. Merge them here, because
# the report should show what the merge would change.
target=${CI_MERGE_REQUEST_TARGET_BRANCH_NAME:-}
if [ -n "$target" ]; then
  if ! git fetch --quiet origin "$target"; then
    no_report "origin did not say what \`$target\` has now. Run the job again."
    exit 1
  fi
  if ! git merge --quiet --squash FETCH_HEAD; then
    lacks=$(git log --format='    %h %s' --max-count=20 HEAD..FETCH_HEAD -- .)
    no_report "this branch conflicts with \`$target\`. Rebase it. It lacks these commits in this folder:

$lacks"
    exit 1
  fi
  git diff --quiet HEAD -- ':(top,glob)**/*-lock.*' ':(top,glob)**/*.lock' ':(top,glob)**/*.lockb' ':(top,glob)**/npm-shrinkwrap.json' || sh -ec "${INSTALL:-npm ci}"
fi

previewed=0
failed=
set --
for stack in $STACKS; do
  # With Pulumi Cloud, the stack may be given as organization/project/stack.
  file=preview.${stack##*/}.json
  # Include unchanged resources, because only they show a number that moves between stacks or a changed resource option.
  # Include the steps of replacements, because only they show a replaced resource whose delete failed in an earlier run.
  pulumi preview --stack "$stack" --json --show-sames --show-replacement-steps --non-interactive > "$file" || { previewed=$?; failed="$failed \`$stack\`"; }
  set -- "$@" "$file"
done

# Make a report even if a preview failed, because the report says which guard stopped it.
reported=0
npx --no-install pulumi-agent-platform report "$@" ${gates:+"--fail-on=$gates"} > report.md || reported=$?
if [ -s report.md ]; then cat report.md; else no_report "${failed:+the preview of$failed failed. }The job says why."; fi

if [ "$previewed" -ne 0 ]; then exit "$previewed"; fi
exit "$reported"
