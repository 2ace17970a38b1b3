/** The part of the install script that checks whether the agent can be installed on this host. */
export const CHECK_FUNCTIONS = `check_host() {
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
`;
