/**
 * The script for `curl … | sudo sh`. Only its last line has an effect, so that an incomplete download does nothing. It
 * checks everything before it changes the system, and replaces each file atomically.
 */
import { SERVICE_UNIT } from "./service-unit.ts";
import { STAGING_FUNCTIONS } from "./staging-functions.ts";

/** Quotes a text as one shell argument. */
export const shellQuote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

export const installScript = (server: string) => `#!/bin/sh
# Installs the Lightkeeper agent on this host and enrolls it:
#   curl -fsSL URL/install.sh | sudo sh -s -- --code CODE
set -eu

server=${shellQuote(server)}
code=
nebula=
is_started=yes
is_uninstalling=no

# For tests: a directory to use instead of /.
root=\${LIGHTKEEPER_ROOT:-}
prefix=$root/usr/local
program=$prefix/bin/lightkeeper-agent
bundle=$prefix/lib/lightkeeper-agent.mjs
state=$root/var/lib/lightkeeper
units=$root/etc/systemd/system
unit=$units/lightkeeper-agent.service

usage() {
  cat <<'END'
Usage: install.sh [--code CODE] [--server URL] [--nebula PATH] [--no-start]
       install.sh --uninstall

  --code CODE    Enroll with this code from the console; without it, an existing enrollment is kept
  --server URL   Server to install from and enroll with
  --nebula PATH  Nebula program to run instead of the one on PATH
  --no-start     Don't start the agent
  --uninstall    Remove the agent and this host's keys
END
}

fail() {
  printf '%s\\n' "$1" >&2
  exit 1
}

has() {
  command -v "$1" >/dev/null 2>&1
}

read_options() {
  while [ $# -gt 0 ]; do
    case $1 in
      --code | --server | --nebula)
        [ $# -gt 1 ] || fail "$1 requires a value."
        set_option "$1" "$2"
        shift
        ;;
      --code=* | --server=* | --nebula=*) set_option "\${1%%=*}" "\${1#*=}" ;;
      --no-start) is_started=no ;;
      --uninstall) is_uninstalling=yes ;;
      --help | -h)
        usage
        exit 0
        ;;
      *) fail "Unknown option: $1. See --help." ;;
    esac
    shift
  done
}

set_option() {
  [ -n "$2" ] || fail "$1 requires a value."
  case $1 in
    --code) code=$2 ;;
    --server) server=\${2%/} ;;
    --nebula) nebula=$2 ;;
  esac
}

check_host() {
  [ "$(uname -s)" = Linux ] || fail "The agent only runs on Linux (this is $(uname -s))."
  [ "$(id -u)" = 0 ] || fail "Run this script as root: sudo sh."
}

check_tools() {
  has curl || has wget || fail "curl or wget is required."
  has sha256sum || has shasum || has openssl ||
    fail "sha256sum, shasum or openssl is required."
}

# The service has a private /tmp and no access to home directories.
is_visible_to_service() {
  case $1 in
    /home/* | /root/* | /run/user/* | /tmp/* | /var/tmp/*) [ -n "$root" ] ;;
    *[!A-Za-z0-9/._+-]* | [!/]*) return 1 ;;
  esac
}

${STAGING_FUNCTIONS}is_enrolled() {
  [ -e "$state/state.json" ] || [ -e "$state/enrollment.json" ]
}

# An existing enrollment has stored the path of its nebula.
find_nebula() {
  if [ -n "$nebula" ]; then
    [ -n "$code" ] || fail "--nebula requires --code."
    [ -x "$nebula" ] || fail "$nebula isn't an executable file."
  elif [ -z "$code" ] && is_enrolled; then
    return
  elif found=$(command -v nebula); then
    case $found in
      /usr/local/sbin/* | /usr/local/bin/* | /usr/sbin/* | /usr/bin/* | /sbin/* | /bin/*) return ;;
    esac
    # Outside the default PATH of services, so the path must be stored.
    nebula=$found
  else
    install_nebula
    return
  fi
  is_visible_to_service "$nebula" ||
    fail "The service can't run $nebula. Move it to a system directory, such as /usr/local/bin/nebula."
}

install_nebula() {
  has apt-get || fail "Nebula isn't installed. Install it with your package manager (such as dnf install nebula) or from https://github.com/slackhq/nebula/releases, or set its path with --nebula PATH."
  echo "Installing Nebula."
  export DEBIAN_FRONTEND=noninteractive
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends nebula; } >"$stage/apt.log" 2>&1 ||
    fail "apt-get can't install Nebula: $(tail -n 1 "$stage/apt.log")"
}

write_unit() {
  cat >"$1" <<'END'
${SERVICE_UNIT}END
}

# Used to restart the agent only if a file has changed.
is_same() {
  [ -e "$1" ] && [ -e "$2" ] && [ "$(digest "$1")" = "$(digest "$2")" ]
}

has_systemd() {
  [ -d "$root/run/systemd/system" ] && has systemctl
}

stage_unit() {
  has_systemd || return 0
  { mkdir -p "$units" && staged_unit=$(mktemp "$units/.lightkeeper-agent.XXXXXX"); } 2>/dev/null ||
    fail "Can't write to $units."
  trap 'rm -rf "$stage" "$staged_unit"' EXIT
  write_unit "$staged_unit"
  chmod 644 "$staged_unit"
}

# The last step that can fail, because a code works only once.
enroll() {
  [ -n "$code" ] || return 0
  set -- --server "$server" --code="$code" --state-dir "$state" --force
  [ -z "$nebula" ] || set -- "$@" --nebula "$nebula"
  run_staged enroll "$@" >"$stage/enroll.log" 2>&1 ||
    fail "$(grep -v '^ ' "$stage/enroll.log" | tail -n 1)"
  grep -v '^To start the agent' "$stage/enroll.log" || true
}

install_agent() {
  is_changed=no
  if [ "$is_bundle" = yes ]; then
    is_same "$stage/lightkeeper-agent.mjs" "$bundle" || is_changed=yes
    mv -f "$stage/lightkeeper-agent.mjs" "$bundle"
  fi
  is_same "$stage/lightkeeper-agent" "$program" || is_changed=yes
  mv -f "$stage/lightkeeper-agent" "$program"
  [ "$is_bundle" = yes ] || rm -f "$bundle"
  if has_systemd; then
    is_same "$staged_unit" "$unit" || is_changed=yes
    mv -f "$staged_unit" "$unit"
  fi
  if has restorecon; then restorecon "$program" "$unit" 2>/dev/null || true; fi
}

start_agent() {
  if ! has_systemd; then
    echo "systemd not found. Start the agent yourself, as root: $program run"
    return
  fi
  systemctl daemon-reload
  systemctl enable --quiet lightkeeper-agent
  if [ "$is_started" = no ]; then
    echo "To start the agent: systemctl start lightkeeper-agent"
  elif ! is_enrolled; then
    echo "Generate a code in the console, then run: lightkeeper-agent enroll --server $server --code CODE && systemctl start lightkeeper-agent"
  elif [ "$is_changed" = yes ]; then
    systemctl restart lightkeeper-agent
  else
    systemctl start lightkeeper-agent
  fi
}

uninstall() {
  if has_systemd && [ -e "$unit" ]; then systemctl disable --quiet --now lightkeeper-agent; fi
  if is_enrolled; then
    [ -x "$program" ] || fail "$program is missing. Install the agent again to remove this host's keys."
    "$program" unenroll --yes --state-dir "$state" || fail "Can't remove the keys in $state."
  fi
  rm -f "$program" "$bundle" "$unit"
  if has_systemd; then systemctl daemon-reload; fi
  echo "Agent removed."
}

main() {
  read_options "$@"
  check_host
  if [ "$is_uninstalling" = yes ]; then
    uninstall
    return
  fi
  check_tools
  stage_agent
  find_nebula
  stage_unit
  enroll
  install_agent
  echo "Installed lightkeeper-agent $("$program" --version)."
  start_agent
}

main "$@" </dev/null
`;
