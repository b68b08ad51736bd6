#!/bin/sh
# Ends with one sentence if one of these variables is not set: needs.sh <the script> <NAME>… A pipeline sets them all.
set -eu
script=$1 line=
shift
for name in "$@"; do
  eval "value=\${$name:-}"
  case ${value:+set}$name in
    set*) ;;
    STACK) line="$line STACK=dev" ;;
    STACKS) line="$line STACKS=\"dev prod\"" ;;
    PROJECT) line="$line PROJECT=phones" ;;
    BRANCH) line="$line BRANCH=main" ;;
    OPERATION) line="$line OPERATION=abort" ;;
    COMMIT) line="$line COMMIT=<commit>" ;;
    MARK) line="$line MARK=\"run 1\"" ;;
  esac
done
if [ -n "$line" ]; then echo "${script##*/} needs this, such as:$line sh $script" >&2; exit 2; fi
