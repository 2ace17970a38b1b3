import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: "pure",
          include: ["{contract,nebula}/src/**/*.test.ts", "scripts/*.test.ts"],
          testTimeout: 30_000,
        },
      },
      { test: { name: "agent", include: ["agent/src/**/*.test.ts"], testTimeout: 30_000 } },
      {
        test: {
          name: "server",
          // What they import is the same and keeps nothing: to load it once halves the time.
          isolate: false,
          include: ["{postgres,server}/src/**/*.test.ts"],
          globalSetup: ["server/src/testing/global-setup.ts"],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: "web/vite.config.ts",
        test: {
          name: "web",
          include: ["web/src/**/*.test.{ts,tsx}"],
          environment: "jsdom",
          testTimeout: 30_000,
          setupFiles: ["web/src/testing/setup.ts"],
        },
      },
      {
        test: {
          name: "e2e",
          include: ["e2e/src/*.test.ts"],
          globalSetup: ["e2e/src/global-setup.ts"],
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: "dataplane",
          include: ["e2e/src/dataplane/*.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
