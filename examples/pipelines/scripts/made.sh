#!/bin/sh
# Makes the commit of a change that callers wait for, and prints it, so that Pulumi's history names it and who started the job.
# No hook and no signature can stop this commit. It is not pushed: branch.sh makes it again, by the rules of the repository.
#   made.sh <name if the host names nobody> <arguments of git commit>
set -eu
name=$1
shift
sh "$(dirname "$0")/git-as.sh" "$name" -c core.hooksPath=/dev/null -c commit.gpgSign=false commit --quiet "$@" >&2
git rev-parse HEAD
