#!/bin/sh
# Brings a change that is applied already to BRANCH, by the rules of the repository: its hooks, its signature, its protection.
# If they refuse it, it says how to bring it there, and ends with exit code 3.
#   branch.sh <name if the host names nobody> <the commit of made.sh, or nothing> <the changed file or folder> <commands that make the change>
#             <options of git commit>
set -eu
here=$(dirname "$0")
name=$1 made=$2 changed=$3 commands=$4
shift 4

# The same again, so that it stays the same commit if no hook changes it.
commit() {
  date=$(git show --no-patch --format=%cI "$made")
  git reset --quiet --soft "$made^" || return
  git diff-tree -r -z --no-commit-id --name-only "$made" |
    GIT_COMMITTER_DATE=$date sh "$here/git-as.sh" "$name" -C "$(git rev-parse --show-toplevel)" \
      commit --quiet --reuse-message "$made" "$@" --pathspec-from-file=- --pathspec-file-nul
}

pushed=0
if [ -n "$made" ]; then
  { commit "$@" && sh "$here/push.sh"; } || pushed=$?
else
  { git fetch --quiet origin "$BRANCH" && git diff --quiet FETCH_HEAD -- "$changed"; } || pushed=$?
fi
case $pushed in 0 | 3) exit "$pushed" ;; esac
echo "$BRANCH does not have this change, so the next deployment undoes it. In a clone of $BRANCH, run:" >&2
echo "git pull && $commands && git push" >&2
exit 3
