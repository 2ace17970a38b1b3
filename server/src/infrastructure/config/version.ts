declare const __LIGHTKEEPER_VERSION__: string | undefined;

/** Put in by the build: package version and a hash of what was built. */
export const version = typeof __LIGHTKEEPER_VERSION__ === "string" ? __LIGHTKEEPER_VERSION__ : "dev";

/** The agent is released with the server; what follows the plus is the server's build. */
export const releaseOf = (version: string): string => version.split("+")[0] ?? version;
