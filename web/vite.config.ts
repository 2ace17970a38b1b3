import { defineConfig, type Rollup } from "vite";
import { precompress } from "./build/precompress.ts";
import { preloadFont } from "./build/preload-font.ts";
import { productionRouter } from "./build/production-router.ts";

const server = "http://localhost:8080";
const bundlerHelpers = /^\0(commonjsHelpers|vite\/preload-helper)/;

/**
 * The folders of the chunks that pages share: as single files, their headers alone would be a sixth of the first load.
 * What `import()` loads has a chunk of its own, and Rollup splits what is in no folder of this list.
 */
const folders = {
  /** Libraries that rarely change, so that browsers keep them from one release to the next. */
  vendor:
    /node_modules\/(react|react-dom|scheduler|react-router|cookie|set-cookie-parser|zod|@tanstack\/[a-z-]+)\//,
  /** What nearly every page needs. */
  common:
    /\/(contract\/src(?!\/on-demand)|web\/src\/(lib|references|styles|ui\/(?!kit|on-demand|pickers)[a-z]+))\//,
  /** Addresses and subnets, which many more pages need than the rest of the engine. */
  addresses: /\/nebula\/src\/(addresses|ip-prefixes)/,
  /** Without the overrides, which only the settings of tags need. */
  nebula: /\/nebula\/src\/(?!overrides)/,
  forms: /\/(node_modules\/react-hook-form|web\/src\/forms)\//,
  pickers: /\/web\/src\/(ui\/)?pickers\//,
  /** Rules in words, and their values. */
  rules:
    /\/(web\/src\/(rules\/(port-values|services|rule-values|rule-sentence|draft-rule-values|lint-values|rule-hash|rules\.module)|preview\/preview\.module|on-demand\/use-settled-value)|contract\/src\/on-demand\/rule-)/,
  /** The editor of rules, without the fields of an open rule. */
  rulesEditor:
    /\/web\/src\/rules\/(rules-editor|rule-row|removed-rule|rule-changes|rules-note-preview|use-rule|fetch-lints)/,
  /** What forms with a preview need before the first change. */
  previewValues: /\/web\/src\/preview\/(preview-values|violation-values|preview-summary)/,
  /** The preview of a change. */
  preview: /\/web\/src\/preview\/(use-preview\.|preview\.queries|preview-announcement|confirm-with-preview)/,
  /** Connections in words, which previews, the audit log and the pages of access show. */
  connections:
    /\/(web\/src\/(rules\/traffic-labels|preview\/counterexample-preview)|contract\/src\/on-demand\/(access|guarantees))/,
  /** What the pages of guarantees share. */
  guarantees:
    /\/web\/src\/guarantees\/(guarantees\.queries|guarantee-(text|values|sentence|state)|broken-pair|guarantees\.module)/,
};

/** The parts of Ariakit that a picker needs before its popup opens. They have no folder of their own. */
const pickerParts =
  /@ariakit\/.*\/dist\/(combobox\/combobox(-store)?|composite\/composite|tag\/tag-context)\.js$/;

function isPickerPart(id: string, importers: readonly string[]): boolean {
  if (!id.includes("/@ariakit/")) return false;
  // A part without a name of its own belongs to the one that imports it.
  const isPrivate = importers.length > 0 && importers.every((importer) => importer.includes("/combobox/"));
  return pickerParts.test(id) || isPrivate;
}

function chunkOf(id: string, { getModuleInfo }: Rollup.ManualChunkMeta): string | undefined {
  const { importers = [], dynamicImporters = [] } = getModuleInfo(id) ?? {};
  if (dynamicImporters.length > 0) return undefined;
  if (bundlerHelpers.test(id)) return "vendor";
  if (isPickerPart(id, importers)) return "common";
  return Object.entries(folders).find(([, folder]) => folder.test(id))?.[0];
}

/** Warnings about annotations in libraries that are meant for other bundlers. */
const ignoredWarnings = new Set(["MODULE_LEVEL_DIRECTIVE", "INVALID_ANNOTATION"]);

// No `root`: the tests extend this file from the root of the repository. Run it as `vite web` and `vite build web`.
export default defineConfig({
  esbuild: { jsx: "automatic" },
  build: {
    target: "es2022",
    // The content security policy allows no data: URL.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      onwarn(warning, warn) {
        // Chunks that import each other: the page would not start.
        if (warning.code === "CIRCULAR_CHUNK") throw new Error(warning.message);
        if (!ignoredWarnings.has(warning.code ?? "")) warn(warning);
      },
      // Otherwise a chunk includes everything that its libraries export, with the popups that load on demand.
      output: { manualChunks: chunkOf, onlyExplicitManualChunks: true },
    },
  },
  plugins: [productionRouter(), preloadFont(/inter-latin-wght-normal.*\.woff2$/), precompress()],
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
