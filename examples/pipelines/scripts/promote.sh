#!/bin/sh
# Gives the candidates of rollouts their next percentage, and opens one pull request with them. It sends nothing to the platform.
# If a promotion has to wait, or if there is nothing to promote, it says so and ends with exit code 0.
#   STACK     only this stack; empty or "all": those of STACKS
#   STACKS    the stacks of the pipelines, with spaces between them
#   PROJECT   the project: the branch has its name
#   BRANCH    the branch that is deployed
#   NAME      the rollout; empty: the one of the stack, of several stacks all
#   CHECK, and of one stack TO and NEW  the options of `promote`; empty: none. NEW is any text: the agent of TO is new, and no typing mistake
set -eu
here=$(dirname "$0")
stack=${STACK:-all}
case $stack in all) sh "$here/needs.sh" "$0" STACKS PROJECT BRANCH ;; *) sh "$here/needs.sh" "$0" PROJECT BRANCH ;; esac
if [ -n "$(git status --porcelain --untracked-files=no)" ]; then echo "Stopped: there are changes in no commit. Nothing was changed. Run: git stash" >&2; exit 2; fi

head=promote/$PROJECT/${stack##*/}
if [ "$stack" = all ]; then stack=$STACKS; fi
set -- --json
for each in $stack; do set -- "$@" --stack "$each"; done
if [ -n "${TO:-}" ]; then set -- "$@" --to "$TO"; fi
if [ -n "${NEW:-}" ]; then set -- "$@" --new; fi
if [ -n "${CHECK:-}" ]; then set -- "$@" --check "$CHECK"; fi
if [ -n "${NAME:-}" ]; then set -- "$@" "$NAME"; fi

# The branch begins at what is deployed, and has no commit of another promotion. At the end, whatever it is, HEAD is where it was.
began=$(git symbolic-ref --quiet --short HEAD || git rev-parse HEAD)
git fetch --quiet origin "$BRANCH"
trap 'git reset --quiet --hard; git checkout --quiet "$began"' EXIT
trap 'exit 130' INT TERM
git checkout --quiet --detach FETCH_HEAD
promoted=0
npx --no-install pulumi-agent-platform promote "$@" > promote.json || promoted=$?
# A command that broke off has printed nothing, and has not held anything.
if [ ! -s promote.json ]; then exit "$((promoted == 0 ? 1 : promoted))"; fi
node "$here/comment.mjs" get promote.json text
if [ "$promoted" -eq 1 ] || [ "$promoted" -eq 3 ]; then exit 0; fi
if [ "$promoted" -ne 0 ]; then exit "$promoted"; fi

node "$here/comment.mjs" files promote.json | git add --pathspec-from-file=-
sh "$here/git-as.sh" Promote commit --quiet --message "$(node "$here/comment.mjs" title promote.json)"
last=$(node "$here/comment.mjs" last "$head")
# The same promotion waits for its review, or was declined: a schedule does not ask for it again. One that was merged was taken back since.
if { [ "$last" = open ] || [ "$last" = closed ]; } && git fetch --quiet origin "$head" 2> /dev/null && git cherry FETCH_HEAD HEAD HEAD^ | grep -q '^-'; then
  echo "The branch $head has this already. Merge its pull request, or delete the branch to have it opened again."
  exit 0
fi
git push --quiet --force origin "HEAD:refs/heads/$head"
node "$here/comment.mjs" open "$head" promote.json
