#!/bin/sh
# Claude Code on the PATH of a browser test: the scripted agent, which does for a task that the test
# has written a script for what that script says, so that what people see reads as real work.
here=$(dirname "$0")
if [ "$1" = --version ]; then
  echo "2.0.0 (Claude Code)"
  exit
fi
export FAKE_CLAUDE_TASKS="$here/../tasks"
exec "$here/scripted" "$@"
