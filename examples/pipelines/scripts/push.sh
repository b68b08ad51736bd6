#!/bin/sh
# Pushes the commit at HEAD to BRANCH, after it was applied. If somebody has pushed meanwhile, it goes on top of that. If it cannot, as with a
# protected branch, it goes to a branch of its own, for a pull request: exit code 3.
set -eu
# The job itself applies what it pushes: GitLab starts no second pipeline for that commit.
push() { git push --quiet ${GITLAB_CI:+--push-option=ci.skip} origin "HEAD:$1"; }
if push "$BRANCH"; then exit 0; fi
if git fetch --quiet origin "$BRANCH" && ! git merge-base --is-ancestor FETCH_HEAD HEAD; then
  if sh "$(dirname "$0")/git-as.sh" Pipeline rebase --quiet --autostash FETCH_HEAD; then
    if push "$BRANCH"; then exit 0; fi
  else
    git rebase --abort || true
  fi
fi
aside="automation/$(git rev-parse --short HEAD)"
push "refs/heads/$aside"
echo "$BRANCH is protected, or somebody has changed the same there: the commit is on $aside. Merge it, or the next deployment undoes it." >&2
exit 3
