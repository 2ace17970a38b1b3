import { defineConfig } from "vite";
import { precompress } from "./build/precompress.ts";
import { preloadFont } from "./build/preload-font.ts";

const server = "http://localhost:8080";
const longLived =
  /node_modules\/(react|react-dom|scheduler|react-router|cookie|set-cookie-parser|@tanstack\/(react-query|query-core))\//;

/**
 * What nearly every page has is one file: as thirty, their headers alone would be a sixth of the first load. What opens
 * on demand stays outside.
 */
const everyday =
  /node_modules\/zod\/|\/contract\/src\/|\/web\/src\/(lib|styles|ui)\/|\/web\/src\/.*(-link|-chips|\.queries|\.module)\./;
const onDemand =
  /\/lib\/(changed-meanwhile|dependents|draft|edit-form|leave-guard|line-diff|loaded|noun-list)|\/ui\/(.*-popup|code-input|combobox|countdown|diff|form|kit-page|list-input|multi-combobox|panel-tabs|qr-code|radio-group|reorder)/;

function chunkOf(id: string): string | undefined {
  if (longLived.test(id)) return "vendor";
  return everyday.test(id) && !onDemand.test(id) ? "everyday" : undefined;
}

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
      // Marks that libraries leave for other bundlers: they mean nothing here and nothing can be done about them.
      onwarn: (warning, warn) => void (foreignMarks.has(warning.code ?? "") || warn(warning)),
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
