import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Without the times of a previous run, Vitest starts with the largest files. These are small, and take minutes. */
const SLOW_FILE = /\/(fuzz|model)\.test\.ts$/;
const isSlow = ({ moduleId }: TestSpecification) => SLOW_FILE.test(moduleId);

class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

/** For busy machines. */
const patient = { testTimeout: 60_000, hookTimeout: 120_000, expect: { poll: { timeout: 20_000 } } };

// `isolate: false` lets the files of a worker share their modules, which loads them once instead of for each file.
export default defineConfig({
  test: {
    maxWorkers: 2,
    sequence: { sequencer: SlowFilesFirst },
    projects: [
      {
        test: {
          name: "pure",
          isolate: false,
          include: ["{bench,contract,demo,nebula}/src/**/*.test.ts", "scripts/*.test.ts"],
          setupFiles: ["scripts/test-setup.mjs"],
          ...patient,
        },
      },
      {
        test: {
          name: "agent",
          include: ["agent/src/**/*.test.ts"],
          setupFiles: ["scripts/test-setup.mjs"],
          ...patient,
        },
      },
      {
        test: {
          name: "server",
          isolate: false,
          include: ["{postgres,server}/src/**/*.test.ts"],
          setupFiles: ["scripts/test-setup.mjs"],
          globalSetup: ["server/src/testing/global-setup.ts"],
          ...patient,
        },
      },
      {
        extends: "web/vite.config.ts",
        test: {
          name: "web",
          include: ["web/src/**/*.test.{ts,tsx}"],
          environment: "./web/src/testing/jsdom-environment.ts",
          isolate: false,
          ...patient,
          setupFiles: [
            "scripts/test-setup.mjs",
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
          include: ["e2e/src/*.test.ts", "e2e/src/deployment/*.test.ts"],
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
          globalSetup: ["e2e/src/global-setup.ts"],
          testTimeout: 180_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: "deployment",
          include: ["e2e/src/deployment/system/*.test.ts"],
          // Each test uses both cores and the ports 80 and 443.
          fileParallelism: false,
          testTimeout: 900_000,
          hookTimeout: 900_000,
        },
      },
      {
        test: {
          name: "failover",
          include: ["e2e/src/failover/*.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: "access",
          include: ["e2e/src/dataplane/access/*.test.ts"],
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
