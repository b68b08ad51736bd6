#!/bin/sh
# Pushes the commit at HEAD to BRANCH. If that is protected, or somebody has pushed meanwhile, it goes to a branch of its own, for a pull request: exit code 3.
set -eu
# The job itself applies what it pushes: GitLab starts no second pipeline for that commit.
if git push ${GITLAB_CI:+--push-option=ci.skip} origin "HEAD:$BRANCH"; then exit 0; fi
aside="automation/$(git rev-parse --short HEAD)"
git push origin "HEAD:refs/heads/$aside"
echo "$BRANCH is protected, or somebody has pushed to it meanwhile: the commit is on $aside. Merge it, or the next deployment undoes it." >&2
exit 3
