/** The part of the install script that reads its options and reports problems. */
export const OPTION_FUNCTIONS = `usage() {
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
`;
