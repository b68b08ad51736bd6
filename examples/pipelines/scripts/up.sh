#!/bin/sh
# Applies the program as it stands. What can be applied is applied, whatever fails beside it; then the job fails all the same.
#   STACK                        the stack
#   AGENT_PLATFORM_ACCESS_TOKEN  the platform's token
#   SEND_AGAIN                   a reason: goes on, although an earlier run may have sent a voice or a chat
#   URGENT                       not empty: if there is one, leaves all voices and chats out, and applies the rest
set -eu
here=$(dirname "$0")
sh "$here/needs.sh" "$0" STACK

# Before: the next `up` forgets some of what a stopped run left pending, and on another machine it sends a voice or a chat again.
found=0
looked=$(npx --no-install pulumi-agent-platform doctor --stack "$STACK") || found=$?
if [ -n "$looked" ]; then printf '%s\n' "$looked"; fi
unsure=
if [ -z "$looked" ]; then
  # It could not read the state, or broke off: then nobody knows whether a voice or a chat may have been sent.
  unsure="doctor did not say whether a voice or a chat may have been sent before (exit code $found), so \`pulumi up\` could send one again. Run this job again."
elif [ "$found" -eq 3 ] && [ -n "${SEND_AGAIN:-}" ]; then
  # What this machine knows of is saved as unresolved (AGP-041), and sent only with `retryUnresolved`.
  echo "Going on, although an earlier run may have sent a voice or a chat: $SEND_AGAIN"
elif [ "$found" -eq 3 ]; then
  unsure="A voice or a chat may have been sent, and \`pulumi up\` would send it again: do what is said above. If none was sent, start this job by hand with a reason in \"send_again\" (SEND_AGAIN)."
elif [ "$found" -ne 0 ]; then
  echo "There are problems: see above. Going on."
fi

waits=0
set --
if [ -n "$unsure" ]; then
  waits=$((found == 0 ? 1 : found))
  echo "$unsure" >&2
  if [ -z "${URGENT:-}" ]; then
    echo "Stopped: nothing was applied." >&2
    exit "$waits"
  fi
  echo "The rest is applied without voices and chats." >&2
  set -- --exclude 'urn:pulumi:**:CommunityVoice::**' --exclude 'urn:pulumi:**:SmsChat::**'
fi

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
pulumi up --stack "$STACK" --yes --skip-preview $going_on --non-interactive "$@" || applied=$?

# After: what is not applied, and what to do.
if [ "$applied" -ne 0 ]; then npx --no-install pulumi-agent-platform doctor --stack "$STACK" || true; fi
if [ "$applied" -ne 0 ]; then exit "$applied"; fi
exit "$waits"
