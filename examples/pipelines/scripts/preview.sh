#!/bin/sh
# Previews the stacks and writes report.md, one report over all of them, for the reviewers. It sends nothing to the platform and needs no access token.
#   STACKS   the stacks, separated by spaces
#   FAIL_ON  what turns the check red, such as "delete,replace,shift=25,sms". Empty: only a failing preview
#   LABELS   the request's labels, separated by commas. number-removal lifts delete and replace, sends-sms lifts sms
#   INSTALL  installs the project's packages. Empty: npm ci
set -eu
: "${STACKS:?Name the stacks, such as STACKS=\"dev prod\"}"

# Hooks such as husky's are meant for people.
git() { command git -c core.hooksPath=/dev/null "$@"; }

gates=
for gate in $(printf %s "${FAIL_ON:-}" | tr , ' '); do
  case "$gate:,${LABELS:-}," in
    delete:*,number-removal,* | replace:*,number-removal,* | sms:*,sends-sms,*) ;;
    *) gates=$gates${gates:+,}$gate ;;
  esac
done

# The comment is replaced, because the report of an earlier push is no longer true.
no_report() {
  printf '### ❌ No report: %s\n' "$1" > report.md
  cat report.md
}

# GitLab checks out the branch alone, and GitHub the merge with the target. What the merge would do is what counts.
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
  # With Pulumi Cloud a stack may be named as organization/project/stack.
  file=preview.${stack##*/}.json
  # With what stays the same: a number that moves between stacks and a resource option that changes are shown only there.
  # With the steps of replacements: an original whose delete failed in an earlier run is shown only there.
  pulumi preview --stack "$stack" --json --show-sames --show-replacement-steps --non-interactive > "$file" || { previewed=$?; failed="$failed \`$stack\`"; }
  set -- "$@" "$file"
done

# The report of a preview that failed says which guard stopped it.
reported=0
npx --no-install pulumi-agent-platform report "$@" ${gates:+"--fail-on=$gates"} > report.md || reported=$?
if [ -s report.md ]; then cat report.md; else no_report "${failed:+the preview of$failed failed. }The job says why."; fi

if [ "$previewed" -ne 0 ]; then exit "$previewed"; fi
exit "$reported"
