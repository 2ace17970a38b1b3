import { defineConfig, type Rollup } from "vite";
import { precompress } from "./build/precompress.ts";
import { preloadFont } from "./build/preload-font.ts";

const server = "http://localhost:8080";
const longLived =
  /commonjsHelpers|node_modules\/(react|react-dom|scheduler|react-router|cookie|set-cookie-parser|@tanstack\/(react-query|query-core))\//;

/**
 * What nearly every page has is one file: as thirty, their headers alone would be a sixth of the first load. What opens
 * on demand stays outside.
 */
const everyday =
  /node_modules\/zod\/|\/contract\/src\/|\/web\/src\/(lib|styles|ui)\/|\/web\/src\/.*(-link|-chips|\.queries|\.module)\.|\/references\/member-role-labels|\/hosts\/(download-hosts|host-filters|host-kind|host-menu|host-names|host-status|last-list-path)\./;
const onDemand =
  /\/contract\/src\/(billing|dependents|domains|endpoint-sign-ins|oidc-provider)|\/auth\/(auth-form|authenticator-)|\/lib\/(concurrent-change-notice|csv|delete-dialog|dependents|dialog-form|draft|edit-form|leave-guard|line-diff|noun-list|web-address)|\/rules\/detach|\/web\/src\/(api-keys|billing|certificate-authorities|settings|sso|support)\/|\/ui\/[a-z]+\/(.*-popup|action-bar|code-input|combobox|countdown|data-table-phone|diff|kit-page|list-input|multi-combobox|panel-tabs|qr-code|radio-group|reorder)/;
/** Choosing by typing: in the filters, in the palette and in nearly every form. */
const choosing =
  /@ariakit\/.*\/dist\/(combobox\/combobox(-store)?|composite\/composite|tag\/tag-context)\.js$/;

/** What the forms share, likewise; pickers and rules apart, which not every form has. */
const shared = {
  forms:
    /node_modules\/react-hook-form\/|\/web\/src\/lib\/(concurrent-change-notice|dialog-form|draft|edit-form|leave-guard)\./,
  pickers:
    /\/web\/src\/(.*\/(host|network|role|route|tag)-picker|ui\/forms\/(combobox|combobox-options|multi-combobox))\./,
  rules:
    /\/web\/src\/(rules\/(?!changes-list|change-labels|detach|open-rule|port-input|port-ranges|rule-changes|rule-fields)|ui\/forms\/reorder)/,
  codes: /\/web\/src\/auth\/(auth-form|authenticator-setup|code-form)\./,
  // The page of the person's own settings; not its dialogs, which bring the forms.
  settings:
    /\/web\/src\/settings\/(authenticator-name-field|authenticators|use-close-dialog|invitation-notice|member-columns|member-menu|member-state-labels|members|owners-only|sessions|settings-|settings\.queries|use-authenticator|user-settings-page)/,
  addresses: /\/nebula\/src\/(addresses|ip-prefixes|override-formats)\./,
};

function chunkOf(id: string, { getModuleInfo }: Rollup.ManualChunkMeta): string | undefined {
  if (longLived.test(id)) return "vendor";
  if ((everyday.test(id) && !onDemand.test(id)) || choosing.test(id)) return "everyday";
  // A part that the library has given no name goes along with what it is a part of.
  const importers = id.includes("@ariakit") ? (getModuleInfo(id)?.importers ?? []) : [];
  if (importers.length > 0 && importers.every((importer) => importer.includes("/combobox/")))
    return "everyday";
  return Object.entries(shared).find(([, pattern]) => pattern.test(id))?.[0];
}

/** Marks that libraries leave for other bundlers: they mean nothing here and nothing can be done about them. */
const foreignMarks = new Set(["MODULE_LEVEL_DIRECTIVE", "INVALID_ANNOTATION"]);

// No `root` here: the tests extend this file from the repository's top. Run it as `vite web` and `vite build web`.
export default defineConfig({
  esbuild: { jsx: "automatic" },
  build: {
    target: "es2022",
    // The content security policy allows no data: address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      onwarn(warning, warn) {
        // Files that wait for one another: the page would not start.
        if (warning.code === "CIRCULAR_CHUNK") throw new Error(warning.message);
        if (!foreignMarks.has(warning.code ?? "")) warn(warning);
      },
      // Otherwise the popups' libraries would come along with the buttons that open them.
      output: { manualChunks: chunkOf, onlyExplicitManualChunks: true },
    },
  },
  plugins: [preloadFont(/inter-latin-wght-normal.*\.woff2$/), precompress()],
  server: {
    proxy: {
      "^/v[123]/": server,
      "^/v$": server,
      "^/openapi\\.json$": server,
      "^/docs(/|$)": server,
      "^/dev/(?!kit)": server,
      "^/healthz$": server,
    },
  },
});
