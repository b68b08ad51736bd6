#!/bin/sh
# One promotion of promote.sh: its branch begins at the commit that is checked out.
#   STACK, BRANCH, NAME, TO, AFTER, MIN_SOAK, CHECK  as promote.sh has them
set -eu
PATH="$PWD/node_modules/.bin:$PATH"
here=$(dirname "$0")

set -- --stack "$STACK" --json
if [ -n "${TO:-}" ]; then set -- "$@" --to "$TO"; fi
if [ -n "${AFTER:-}" ]; then set -- "$@" --after "$AFTER"; fi
if [ -n "${MIN_SOAK:-}" ]; then set -- "$@" --min-soak "$MIN_SOAK"; fi
if [ -n "${CHECK:-}" ]; then set -- "$@" --check "$CHECK"; fi
if [ -n "${NAME:-}" ]; then set -- "$@" "$NAME"; fi

promoted=0
agent-platform promote "$@" > promote.json || promoted=$?
# A command that broke off has printed nothing, and has not held anything.
if [ ! -s promote.json ]; then exit "$((promoted == 0 ? 1 : promoted))"; fi
node "$here/comment.mjs" text promote.json
case $promoted in
  0) ;;
  1 | 3) exit 0 ;;
  *) exit "$promoted" ;;
esac

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

# The same promotion waits for its review, or was declined: a schedule does not ask for it again.
if git fetch --quiet origin "$head" 2> /dev/null && git diff --quiet FETCH_HEAD -- "$file" && ! was_merged; then
  echo "The branch $head has this already. Merge its pull request, or delete the branch to have it opened again."
  git checkout --quiet -- "$file"
  exit 0
fi

git add "$file"
sh "$here/git-as.sh" Promote commit --quiet --message "$(node "$here/comment.mjs" title promote.json)"
git push --quiet --force origin "HEAD:refs/heads/$head"
node "$here/comment.mjs" open promote.json
