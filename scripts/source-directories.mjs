/** For programs that bundle end-to-end tests or scripts into one file. */
import { readFileSync } from "node:fs";
import { dirname } from "node:path";

/** An esbuild plugin that replaces import.meta.dirname with the source file's directory. */
export const keepSourceDirectories = {
  name: "source-directories",
  setup({ onLoad }) {
    onLoad({ filter: /\/(e2e|scripts)\/.*\.m?[jt]s$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replaceAll("import.meta.dirname", JSON.stringify(dirname(path))),
      loader: path.endsWith(".ts") ? "ts" : "js",
    }));
  },
};
