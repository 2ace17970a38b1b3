import { createNetwork, getFeatureFlags, streamEvents } from "@lightkeeper/contract";
import { describe, expect, it } from "vitest";
import { findProblem } from "./check-response.ts";
import type { RawRequest, RawResponse } from "./raw-sender.ts";

const request: RawRequest = {
  method: "POST",
  path: "/",
  headers: {},
  body: undefined,
  reachesEndpoint: true,
};
const headers = { "x-request-id": "req-1" };
const errorResponse = (status: number, ...errors: object[]): RawResponse => ({
  status,
  headers,
  text: JSON.stringify({ errors }),
});
const duplicate = { code: "ERR_DUPLICATE_VALUE", message: "value already exists" };

describe("a response", () => {
  it("may be a success with data, or an error with codes of the endpoint", () => {
    const success = { status: 200, headers, text: '{"data":{},"metadata":{}}' };
    expect(findProblem(createNetwork, request, success)).toBeUndefined();
    expect(findProblem(createNetwork, request, errorResponse(400, duplicate))).toBeUndefined();
  });

  it("may be empty only if a stream has started", () => {
    const started = { status: 200, headers, text: "" };
    expect(findProblem(streamEvents, request, started)).toBeUndefined();
    expect(findProblem(createNetwork, request, started)).toBe("A success without data or metadata");
  });

  it.each<[string, RawResponse, string]>([
    ["fails", errorResponse(500, duplicate), "The status 500"],
    ["redirects", { status: 302, headers, text: "" }, "The status 302"],
    [
      "has no request ID",
      { ...errorResponse(400, duplicate), headers: {} },
      "A response without X-Request-ID",
    ],
    ["has no error entries", errorResponse(400), "An error response without entries"],
    ["is not JSON", { status: 400, headers, text: "no" }, "An error response without entries"],
    [
      "has no message",
      errorResponse(400, { code: duplicate.code }),
      "An error entry without a code or a message",
    ],
    [
      "has an unknown code",
      errorResponse(400, { code: "ERR_X", message: "x" }),
      "An error entry without a code or a message",
    ],
    [
      "has a status that does not match its code",
      errorResponse(403, duplicate),
      "ERR_DUPLICATE_VALUE with the status 403",
    ],
  ])("that %s has a problem", (_what, response, problem) => {
    expect(findProblem(createNetwork, request, response)).toBe(problem);
  });

  it("may have only codes that its endpoint declares, unless the endpoint was not reached", () => {
    const response = errorResponse(400, duplicate);
    expect(findProblem(getFeatureFlags, request, response)).toBe(
      "ERR_DUPLICATE_VALUE, which the endpoint does not declare",
    );
    expect(findProblem(getFeatureFlags, { ...request, reachesEndpoint: false }, response)).toBeUndefined();
  });
});
