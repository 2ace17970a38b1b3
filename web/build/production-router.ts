import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

/** React Router's package gives bundlers only its development build, which is larger and checks what it is given. */
export function productionRouter(): Plugin {
  return {
    name: "production-router",
    apply: "build",
    enforce: "pre",
    async resolveId(source, importer) {
      if (source !== "react-router" && source !== "react-router/dom") return null;
      const resolved = fileURLToPath(import.meta.resolve(source));
      return this.resolve(resolved.replace("/dist/development/", "/dist/production/"), importer, {
        skipSelf: true,
      });
    },
  };
}
