declare const __LIGHTKEEPER_VERSION__: string | undefined;

/** Put in by the build. */
export const version = typeof __LIGHTKEEPER_VERSION__ === "string" ? __LIGHTKEEPER_VERSION__ : "dev";
