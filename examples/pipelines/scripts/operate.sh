#!/bin/sh
# What a person starts for one stack, at once and without a review: OPERATION is abort, rollback or reassert.
#   STACK   the stack
#   STACKS  the stacks of the pipelines
#   BRANCH  the branch that is deployed
#   AGENT_PLATFORM_BYPASS  if a freeze is set, the reason to bypass all guards in this run
set -eu
here=$(dirname "$0")
sh "$here/needs.sh" "$0" OPERATION STACK STACKS BRANCH
# Another stack has no environment of its own, with reviewers and with the token.
case " $STACKS " in
  *" $STACK "*) ;;
  *) echo "STACK is \"$STACK\". Name one of: $STACKS." >&2; exit 2 ;;
esac
# What is here is applied and pushed to BRANCH. GitLab checks a commit out, and no branch. A hook may refuse that, and callers wait.
began=$(git symbolic-ref --quiet --short HEAD) || { git checkout --quiet -B "$BRANCH" || true; began=$BRANCH; }
if [ "$began" != "$BRANCH" ]; then echo "Stopped: this is $began. Nothing was changed. Run: git checkout $BRANCH && git pull" >&2; exit 2; fi
# A freeze refuses every way, so the branch must not say that one was taken.
frozen=$(pulumi config get --stack "$STACK" agent-platform:freeze 2> /dev/null) || frozen=
if [ -n "$frozen" ] && [ -z "${AGENT_PLATFORM_BYPASS:-}" ]; then echo "Stopped: the stack is frozen: $frozen. Nothing was changed. To bypass all guards in this run, give \"bypass\" a reason: AGENT_PLATFORM_BYPASS=\"<reason>\"" >&2; exit 1; fi
exec sh "$here/$OPERATION.sh"
