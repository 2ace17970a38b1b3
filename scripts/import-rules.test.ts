/** Lints a forbidden and an allowed import for each import rule. */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");
let copy: string;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "lightkeeper-import-rules-"));
  copyFileSync(join(root, ".oxlintrc.json"), join(copy, ".oxlintrc.json"));
});
afterAll(() => rmSync(copy, { recursive: true }));

function lint(file: string, specifier: string): string {
  const path = join(copy, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `import { x } from "${specifier}";\nexport const y = x;\n`);
  const { stdout } = spawnSync(join(root, "node_modules/.bin/oxlint"), [path], {
    cwd: copy,
    encoding: "utf8",
  });
  return stdout;
}

it.each([
  ["contract/src/bad.ts", "@lightkeeper/server", "contract imports no other workspace"],
  ["contract/src/bad.ts", "node:fs", "zod/mini only"],
  ["contract/src/bad.ts", "zod", "zod/mini"],
  ["nebula/src/bad.ts", "@lightkeeper/contract", "nebula imports no other workspace"],
  ["agent/src/bad.ts", "@lightkeeper/server", "agent may import contract/agent"],
  ["agent/src/bad.ts", "@lightkeeper/contract", "agent may import contract/agent"],
  ["postgres/src/bad.ts", "@lightkeeper/server", "postgres imports no other workspace"],
  ["server/src/nouns/networks/bad.ts", "../../app/app.ts", "must not import app, main or background"],
  ["server/src/nouns/networks/bad.ts", "@lightkeeper/web", "contract, nebula and postgres only"],
  ["server/src/nouns/networks/bad.ts", "../auth/totp.queries.ts", "not its queries or routes"],
  ["server/src/features/agents/bad.ts", "../../nouns/auth/auth.routes.ts", "not its queries or routes"],
  [
    "server/src/nouns/auth/identity/bad.ts",
    "../../api-keys/api-keys.queries.ts",
    "not its queries or routes",
  ],
  ["server/src/nouns/hosts/bad.ts", "../../features/control/control.ts", "must not import control"],
  ["server/src/nouns/networks/bad.routes.ts", "kysely", "Routes must not contain SQL"],
  [
    "server/src/infrastructure/http/bad.ts",
    "../../nouns/networks/networks.service.ts",
    "Infrastructure must not import",
  ],
  ["web/src/networks/bad.tsx", "@lightkeeper/server", "contract and nebula only"],
  ["web/src/networks/bad.tsx", "../app/router.tsx", "A feature must not import app"],
  ["web/src/networks/bad.tsx", "../auth/login-page.tsx", "A feature may import only"],
  ["web/src/lib/bad.ts", "../networks/network-values.ts", "lib may import ui only"],
  ["web/src/lib/bad.ts", "../references/networks.queries.ts", "lib may import ui only"],
  [
    "web/src/references/bad.ts",
    "../networks/network-values.ts",
    "forms/, on-demand/ and references/ import no feature",
  ],
  [
    "web/src/forms/bad.ts",
    "../networks/network-values.ts",
    "forms/, on-demand/ and references/ import no feature",
  ],
  ["web/src/ui/forms/bad.tsx", "../../lib/api.ts", "must not import from other folders of web"],
  ["web/src/ui/forms/bad.tsx", "@lightkeeper/contract", "ui must not import other workspaces"],
  ["web/src/networks/bad.tsx", "zod", "zod/mini"],
  ["bench/src/bad.ts", "../../server/src/app.ts", "by its package name"],
  ["demo/src/bad.ts", "../../server/src/app.ts", "by its package name"],
  ["server/src/nouns/networks/bad.ts", "@lightkeeper/demo/agents", "contract, nebula and postgres only"],
  ["e2e/src/dataplane/bad.ts", "../../../agent/src/protocol.ts", "by its package name"],
  ["server/src/testing/attacks/bad.test.ts", "../../../../agent/src/http.ts", "by its package name"],
])("%s may not import %s", (file, specifier, message) => {
  expect(lint(file, specifier)).toContain(message);
});

it.each([
  ["server/src/nouns/networks/good.ts", "../auth/accounts.service.ts"],
  ["server/src/nouns/networks/good.ts", "./networks.queries.ts"],
  ["agent/src/good.ts", "@lightkeeper/contract/agent"],
  ["web/src/auth/good.tsx", "../references/networks.queries.ts"],
  ["web/src/auth/good.tsx", "../forms/edit-form.tsx"],
  ["web/src/auth/good.tsx", "../on-demand/noun-list.tsx"],
  ["web/src/auth/good.tsx", "../pickers/network-picker.tsx"],
  ["web/src/auth/good.tsx", "../settings/member-role-labels.ts"],
  ["web/src/auth/good.tsx", "../sso/test-sign-in-channel.ts"],
  ["web/src/settings/good.tsx", "../auth/authenticator-setup.tsx"],
  ["web/src/audit/good.ts", "../hosts/hosts.audit.ts"],
  ["web/src/hosts-add/good.tsx", "../enrollment/agent-commands.ts"],
  ["web/src/networks/good.tsx", "../ui/controls/button.tsx"],
  ["web/src/ui/forms/good.tsx", "../controls/button.tsx"],
  ["bench/src/good.ts", "@lightkeeper/server/seeds"],
  ["bench/src/good.ts", "@lightkeeper/demo/agents"],
  ["demo/src/good.ts", "@lightkeeper/server/app"],
  ["server/src/testing/attacks/good.test.ts", "@lightkeeper/agent/testing"],
  ["e2e/src/dataplane/good.ts", "../server-process.ts"],
  ["e2e/src/dataplane/good.ts", "../../../scripts/nebula-versions.mjs"],
])("%s may import %s", (file, specifier) => {
  expect(lint(file, specifier)).not.toContain("no-restricted-imports");
});
