/** One jsdom for all test files of a worker, because creating it takes longer than most files. */
import { builtinEnvironments, type Environment } from "vitest/runtime";

const shared = globalThis as { isPrepared?: Promise<unknown> };

const environment: Environment = {
  ...builtinEnvironments.jsdom,
  name: "shared-jsdom",
  async setup(global, options) {
    shared.isPrepared ??= Promise.resolve(builtinEnvironments.jsdom.setup(global, options));
    await shared.isPrepared;
    return { teardown: () => undefined };
  },
};

export default environment;
