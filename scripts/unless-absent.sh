#!/usr/bin/env bash
# Runs a command: that it says what it needs is absent (3) fails nothing.
"$@"
code=$?
[ $code = 3 ] && exit 0
exit $code
