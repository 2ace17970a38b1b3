/** Which cases of a matrix are tested: `npm run dataplane` tests all (DATAPLANE=all), `npm test` the representatives. */
import { type NebulaVersion, nebulaVersions } from "./test-network.ts";

const testsAll = process.env.DATAPLANE === "all";

export const selectCases = <Case>(all: readonly Case[], representatives: readonly NoInfer<Case>[]) =>
  testsAll ? all : representatives;

/** Every version of Nebula is the representative of several stories. */
export const selectVersions = (...representatives: readonly NebulaVersion[]) =>
  selectCases(nebulaVersions, representatives);
