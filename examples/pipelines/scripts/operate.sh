#!/bin/sh
# What a person starts for one stack, at once and without a review: OPERATION is abort, rollback or reassert.
#   STACK   the stack
#   STACKS  the stacks of the pipelines
#   BRANCH  the branch that is deployed
set -eu
# Another stack has no environment of its own, with reviewers and with the token.
case " $STACKS " in
  *" $STACK "*) ;;
  *) echo "STACK is \"$STACK\". Name one of: $STACKS." >&2; exit 2 ;;
esac
# GitLab checks a commit out, and no branch.
git checkout --quiet -B "$BRANCH"
exec sh "$(dirname "$0")/$OPERATION.sh"
