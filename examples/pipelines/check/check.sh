#!/bin/sh
# An example of scripts/check.sh. Compares the share of failed calls between the candidate and the stable agent, in an
# export of call records from your vendor. promote.sh runs it before each step, with the variables NAME, STACK, STABLE,
# CANDIDATE, PERCENT (the current one), NEXT_PERCENT and NUMBERS (one per line). Any exit code except 0 stops the
# promotion and closes the request if one is open. The output is shown in the pull request.
#   EXPORT_URL   the last day's calls, as CSV without quotes: number,agent,version,outcome
#   CHECK_TOKEN  the vendor's token
#   MIN_CALLS    how many calls the candidate must have had (default: 100)
#   MAX_WORSE    by how many percentage points the candidate's share of failed calls may be higher (default: 5)
set -eu
if [ "$PERCENT" = 0 ]; then
  echo "$CANDIDATE starts, so there are no calls to compare."
  exit 0
fi

calls=$(mktemp)
trap 'rm -f "$calls"' EXIT
curl --fail --silent --show-error --header "Authorization: Bearer ${CHECK_TOKEN:-}" "$EXPORT_URL" > "$calls"
printf '%s\n' "$NUMBERS" | awk -F , -v stable="$STABLE" -v candidate="$CANDIDATE" -v least="${MIN_CALLS:-100}" -v worse="${MAX_WORSE:-5}" '
  function share(version) { return calls[version] ? 100 * failed[version] / calls[version] : 0 }
  function row(version) { printf "%s: %d calls, %d failed (%.1f%%)\n", version, calls[version], failed[version], share(version) }
  { sub(/\r$/, "") }
  NR == FNR { isOurs[$1] = 1; next }
  isOurs[$1] { calls[$2 "@" $3]++; if ($4 == "failed") failed[$2 "@" $3]++ }
  END {
    row(stable); row(candidate)
    if (calls[candidate] < least) { print "Fewer than " least " calls say too little."; exit 1 }
    if (share(candidate) - share(stable) > worse) { print "That is more than " worse " percentage points worse."; exit 1 }
  }' - "$calls"
