/** The demo in this very process, so that Ctrl-C reaches it once. */
process.argv.push("demo");
process.env.NODE_ENV ??= "production";
process.setSourceMapsEnabled(true);
await import("../server/dist/main.js");
