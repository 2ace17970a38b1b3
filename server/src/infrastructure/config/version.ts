declare const __LIGHTKEEPER_VERSION__: string | undefined;

/** Set by the build: the package version and a hash of the build. */
export const version = typeof __LIGHTKEEPER_VERSION__ === "string" ? __LIGHTKEEPER_VERSION__ : "dev";

/** Removes the build hash: the agent has the same release version as the server. */
export const releaseOf = (version: string): string => version.split("+")[0] ?? version;
