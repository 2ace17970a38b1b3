/** Runs the demo in this process, so that it gets Ctrl-C only once. */
process.env.NODE_ENV ??= "production";
process.setSourceMapsEnabled(true);
await import("../server/dist/demo.js");
