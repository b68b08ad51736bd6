#!/bin/sh
# Applies the program as it stands. What can be applied is applied, whatever fails beside it; then the job fails all the same.
#   STACK                        the stack
#   AGENT_PLATFORM_ACCESS_TOKEN  the platform's token
#   SEND_AGAIN                   a reason: sends a voice or a chat that an earlier run may have sent
#   URGENT                       not empty: leaves such a voice or chat out, and applies the rest
set -eu
PATH="$PWD/node_modules/.bin:$PATH"

# Before: the next `up` forgets some of what a stopped run left pending, and sends a voice or a chat again.
found=0
waits=0
set --
looked=$(agent-platform doctor --stack "$STACK") || found=$?
if [ -n "$looked" ]; then printf '%s\n' "$looked"; fi
if [ -z "$looked" ]; then
  # It could not read the state, or broke off: then nobody knows whether a voice or a chat may have been sent.
  echo "doctor did not say whether a voice or a chat may have been sent before (exit code $found), so \`pulumi up\` could send one again." >&2
  if [ -z "${URGENT:-}" ]; then
    echo "Stopped: nothing was applied. Run this job again." >&2
    exit "$((found == 0 ? 1 : found))"
  fi
  echo "The rest is applied without voices and chats." >&2
  waits=$((found == 0 ? 1 : found))
  set -- --exclude 'urn:pulumi:**:CommunityVoice::**' --exclude 'urn:pulumi:**:SmsChat::**'
elif [ "$found" -eq 3 ] && [ -n "${SEND_AGAIN:-}" ]; then
  echo "Sent again, although an earlier run may have sent it: $SEND_AGAIN"
elif [ "$found" -eq 3 ]; then
  echo "A voice or a chat may have been sent, and \`pulumi up\` would send it again: do what is said above. If it was not sent, start this job by hand with a reason in \"send_again\" (SEND_AGAIN)." >&2
  if [ -z "${URGENT:-}" ]; then
    echo "Stopped: nothing was applied." >&2
    exit 3
  fi
  echo "The rest is applied without it." >&2
  waits=3
  urns=$(agent-platform doctor --stack "$STACK" --json | node -e '
    const { findings } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
    console.log(findings.flatMap(({ sendsAgain }) => sendsAgain ?? []).join("\n"));')
  # One a line, because the name of a resource may have spaces.
  IFS='
'
  set -f
  for urn in ${urns:?}; do set -- "$@" --exclude "$urn"; done
  set +f
  unset IFS
elif [ "$found" -ne 0 ]; then
  echo "To be settled: see above. Going on."
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
if [ "$applied" -ne 0 ]; then agent-platform doctor --stack "$STACK" || true; fi
if [ "$applied" -ne 0 ]; then exit "$applied"; fi
exit "$waits"
