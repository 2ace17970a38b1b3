/** Networks with version 1 certificates and curve P256. */
import { describeNetworkKinds } from "./family-story.ts";

describeNetworkKinds(
  (["1.9.3", "1.11.0"] as const).map((version) => ({
    name: "a network with curve P256",
    version,
    body: { curve: "P256" },
  })),
);
