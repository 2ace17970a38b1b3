/** The part of the install script that finds Nebula, or installs it. */
export const NEBULA_FUNCTIONS = `is_enrolled() {
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
`;
