#!/bin/sh
# The pull request of one stack, from what promote.sh has written to promote.json: its branch begins at the commit that is checked out.
#   STACK   the stack
#   BRANCH  the branch that is deployed
set -eu
here=$(dirname "$0")

head=$(node "$here/comment.mjs" branch promote.json)
file=$(node "$here/comment.mjs" file promote.json)
# Has the deployed branch had the file as the promotion's branch has it, since that began? Then the promotion was merged, and taken back.
was_merged() {
  if git merge-base --is-ancestor FETCH_HEAD HEAD; then return 0; fi
  begin=$(git merge-base FETCH_HEAD HEAD) || return 1
  for commit in $(git rev-list "$begin..HEAD" -- "$file"); do
    if git diff --quiet "$commit" FETCH_HEAD -- "$file"; then return 0; fi
  done
  return 1
}

former=
if git fetch --quiet origin "$head" 2> /dev/null; then former=$(git rev-parse FETCH_HEAD); fi
# The same promotion waits for its review, or was declined: a schedule does not ask for it again.
if [ -n "$former" ] && git diff --quiet FETCH_HEAD -- "$file" && ! was_merged; then
  echo "The branch $head has this already. Merge its pull request, or delete the branch to have it opened again."
  git checkout --quiet -- "$file"
  exit 0
fi

git add "$file"
sh "$here/git-as.sh" Promote commit --quiet --message "$(node "$here/comment.mjs" title promote.json)"
git push --quiet --force origin "HEAD:refs/heads/$head"
if ! node "$here/comment.mjs" open promote.json; then
  # The branch is as it was, or goes: the next run would take it for one that waits for its review.
  git push --quiet --force origin "$former:refs/heads/$head"
  exit 1
fi
