#!/usr/bin/env bash
# ---
# description: Lists the source files of this repository, largest first.
# parameters:
#   limit: {type: integer, default: 10, description: How many to list.}
# ---
set -euo pipefail
limit=10
while [ $# -gt 0 ]; do
  case "$1" in
    --limit) limit=$2; shift 2 ;;
    *) echo "unknown option: $1" >&2; exit 2 ;;
  esac
done
git ls-files -z '*.rs' | xargs -0 wc -l | sort -rn | sed 1d | awk -v limit="$limit" 'NR <= limit'
