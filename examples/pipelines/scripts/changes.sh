#!/bin/sh
# Which of the stacks a deployment changes, in their order: nobody is asked about the others. It sends nothing and needs no access token.
#   STACKS  the stacks in the order in which they are deployed
#   STACK   only this one; empty or "all": every one
# GitHub gets the list as the output "stacks" of the step, GitLab a pipeline with a job for each in deploy.gitlab-ci.yml.
set -eu
here=$(dirname "$0")
case "${STACK:-all}" in all) sh "$here/needs.sh" "$0" STACKS; all=$STACKS ;; *) all=$STACK ;; esac

set --
for stack in $all; do
  previewed=0
  # With what stays the same: a resource option that changes is shown only there.
  pulumi preview --stack "$stack" --json --show-sames --non-interactive > preview.json || previewed=$?
  if [ "$previewed" -eq 0 ] && npx --no-install pulumi-agent-platform report preview.json --json > report.json &&
    [ "$(node "$here/comment.mjs" get report.json isUnchanged)" = true ]; then
    echo "$stack: no change"
  else
    # If the preview failed, the deployment says why.
    echo "$stack: changes"
    set -- "$@" "$stack"
  fi
done
echo "To deploy: ${*:-nothing}."
node "$here/comment.mjs" deployments "$@"
