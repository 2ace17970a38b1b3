/** How to run a command of the server here: with npm in a clone of the source, otherwise with the installed program. */
export const programName = (): string =>
  process.env.npm_lifecycle_event === undefined ? "lightkeeper" : "npm run cli --";
