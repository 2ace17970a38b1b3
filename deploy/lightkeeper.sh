#!/bin/sh
# Runs a command of the server as the service's user and with its settings: lightkeeper help
set -eu
settings=/etc/lightkeeper/lightkeeper.env
[ $# -gt 0 ] || set -- help
if [ "$(id -u)" = 0 ]; then exec runuser -u lightkeeper -- /usr/bin/lightkeeper "$@"; fi
if [ ! -r "$settings" ]; then
  echo "Can't read $settings. Run this command as root." >&2
  exit 1
fi
exec node --env-file="$settings" /usr/lib/lightkeeper/server/dist/main.js "$@"
