import { describe, expect, it } from "vitest";
import { compareNebulaVersions, nebulaCapabilities, parseNebulaVersion } from "./versions.ts";

describe("a version of Nebula", () => {
  it.each([
    ["1.6.1", [1, 6, 1]],
    ["v1.10", [1, 10, 0]],
    ["1.6.1+dfsg-3+b4", [1, 6, 1]],
    [" 1.11.0\n", [1, 11, 0]],
  ])("is parsed from %j", (text, [major, minor, patch]) => {
    expect(parseNebulaVersion(text)).toEqual({ major, minor, patch });
  });

  it.each(["", "dev", "1", "1.x", "1.2.3.4", "99999.1.1", "-1.2.3"])("is not %j", (text) => {
    expect(parseNebulaVersion(text)).toBeUndefined();
  });

  it("is compared number by number", () => {
    const ordered = ["1.6.1", "1.9.3", "1.9.10", "1.10.0", "1.11.0", "2.0.0"];
    const sorted = ordered.toReversed().toSorted((a, b) => compareNebulaVersions(a, b) ?? 0);
    expect(sorted).toEqual(ordered);
    expect(compareNebulaVersions("1.9", "1.9.0")).toBe(0);
    expect(compareNebulaVersions("dev", "1.9.0")).toBeUndefined();
  });

  it.each([
    ["1.6.1", []],
    ["1.8.2", ["curveP256", "optionalRouteInstall"]],
    ["1.9.3", ["curveP256", "optionalRouteInstall", "localCidr", "reloadsUnsafeRoutes"]],
  ])("%s has its capabilities", (version, capabilities) => {
    const can = nebulaCapabilities(version);
    const watched = [
      "curveP256",
      "optionalRouteInstall",
      "localCidr",
      "reloadsUnsafeRoutes",
      "certificateV2",
    ] as const;
    expect(watched.filter((capability) => can[capability])).toEqual(capabilities);
  });

  it.each(["1.11.0", "2.0.0", "dev", undefined])("%s has all capabilities", (version) => {
    expect(Object.values(nebulaCapabilities(version))).not.toContain(false);
  });
});
