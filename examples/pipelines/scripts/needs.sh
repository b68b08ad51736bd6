#!/bin/sh
# Ends with one sentence and the whole command if one of these variables is not set: needs.sh <the script> <NAME>… A pipeline sets them all.
set -eu
script=$1 line= isMissing=
shift
for name in "$@"; do
  eval "value=\${$name:-}"
  case $value in *[!A-Za-z0-9_./-]*) value="\"$value\"" ;; esac
  if [ -z "$value" ]; then
    isMissing=1
    case $name in
      STACK) value=dev ;;
      STACKS) value='"dev prod"' ;;
      PROJECT) value=phones ;;
      BRANCH) value=main ;;
      OPERATION) value=abort ;;
      COMMIT) value='<commit>' ;;
      MARK) value='"run 1"' ;;
    esac
  fi
  line="$line $name=$value"
done
if [ -n "$isMissing" ]; then echo "${script##*/} needs this, such as:$line sh $script" >&2; exit 2; fi
