/** The part of the install script that enrolls the host, installs, starts and removes the agent. */
import { SERVICE_UNIT } from "./service-unit.ts";

export const INSTALL_FUNCTIONS = `write_unit() {
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
`;
