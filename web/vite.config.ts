import { defineConfig } from "vite";
import { precompress } from "./build/precompress.ts";
import { preloadFont } from "./build/preload-font.ts";

const server = "http://localhost:8080";
const longLived =
  /node_modules\/(react|react-dom|scheduler|react-router|cookie|set-cookie-parser|@tanstack\/(react-query|query-core))\//;

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
      output: { manualChunks: (id) => (longLived.test(id) ? "vendor" : undefined) },
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
