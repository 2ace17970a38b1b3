import { reportClientError, ServerError } from "@lightkeeper/contract";
import { beforeEach, expect, it, vi } from "vitest";
import { failure, transport, unreachable } from "../testing/transport.ts";
import { reportError } from "./report.ts";

beforeEach(() => {
  vi.restoreAllMocks();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

it("reports an error with its request ID and error list [S8.5]", async () => {
  const server = transport();
  const response = new Response(null, { status: 500, headers: { "x-request-id": "request-7" } });
  const error = new ServerError("Internal server error", response, [
    { code: "ERR_INTERNAL_SERVER_ERROR", message: "internal server error" },
  ]);
  reportError(error);
  await vi.waitFor(() => expect(server.reports).toHaveLength(1));
  expect(server.reports[0]).toMatchObject({
    message: "Internal server error",
    requestID: "request-7",
    errors: [{ code: "ERR_INTERNAL_SERVER_ERROR" }],
    path: "/",
    version: "dev",
  });
  expect(console.error).toHaveBeenCalledWith(error, expect.objectContaining({ requestID: "request-7" }));
});

it("reports the same error once", async () => {
  const server = transport();
  const error = new Error("once");
  reportError(error);
  reportError(error);
  await vi.waitFor(() => expect(server.reports).toHaveLength(1));
  expect(console.error).toHaveBeenCalledTimes(1);
});

it("reports the same failure of two different calls twice", async () => {
  const server = transport();
  for (const requestID of ["request-1", "request-2"]) reportError(new Error("twice"), { requestID });
  await vi.waitFor(() => expect(server.reports).toHaveLength(2));
});

it("turns what is not an error into one", async () => {
  const server = transport();
  reportError("a bare string");
  await vi.waitFor(() => expect(server.reports[0]?.message).toBe("a bare string"));
});

it("truncates reports to the server's limits", async () => {
  const server = transport();
  reportError(new Error("x".repeat(5000)));
  await vi.waitFor(() => expect(server.reports[0]?.message).toHaveLength(2000));
});

it("doesn't report an aborted call", () => {
  transport();
  reportError(new DOMException("Aborted", "AbortError"));
  expect(console.error).not.toHaveBeenCalled();
});

it.each([unreachable(), failure("ERR_TOO_MANY_REQUESTS")])(
  "neither throws nor reports itself when the report fails",
  async (thrown) => {
    const server = transport().on(reportClientError, () => {
      throw thrown;
    });
    reportError(new Error(`lost: ${thrown.message}`));
    await vi.waitFor(() => expect(server.calls(reportClientError)).toHaveLength(1));
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(server.calls(reportClientError)).toHaveLength(1);
  },
);
