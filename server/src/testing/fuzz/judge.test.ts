import { createNetwork, getFeatureFlags, streamEvents } from "@lightkeeper/contract";
import { describe, expect, it } from "vitest";
import { faultOf } from "./judge.ts";
import type { RawRequest } from "./request.ts";
import type { RawResponse } from "./send.ts";

const request: RawRequest = {
  method: "POST",
  path: "/",
  headers: {},
  body: undefined,
  reachesEndpoint: true,
};
const headers = { "x-request-id": "req-1" };
const refusing = (status: number, ...errors: object[]): RawResponse => ({
  status,
  headers,
  text: JSON.stringify({ errors }),
});
const duplicate = { code: "ERR_DUPLICATE_VALUE", message: "value already exists" };

describe("an answer", () => {
  it("may be a success with data, or a refusal with codes of the endpoint", () => {
    const success = { status: 200, headers, text: '{"data":{},"metadata":{}}' };
    expect(faultOf(createNetwork, request, success)).toBeUndefined();
    expect(faultOf(createNetwork, request, refusing(400, duplicate))).toBeUndefined();
  });

  it("may be without text where a stream has begun, and nowhere else", () => {
    const begun = { status: 200, headers, text: "" };
    expect(faultOf(streamEvents, request, begun)).toBeUndefined();
    expect(faultOf(createNetwork, request, begun)).toBe("A success without data or metadata");
  });

  it.each<[string, RawResponse, string]>([
    ["breaks", refusing(500, duplicate), "The status 500"],
    ["sends elsewhere", { status: 302, headers, text: "" }, "The status 302"],
    ["has no id", { ...refusing(400, duplicate), headers: {} }, "An answer without X-Request-ID"],
    ["refuses without a reason", refusing(400), "A refusal without an entry"],
    ["refuses in no JSON", { status: 400, headers, text: "no" }, "A refusal without an entry"],
    [
      "refuses without a message",
      refusing(400, { code: duplicate.code }),
      "A refusal without a code or a message",
    ],
    [
      "refuses with a code nobody knows",
      refusing(400, { code: "ERR_X", message: "x" }),
      "A refusal without a code or a message",
    ],
    [
      "refuses with a status that is not the code's",
      refusing(403, duplicate),
      "ERR_DUPLICATE_VALUE with the status 403",
    ],
  ])("that %s has a fault", (_what, answer, fault) => {
    expect(faultOf(createNetwork, request, answer)).toBe(fault);
  });

  it("has only codes that its endpoint declares, unless something else answered before", () => {
    const answer = refusing(400, duplicate);
    expect(faultOf(getFeatureFlags, request, answer)).toBe("ERR_DUPLICATE_VALUE, which it does not declare");
    expect(faultOf(getFeatureFlags, { ...request, reachesEndpoint: false }, answer)).toBeUndefined();
  });
});
