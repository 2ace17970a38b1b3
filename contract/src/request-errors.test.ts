import { describe, expect, it } from "vitest";
import {
  AuthError,
  ForbiddenError,
  MissingEntityError,
  NotFoundError,
  RequestError,
  ServerError,
  TimeoutError,
  toRequestError,
  UnauthorizedError,
  ValidationError,
} from "./request-errors.ts";

const answer = (
  status: number,
  body: unknown,
  headers: Record<string, string> = { "x-request-id": "req-1" },
) => new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers });

const name = { code: "ERR_DUPLICATE_VALUE", message: "value already exists", path: "name" };
const limit = { code: "ERR_LIMIT_EXCEEDED", message: "limit exceeded", extra: { limit: 10 } };
const entry = (code: string) => ({ code, message: "said" });

describe("a failed request", () => {
  it("with 400 becomes a validation error with its fields [S8.1] [S8.2] [S5.1] [S3.9]", async () => {
    const error = await toRequestError(answer(400, { errors: [name, limit] }));
    expect(error).toBeInstanceOf(ValidationError);
    expect(error.message).toBe(
      "Form validation error on field(s): name name: value already exists (ERR_DUPLICATE_VALUE); limit exceeded (ERR_LIMIT_EXCEEDED)",
    );
    expect(error).toMatchObject({ name: "ValidationError", reported: false, fieldErrors: [name, limit] });
  });

  it("keeps the server's messages when callers replace them [S5.1]", async () => {
    const error = (await toRequestError(answer(400, { errors: [name] }))) as ValidationError;
    Object.assign(error.fieldErrors[0] ?? {}, { message: "Taken", reworded: true });
    expect(error.errors).toEqual([name]);
  });

  it("with 400 and an empty list has a plain message [S8.1]", async () => {
    const error = await toRequestError(answer(400, { errors: [] }));
    expect(error).not.toBeInstanceOf(ValidationError);
    expect(error.message).toBe("No errors in validation error");
  });

  it("with 400 and no list is a generic error [S8.1]", async () => {
    for (const body of ["<html>", {}, { errors: "none" }, "null"]) {
      const error = await toRequestError(answer(400, body));
      expect(error).not.toBeInstanceOf(ValidationError);
      expect(error.message).toBe("Request failed with status 400");
    }
  });

  it("with 429 and a list becomes a validation error [S8.7]", async () => {
    const tooMany = { code: "ERR_TOO_MANY_REQUESTS", message: "too many requests" };
    const error = await toRequestError(answer(429, { errors: [tooMany] }));
    expect(error).toBeInstanceOf(ValidationError);
    expect(error).toMatchObject({ fieldErrors: [tooMany] });
    expect(error.message).toMatch(/^Form validation error on field\(s\): /);
    expect(await toRequestError(answer(429, "busy"))).not.toBeInstanceOf(ValidationError);
  });

  it.each(["ERR_UNAUTHORIZED", "ERR_2FA_REQUIRED", "ERR_2FA_RENEWAL_REQUIRED"])(
    "with 401 and %s becomes an auth error with that code [S8.1] [S8.2]",
    async (code) => {
      const error = await toRequestError(answer(401, { errors: [entry(code)] }));
      expect(error).toBeInstanceOf(AuthError);
      expect(error).toMatchObject({ message: "Not logged in", code });
    },
  );

  it("with 401 and anything else becomes a generic unauthorized error [S8.1]", async () => {
    for (const body of [{ errors: [entry("ERR_OTHER")] }, { errors: [] }, "<html>", {}]) {
      const error = await toRequestError(answer(401, body));
      expect(error).toBeInstanceOf(UnauthorizedError);
      expect(error).not.toBeInstanceOf(AuthError);
    }
  });

  it.each([
    [403, ForbiddenError, "Forbidden"],
    [404, NotFoundError, "Not Found"],
    [408, TimeoutError, "Server timeout: said (ERR_X)"],
    [500, ServerError, "Internal server error"],
  ])(
    "with %i becomes an error of its class, with or without an error list [S8.1] [S8.2]",
    async (status, Kind, message) => {
      const error = await toRequestError(answer(status, { errors: [entry("ERR_X")] }));
      expect(error).toBeInstanceOf(Kind);
      expect(error).toMatchObject({ message, errors: [entry("ERR_X")] });
      const bare = await toRequestError(answer(status, "<html>"));
      expect(bare).toBeInstanceOf(Kind);
      expect(bare).toMatchObject({ errors: [] });
    },
  );

  it("with 408 has a message with the specified prefix [S8.2]", async () => {
    expect((await toRequestError(answer(408, { errors: [] }))).message).toMatch(/^Server timeout:/);
  });

  it.each([402, 405, 409, 413, 418, 502, 503])(
    "with %i is a generic error with the server's message [S8.1]",
    async (status) => {
      const error = await toRequestError(answer(status, { errors: [entry("ERR_X")] }));
      expect(error).toBeInstanceOf(RequestError);
      expect(Object.getPrototypeOf(error)).toBe(RequestError.prototype);
      expect(error.message).toBe("Request failed: said");
      expect((await toRequestError(answer(status, "oops"))).message).toBe(
        `Request failed with status ${status}`,
      );
    },
  );

  it("has the response and the request ID [S3.10]", async () => {
    const response = answer(404, { errors: [] });
    expect(await toRequestError(response)).toMatchObject({ response, requestID: "req-1" });
    expect(await toRequestError(answer(500, "", {}))).toMatchObject({ requestID: undefined });
  });
});

it("a missing entity is named and has no response [S8.2]", () => {
  const error = new MissingEntityError("network-x");
  expect(error.message).toBe("Could not find network-x");
  expect(error).not.toBeInstanceOf(RequestError);
});
