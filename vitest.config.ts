import { defineConfig } from "vitest/config";

// `isolate: false` lets the files of a worker share their modules, which loads them once instead of for each file.
export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: "pure",
          isolate: false,
          include: ["{contract,nebula}/src/**/*.test.ts", "scripts/*.test.ts"],
          setupFiles: ["scripts/replay-seed.mjs"],
          testTimeout: 60_000,
        },
      },
      { test: { name: "agent", include: ["agent/src/**/*.test.ts"], testTimeout: 60_000 } },
      {
        test: {
          name: "server",
          isolate: false,
          include: ["{postgres,server}/src/**/*.test.ts"],
          setupFiles: ["scripts/replay-seed.mjs"],
          globalSetup: ["server/src/testing/global-setup.ts"],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: "web/vite.config.ts",
        test: {
          name: "web",
          include: ["web/src/**/*.test.{ts,tsx}"],
          environment: "./web/src/testing/jsdom-environment.ts",
          isolate: false,
          testTimeout: 60_000,
          setupFiles: [
            "scripts/replay-seed.mjs",
            "web/src/testing/reset-modules.ts",
            "web/src/testing/setup.ts",
          ],
          sequence: { setupFiles: "list" },
        },
      },
      {
        test: {
          name: "e2e",
          isolate: false,
          include: ["e2e/src/*.test.ts"],
          globalSetup: ["e2e/src/global-setup.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: "dataplane",
          isolate: false,
          include: ["e2e/src/dataplane/*.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
