/** A shell script that behaves like nebula (test, start, reload, stop) and records each event in a journal. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const REJECTED = "reject-this";
export const DIES = "die-at-once";
export const DIES_WHEN_UP = "die-when-up";

export interface FakeNebula {
  readonly path: string;
  journal(): string[];
}

export function createFakeNebula(directory: string, version = "1.9.3"): FakeNebula {
  const path = join(directory, "fake-nebula");
  const journal = join(directory, "journal");
  writeFileSync(journal, "");
  writeFileSync(
    path,
    `#!/bin/sh
case "$1" in
-version) echo "Version: ${version}"; exit 0 ;;
-test)
  cat "$3" "$(sed -n 's/^  key: "\\(.*\\)"$/\\1/p' "$3")"
  grep -q ${REJECTED} "$3" || exit 0
  echo '{"level":"error","msg":"Error while loading","error":"${REJECTED}"}'
  exit 1 ;;
esac
if grep -q ${DIES} "$2"; then echo '{"level":"fatal","msg":"address already in use"}'; exit 1; fi
trap 'echo reload >> ${journal}; echo "{\\"level\\":\\"info\\",\\"msg\\":\\"Caught HUP\\"}"' HUP
trap 'echo end >> ${journal}; exit 0' TERM
echo start >> ${journal}
echo '{"level":"info","msg":"Nebula interface is active"}'
if grep -q ${DIES_WHEN_UP} "$2"; then echo 'address already in use'; exit 1; fi
while :; do sleep 1 & wait $!; done
`,
    { mode: 0o755 },
  );
  return { path, journal: () => readFileSync(journal, "utf8").split("\n").filter(Boolean) };
}
