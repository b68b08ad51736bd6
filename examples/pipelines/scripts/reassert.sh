#!/bin/sh
# Sends every routing again, for when somebody has changed numbers by hand: the platform cannot be asked what it holds.
# The program passes the config value "reassert" on as `triggers`. A freeze stops this before anything is changed.
#   STACK   the stack
#   BRANCH  the branch that is deployed
#   MARK    a new text each time, such as the number of the pipeline run
set -eu
here=$(dirname "$0")

pulumi config set --stack "$STACK" reassert "$MARK"
# A guard that is closed stops here, before the commit.
pulumi preview --stack "$STACK" --diff --non-interactive

git add "Pulumi.$STACK.yaml"
git -c user.name="Re-assert" -c user.email="re-assert@users.noreply.invalid" commit --quiet --message "Send every routing again ($MARK)"
pushed=0
sh "$here/push.sh" || pushed=$?

sh "$here/up.sh"
exit "$pushed"
