#!/bin/sh
# Runs git as the person who started the job, so that the commit and Pulumi's history name them: git-as.sh <name if the host names nobody> <arguments of git>
set -eu
name=${GITHUB_ACTOR:-${GITLAB_USER_LOGIN:-$1}}
email=${GITLAB_USER_EMAIL:-automation@users.noreply.invalid}
if [ -n "${GITHUB_ACTOR:-}" ]; then email="${GITHUB_ACTOR_ID:+$GITHUB_ACTOR_ID+}$GITHUB_ACTOR@users.noreply.github.com"; fi
shift
exec git -c user.name="$name" -c user.email="$email" "$@"
