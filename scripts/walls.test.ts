/** Each import wall, with a deliberately bad import that must run into it. */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");
let copy: string;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "lightkeeper-walls-"));
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
  ["contract/src/bad.ts", "@lightkeeper/server", "contract stands alone"],
  ["contract/src/bad.ts", "node:fs", "contract runs everywhere"],
  ["contract/src/bad.ts", "zod", "zod/mini"],
  ["nebula/src/bad.ts", "@lightkeeper/contract", "nebula is pure"],
  ["agent/src/bad.ts", "@lightkeeper/server", "agent is small"],
  ["agent/src/bad.ts", "@lightkeeper/contract", "agent is small"],
  ["postgres/src/bad.ts", "@lightkeeper/server", "postgres imports no other workspace"],
  ["server/src/nouns/networks/bad.ts", "../../app/app.ts", "nothing below imports upwards"],
  ["server/src/nouns/networks/bad.ts", "@lightkeeper/web", "contract, nebula and postgres only"],
  ["server/src/nouns/networks/bad.ts", "../auth/totp.queries.ts", "never its queries or routes"],
  ["server/src/features/agents/bad.ts", "../../nouns/auth/auth.routes.ts", "never its queries or routes"],
  ["server/src/nouns/hosts/bad.ts", "../../features/control/control.ts", "never import control"],
  ["server/src/nouns/networks/bad.routes.ts", "kysely", "SQL lives in queries and services"],
  ["server/src/infrastructure/http/bad.ts", "../../nouns/networks/networks.service.ts", "imports neither"],
  ["web/src/networks/bad.tsx", "@lightkeeper/server", "contract and nebula only"],
  ["web/src/networks/bad.tsx", "../app/router.tsx", "app composes the features"],
  ["web/src/networks/bad.tsx", "../auth/login-page.tsx", "offers its neighbours only"],
  ["web/src/lib/bad.ts", "../networks/networks.queries.ts", "lib/ knows no page"],
  ["web/src/ui/forms/bad.tsx", "../../lib/api.ts", "knows no noun"],
  ["web/src/ui/forms/bad.tsx", "@lightkeeper/contract", "nothing of the product"],
  ["web/src/networks/bad.tsx", "zod", "zod/mini"],
])("%s may not import %s", (file, specifier, sentence) => {
  expect(lint(file, specifier)).toContain(sentence);
});

it.each([
  ["server/src/nouns/networks/good.ts", "../auth/accounts.service.ts"],
  ["server/src/nouns/networks/good.ts", "./networks.queries.ts"],
  ["agent/src/good.ts", "@lightkeeper/contract/agent"],
  ["web/src/auth/good.tsx", "../networks/networks.queries.ts"],
  ["web/src/networks/good.tsx", "../ui/controls/button.tsx"],
  ["web/src/ui/forms/good.tsx", "../controls/button.tsx"],
])("%s may import %s", (file, specifier) => {
  expect(lint(file, specifier)).not.toContain("no-restricted-imports");
});
