#!/bin/sh
# Applies the program as it stands. What can be applied is applied, whatever fails beside it; then the job fails all the same.
#   STACK                        the stack
#   AGENT_PLATFORM_ACCESS_TOKEN  the platform's token
set -eu
PATH="$PWD/node_modules/.bin:$PATH"

# Before: the next `up` forgets some of what a stopped run left pending.
agent-platform doctor --stack "$STACK" || echo "To be settled: see above. Going on."

# With an older SDK, a run that continues never declares what depends on a failed resource: its numbers would lose their agents.
going_on=--continue-on-error
if ! node -e '
  let version = "3.252.0";
  try { ({ version } = require("@pulumi/pulumi/package.json")); } catch {}
  process.exit(Number(version.split(".")[1]) < 252 ? 1 : 0)'; then
  echo "The Pulumi SDK here is older than 3.252.0, so this run stops at the first failure. To continue: npm install @pulumi/pulumi@^3.252.0" >&2
  going_on=
fi

applied=0
pulumi up --stack "$STACK" --yes --skip-preview $going_on --non-interactive || applied=$?

# After: what is not applied, and what to do.
if [ "$applied" -ne 0 ]; then agent-platform doctor --stack "$STACK" || true; fi
exit "$applied"
