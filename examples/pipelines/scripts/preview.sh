#!/bin/sh
# Previews the stack and writes report.md for the reviewers, and report.svg, the same as a picture. It sends nothing to the
# platform and needs no access token.
#   STACK    the stack
#   FAIL_ON  what turns the check red, such as "delete,replace,shift>25"; empty: nothing but a failing preview
set -eu
PATH="$PWD/node_modules/.bin:$PATH"

previewed=0
pulumi preview --stack "$STACK" --json --non-interactive > preview.json || previewed=$?

# The report of a preview that failed says which guard stopped it.
reported=0
agent-platform report preview.json ${FAIL_ON:+--fail-on "$FAIL_ON"} > report.md || reported=$?
cat report.md
# What is to be decided is decided above: the picture decides nothing.
agent-platform report preview.json --format svg --output report.svg || true

if [ "$previewed" -ne 0 ]; then exit "$previewed"; fi
exit "$reported"
