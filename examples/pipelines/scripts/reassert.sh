#!/bin/sh
# Sends every routing again, for when somebody has changed numbers by hand: the platform cannot be asked what they have.
# The program passes the config value "reassert" on as `triggers`. A freeze stops this before anything is changed.
# Beside what operate.sh takes:
#   MARK  a new text each time, such as the number of the pipeline run
set -eu
here=$(dirname "$0")
sh "$here/needs.sh" "$0" STACK MARK BRANCH

# The stack's file: its folder and its ending are those that the project's file says. With Pulumi Cloud a stack may be named as organization/project/stack.
config=":(top,glob)**/Pulumi.${STACK##*/}.y*ml"
pulumi config set --stack "$STACK" reassert "$MARK"
previewed=0
pulumi preview --stack "$STACK" --json --non-interactive > preview.json || previewed=$?
npx --no-install pulumi-agent-platform report preview.json
if [ "$previewed" -ne 0 ]; then exit "$previewed"; fi
npx --no-install pulumi-agent-platform report preview.json --json > report.json
puts=$(node "$here/comment.mjs" get report.json requests.puts)
if [ "$puts" -eq 0 ]; then
  git checkout --quiet -- "$config"
  echo "Stopped: no routing would be sent again. Hand the config value \"reassert\" to \`triggers\` in the program: npx pulumi-agent-platform help pipelines" >&2
  exit 1
fi

made=$(sh "$here/made.sh" Re-assert --message "Send every routing again ($MARK)" -- "$config") || made=
# Before the push, which may put the commit on top of what somebody else has pushed: nobody has asked to apply that.
upped=0
sh "$here/up.sh" || upped=$?

branched=0
sh "$here/branch.sh" Re-assert "$made" "$config" "pulumi config set --stack $STACK reassert \"$MARK\" && git commit --all" || branched=$?
exit "$((upped == 0 ? branched : upped))"
