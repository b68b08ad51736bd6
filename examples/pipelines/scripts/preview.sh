#!/bin/sh
# Previews the stacks and writes report.md, one report over all of them, for the reviewers. It sends nothing to the platform and needs no access token.
#   STACKS   the stacks, with spaces between them; empty: STACK alone
#   FAIL_ON  what turns the check red, such as "delete,replace,shift>25"; empty: nothing but a failing preview
set -eu
here=$(dirname "$0")
if [ -z "${STACKS:-}" ]; then sh "$here/needs.sh" "$0" STACK; fi

previewed=0
failed=
set --
for stack in ${STACKS:-$STACK}; do
  # With Pulumi Cloud a stack may be named as organization/project/stack.
  file=preview.${stack##*/}.json
  pulumi preview --stack "$stack" --json --show-sames --non-interactive > "$file" || { previewed=$?; failed="$failed \`$stack\`"; }
  set -- "$@" "$file"
done

# The report of a preview that failed says which guard stopped it.
reported=0
npx --no-install pulumi-agent-platform report "$@" ${FAIL_ON:+--fail-on "$FAIL_ON"} > report.md || reported=$?
# Without a preview of a stack there is no report, and the one of an earlier push is no longer true.
if [ ! -s report.md ]; then echo "### ❌ No report${failed:+: the preview of$failed failed}. The job says why." > report.md; fi
cat report.md
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat report.md >> "$GITHUB_STEP_SUMMARY"; fi

if [ "$previewed" -ne 0 ]; then exit "$previewed"; fi
exit "$reported"
