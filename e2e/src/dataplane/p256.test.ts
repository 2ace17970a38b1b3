/** Networks with version 1 certificates and curve P256. */
import { describeNetworkKinds } from "./family-story.ts";
import { selectCases } from "./select-cases.ts";

describeNetworkKinds(
  selectCases(["1.9.3", "1.11.0"] as const, ["1.9.3"]).map((version) => ({
    name: "a network with curve P256",
    version,
    body: { curve: "P256" },
  })),
);
