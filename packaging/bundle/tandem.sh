#!/bin/sh
# The command of Homebrew's cask, which is a link to this file. By a link to the program itself, it would have no bundle,
# and so neither its name nor the permissions that macOS gives to Tandem.app.
app=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
if [ $# -eq 0 ]; then
  exec open "$app"
fi
exec "$app/Contents/MacOS/Tandem" "$@"
