#!/bin/sh
# Applies the program as it stands. What can be applied is applied, whatever fails beside it; then the job fails all the same.
#   STACK                        the stack
#   AGENT_PLATFORM_ACCESS_TOKEN  the platform's token
set -eu
PATH="$PWD/node_modules/.bin:$PATH"

# Before: what a stopped run left pending is forgotten by the next `up`.
agent-platform doctor --stack "$STACK" || echo "To be settled: see above. Going on."

applied=0
pulumi up --stack "$STACK" --yes --skip-preview --continue-on-error --non-interactive || applied=$?

# After: what is not applied, and what to do.
if [ "$applied" -ne 0 ]; then agent-platform doctor --stack "$STACK" || true; fi
exit "$applied"
