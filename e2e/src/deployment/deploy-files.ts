import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../../..");
export const DEPLOY = join(ROOT, "deploy");

export const readText = (path: string) => readFileSync(join(ROOT, path), "utf8");
