/**
 * The script for `curl … | sudo sh`. Only its last line has an effect, so that an incomplete download does nothing. It
 * checks everything before it changes the system, and replaces each file atomically.
 */
import { CHECK_FUNCTIONS } from "./check-functions.ts";
import { INSTALL_FUNCTIONS } from "./install-functions.ts";
import { NEBULA_FUNCTIONS } from "./nebula-functions.ts";
import { OPTION_FUNCTIONS } from "./option-functions.ts";
import { STAGING_FUNCTIONS } from "./staging-functions.ts";

/** Quotes a text as one shell argument. */
export const shellQuote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const settings = (server: string) => `#!/bin/sh
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
`;

const MAIN = `main() {
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

/** Each part ends with a line break, so joining them separates the parts by an empty line. */
export const installScript = (server: string) =>
  [
    settings(server),
    OPTION_FUNCTIONS,
    CHECK_FUNCTIONS,
    STAGING_FUNCTIONS,
    NEBULA_FUNCTIONS,
    INSTALL_FUNCTIONS,
    MAIN,
  ].join("\n");
