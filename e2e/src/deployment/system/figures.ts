/** What `npm run deploy:check` prints at the end. */
import { appendFileSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/** The script sets it and reads the file. */
const file = process.env.DEPLOYMENT_FIGURES;

export function recordFigure(subject: string, what: string, figure: string): void {
  if (file === undefined) return;
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify({ subject, what, figure })}\n`);
}

const MEGABYTE = 1_000_000;
export const inMegabytes = (bytes: number) => `${(bytes / MEGABYTE).toFixed(bytes < MEGABYTE ? 2 : 0)} MB`;
