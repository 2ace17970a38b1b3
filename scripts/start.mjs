/** The server in this very process, so that Ctrl-C reaches it once. */
process.argv.push("serve");
process.env.NODE_ENV ??= "production";
process.setSourceMapsEnabled(true);
await import("../server/dist/main.js");
