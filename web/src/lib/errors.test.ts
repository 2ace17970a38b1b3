import {
  AuthError,
  ForbiddenError,
  ValidationError,
  type AuthErrorCode,
  type ErrorEntry,
} from "@lightkeeper/contract";
import type { UseFormReturn } from "react-hook-form";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { transport, type Transport } from "../testing/transport.ts";
import { handleFormError, isHandled, reword, showInAlert } from "./errors.ts";
import { networkNameTaken } from "./messages.ts";

let server: Transport;
let calls = 0;
const alert = vi.fn();

beforeEach(() => {
  server = transport();
  alert.mockReset();
  vi.stubGlobal("alert", alert);
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

const responseOf = (status: number) =>
  new Response(null, { status, headers: { "x-request-id": `request-${++calls}` } });
const invalid = (...entries: Partial<ErrorEntry>[]) =>
  new ValidationError(
    responseOf(400),
    entries.map((entry) => ({ code: "ERR_INVALID_VALUE", message: "invalid value", ...entry })),
  );
const reported = () => vi.waitFor(() => expect(server.reports.length).toBeGreaterThan(0));
const messagesReported = () => server.reports.map(({ message }) => message);

describe("an entry of a validation error", () => {
  it("goes to the handler of its field [S8.3]", () => {
    const name = vi.fn();
    const cidr = vi.fn();
    handleFormError(invalid({ path: "name" }), { name, cidr });
    expect(name).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ path: "name" }));
    expect(cidr).not.toHaveBeenCalled();
  });

  it("goes to the top-level handler when it has no path [S5.1]", () => {
    const top = vi.fn();
    handleFormError(invalid({}), { "": top });
    expect(top).toHaveBeenCalledOnce();
  });

  it("is reported as fallen through when no handler takes it [S8.3]", async () => {
    const error = invalid({ path: "name" });
    handleFormError(error, {});
    await reported();
    expect(server.reports).toEqual([
      expect.objectContaining({
        message: "Error on field name fell through",
        requestID: error.requestID,
        errors: [{ code: "ERR_INVALID_VALUE", path: "name" }],
      }),
    ]);
    expect(error.reported).toBe(true);
  });

  it("is reported as fallen through when its handler refuses it [S8.3]", async () => {
    handleFormError(invalid({ path: "name" }), { name: () => false });
    await reported();
    expect(messagesReported()).toEqual(["Error on field name fell through"]);
  });

  it("without a path is reported as fallen through when nobody takes it [S8.3]", async () => {
    handleFormError(invalid({}), { name: () => undefined });
    await reported();
    expect(messagesReported()).toEqual(["Error without path fell through"]);
  });

  it("is not mistaken for a property every object has", async () => {
    handleFormError(invalid({ path: "constructor" }), {});
    await reported();
    expect(messagesReported()).toEqual(["Error on field constructor fell through"]);
  });

  it("is reported once, however often the error is handled [S5.1]", async () => {
    const error = invalid({ path: "name" });
    handleFormError(error, {});
    handleFormError(error, {});
    await reported();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(server.reports).toHaveLength(1);
  });

  it("shown in the server's words is reported once, and the error marked [S5.1]", async () => {
    const error = invalid({ path: "cidr" }, { path: "name", code: "ERR_DUPLICATE_VALUE" });
    handleFormError(reword(error, [networkNameTaken]), { cidr: () => undefined, name: () => undefined });
    await reported();
    expect(server.reports).toEqual([
      expect.objectContaining({
        message: error.message,
        errors: [{ code: "ERR_INVALID_VALUE", path: "cidr" }],
      }),
    ]);
    expect(error.reported).toBe(true);
  });

  it("that was reworded is marked so and not reported [S5.1]", async () => {
    const error = reword(invalid({ path: "name", code: "ERR_DUPLICATE_VALUE" }), [networkNameTaken]);
    expect(error.fieldErrors[0]).toMatchObject({ reworded: true, message: networkNameTaken.message });
    handleFormError(error, { name: () => undefined });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(server.reports).toEqual([]);
  });
});

describe("a form as the target", () => {
  const formOf = (values: object) => ({
    setError: vi.fn<UseFormReturn["setError"]>(),
    getValues: (() => values) as UseFormReturn["getValues"],
  });

  it("gets entries on their fields, and the first one focused", () => {
    const form = formOf({ name: "", cidr: "" });
    handleFormError(invalid({ path: "name", message: "a" }, { path: "cidr", message: "b" }), form);
    expect(form.setError.mock.calls).toEqual([
      ["name", { type: "ERR_INVALID_VALUE", message: "a" }, { shouldFocus: true }],
      ["cidr", { type: "ERR_INVALID_VALUE", message: "b" }, { shouldFocus: false }],
    ]);
  });

  it("gets entries within a list on their own path", () => {
    const form = formOf({ rules: [] });
    handleFormError(invalid({ path: "rules[0].port" }), form);
    expect(form.setError.mock.calls[0]?.[0]).toBe("rules[0].port");
  });

  it("gets entries without a path on the whole form", () => {
    const form = formOf({ name: "" });
    handleFormError(invalid({ message: "limit exceeded" }), form);
    expect(form.setError).toHaveBeenCalledExactlyOnceWith("root", {
      type: "ERR_INVALID_VALUE",
      message: "limit exceeded",
    });
  });

  it("shows an entry of a field it has not, and it is reported", async () => {
    const form = formOf({ name: "" });
    handleFormError(invalid({ path: "curve", message: "must be 25519" }), form);
    expect(form.setError).toHaveBeenCalledExactlyOnceWith("root", {
      type: "ERR_INVALID_VALUE",
      message: "must be 25519",
    });
    await reported();
    expect(messagesReported()).toEqual(["Error on field curve fell through"]);
  });
});

describe("any other error", () => {
  it("shows its message in a browser alert and counts as handled [S8.4]", () => {
    const error = new ForbiddenError("Forbidden", responseOf(403));
    handleFormError(error, {});
    expect(alert).toHaveBeenCalledExactlyOnceWith("Forbidden");
    expect(isHandled(error)).toBe(true);
  });

  it.each<AuthErrorCode>(["ERR_UNAUTHORIZED", "ERR_2FA_REQUIRED"])(
    "%s leads to the sign-in without an alert",
    (code) => {
      showInAlert(new AuthError(responseOf(401), [], code));
      expect(alert).not.toHaveBeenCalled();
    },
  );

  it("comes back from rewording untouched", () => {
    const error = new Error("other");
    expect(reword(error, [networkNameTaken])).toBe(error);
    expect(error.message).toBe("other");
  });
});
