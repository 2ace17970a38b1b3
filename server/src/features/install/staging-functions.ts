/** The part of the install script that downloads the agent and verifies it, before anything is installed. */
import { launcherOf } from "@lightkeeper/contract/agent-launcher";

const LAUNCHER = launcherOf({ node: "@node@", bundle: "@bundle@" });

export const STAGING_FUNCTIONS = `fetch() {
  if has curl; then
    reason=$(curl -fsSL -o "$2" "$1" 2>&1) && return
  else
    reason=$(wget -q -O "$2" "$1" 2>&1) && return
  fi
  fail "Can't download $1: \${reason:-no response}"
}

digest() {
  if has sha256sum; then
    sha256sum "$1" | cut -d ' ' -f 1
  elif has shasum; then
    shasum -a 256 "$1" | cut -d ' ' -f 1
  else
    openssl dgst -sha256 -r "$1" | cut -d ' ' -f 1
  fi
}

# The name of the newest file for a platform, if the server has one.
latest_file() {
  grep -o '"latest":{[^}]*}' "$stage/downloads.json" | head -n 1 |
    grep -o "\\"$1\\":\\"[^\\"]*\\"" | cut -d '"' -f 4 | sed 's|.*/||'
}

# Downloads a file and verifies its checksum.
fetch_verified() {
  fetch "$server/downloads/files/$1" "$2"
  fetch "$server/downloads/files/$1.sha256" "$stage/sha256"
  expected=$(cat "$stage/sha256")
  actual=$(digest "$2")
  [ "$actual" = "$expected" ] ||
    fail "$server/downloads/files/$1 is damaged: its SHA-256 is $actual, expected $expected."
}

platform() {
  case $(uname -m) in
    x86_64 | amd64) echo linux-amd64 ;;
    aarch64 | arm64) echo linux-arm64 ;;
    *) echo none ;;
  esac
}

# The executable can't run on systems with another C library.
stage_executable() {
  name=$(latest_file "$(platform)") || return 1
  [ -n "$name" ] || return 1
  fetch_verified "$name" "$stage/lightkeeper-agent"
  chmod 755 "$stage/lightkeeper-agent"
  "$stage/lightkeeper-agent" --version >/dev/null 2>&1
}

find_node() {
  node=$(command -v node) || return 1
  is_visible_to_service "$node" || return 1
  major=$("$node" -p 'process.versions.node.split(".")[0]' 2>/dev/null) || return 1
  [ "$major" -ge 20 ]
}

# Writes a program that runs the bundle.
write_launcher() {
  sed "s|@node@|$node|g; s|@bundle@|$1|g" >"$2" <<'EOF'
${LAUNCHER}EOF
  chmod 755 "$2"
}

stage_bundle() {
  name=$(latest_file node) || return 1
  [ -n "$name" ] && find_node || return 1
  fetch_verified "$name" "$stage/lightkeeper-agent.mjs"
  chmod 644 "$stage/lightkeeper-agent.mjs"
  write_launcher "$stage/lightkeeper-agent.mjs" "$stage/staged-agent"
  "$stage/staged-agent" --version >/dev/null 2>&1 || return 1
  write_launcher "$bundle" "$stage/lightkeeper-agent"
}

stage_agent() {
  { mkdir -p "$prefix/bin" "$prefix/lib" && stage=$(mktemp -d "$prefix/bin/.lightkeeper-agent.XXXXXX"); } 2>/dev/null ||
    fail "Can't write to $prefix."
  trap 'rm -rf "$stage"' EXIT
  trap 'exit 1' HUP INT TERM
  chmod 755 "$stage"
  fetch "$server/v1/downloads" "$stage/downloads.json"
  if stage_executable; then
    is_bundle=no
  elif stage_bundle; then
    is_bundle=yes
  else
    fail_without_agent
  fi
}

# Hosts with Node.js don't need the executables, which the server builds after it has started.
fail_without_agent() {
  if [ "$(platform)" != none ] && [ -z "$(latest_file "$(platform)")" ]; then
    if grep -q '"state":"building"' "$stage/downloads.json"; then
      fail "$server is still building the agent for this host. Try again in a minute."
    fi
    reason=$(grep -o '"reason":"[^"]*"' "$stage/downloads.json" | cut -d '"' -f 4) || true
    [ -z "$reason" ] || fail "$server couldn't build the agent for this host: $reason"
  fi
  fail "$server has no agent that runs on this host ($(uname -m)). Install Node.js 20 or newer system-wide and try again."
}

run_staged() {
  if [ "$is_bundle" = yes ]; then
    "$stage/staged-agent" "$@"
  else
    "$stage/lightkeeper-agent" "$@"
  fi
}
`;
