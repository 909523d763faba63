#!/bin/sh
# Claude Code on the PATH of a browser test: the scripted agent. It runs the script that the test
# wrote for a task, so that the screens look like real work.
here=$(dirname "$0")
if [ "$1" = --version ]; then
  echo "2.0.0 (Claude Code)"
  exit
fi
export FAKE_CLAUDE_TASKS="$here/../tasks"
exec "$here/scripted" "$@"
