/** Runs the server in this process, so that it gets Ctrl-C only once. */
process.argv.push("serve");
process.env.NODE_ENV ??= "production";
process.setSourceMapsEnabled(true);
await import("../server/dist/main.js");
