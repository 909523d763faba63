#!/bin/sh
# Claude Code on the PATH of a browser test: the scripted agent, which gets for a task that the test
# has written a script for that script, so that what people see reads as real work.
here=$(dirname "$0")
if [ "$1" = --version ]; then
  echo "2.0.0 (Claude Code)"
  exit
fi
for task; do :; done
script="$here/../tasks/$(printf '%s\n' "$task" | head -n 1)"
if [ -f "$script" ]; then
  left=$#
  while [ "$left" -gt 1 ]; do
    set -- "$@" "$1"
    shift
    left=$((left - 1))
  done
  shift
  set -- "$@" "$(cat "$script")"
fi
exec "$here/scripted" "$@"
