declare const __LIGHTKEEPER_VERSION__: string | undefined;

/** Set by the build. */
export const version = typeof __LIGHTKEEPER_VERSION__ === "string" ? __LIGHTKEEPER_VERSION__ : "dev";
