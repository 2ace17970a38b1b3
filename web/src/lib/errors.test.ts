import {
  AuthError,
  ForbiddenError,
  ValidationError,
  type AuthErrorCode,
  type ErrorEntry,
} from "@lightkeeper/contract";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { formTarget } from "../testing/form-target.ts";
import { transport, type Transport } from "../testing/transport.ts";
import { handleFormError, handleShownError, isHandled, messageOf, reword, showInAlert } from "./errors.ts";
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

const settled = () => new Promise((resolve) => setTimeout(resolve, 10));

describe("an entry of a validation error in a form", () => {
  it("is shown on its field, and the first field is focused [S8.3]", () => {
    const form = formTarget({ name: "", cidr: "" });
    handleFormError(invalid({ path: "name", message: "a" }, { path: "cidr", message: "b" }), form);
    expect(form.setError.mock.calls).toEqual([
      ["name", { type: "ERR_INVALID_VALUE", message: "a" }, { shouldFocus: true }],
      ["cidr", { type: "ERR_INVALID_VALUE", message: "b" }, { shouldFocus: false }],
    ]);
  });

  it("is shown on its own path within a list", () => {
    const form = formTarget({ rules: [] });
    handleFormError(invalid({ path: "rules[0].port" }), form);
    expect(form.setError.mock.calls[0]?.[0]).toBe("rules[0].port");
  });

  it("is shown beside another entry of the same field [S5.1]", () => {
    const form = formTarget({ name: "" });
    handleFormError(invalid({ path: "name", message: "a" }, { path: "name", message: "b" }), form);
    expect(form.setError).toHaveBeenLastCalledWith(
      "name",
      { type: "ERR_INVALID_VALUE", message: "a\nb" },
      { shouldFocus: true },
    );
  });

  it("without a path is shown on the whole form and reported as fallen through [S5.1, S8.3]", async () => {
    const form = formTarget({ name: "" });
    handleFormError(invalid({ message: "limit exceeded" }), form);
    expect(form.setError).toHaveBeenCalledExactlyOnceWith("root", {
      type: "ERR_INVALID_VALUE",
      message: "limit exceeded",
    });
    await reported();
    expect(messagesReported()).toEqual(["Error without path fell through"]);
  });

  it("of a field the form lacks is shown with its path and reported as fallen through [S8.3]", async () => {
    const form = formTarget({ name: "" });
    const error = invalid({ path: "curve", message: "must be 25519" }, { path: "name" });
    handleFormError(error, form);
    expect(form.setError).toHaveBeenLastCalledWith("root", {
      type: "ERR_INVALID_VALUE",
      message: "curve: must be 25519",
    });
    await vi.waitFor(() => expect(server.reports).toHaveLength(2));
    expect(server.reports).toEqual([
      expect.objectContaining({
        message: "Error on field curve fell through",
        requestID: error.requestID,
        errors: [{ code: "ERR_INVALID_VALUE", path: "curve" }],
      }),
      expect.objectContaining({
        message: error.message,
        errors: [{ code: "ERR_INVALID_VALUE", path: "name" }],
      }),
    ]);
    expect(error.reported).toBe(true);
  });

  it("is not mistaken for a property that every object has", async () => {
    handleFormError(invalid({ path: "constructor" }), formTarget({}));
    await reported();
    expect(messagesReported()).toEqual(["Error on field constructor fell through"]);
  });

  it("is reported once, however often the error is handled [S5.1]", async () => {
    const error = invalid({ path: "name" });
    handleFormError(error, formTarget({}));
    handleFormError(error, formTarget({}));
    await reported();
    await settled();
    expect(server.reports).toHaveLength(1);
  });

  it("shown with the server's message is reported once, and the error is marked [S5.1]", async () => {
    const error = invalid({ path: "cidr" }, { path: "name", code: "ERR_DUPLICATE_VALUE" });
    handleFormError(reword(error, [networkNameTaken]), formTarget({ cidr: "", name: "" }));
    await reported();
    expect(server.reports).toEqual([
      expect.objectContaining({
        message: error.message,
        errors: [{ code: "ERR_INVALID_VALUE", path: "cidr" }],
      }),
    ]);
    expect(error.reported).toBe(true);
  });
});

describe("an entry that a rule rewords", () => {
  it("is marked as reworded and not reported [S5.1]", async () => {
    const error = reword(invalid({ path: "name", code: "ERR_DUPLICATE_VALUE" }), [networkNameTaken]);
    expect(error.fieldErrors[0]).toMatchObject({ reworded: true, message: networkNameTaken.message });
    handleFormError(error, formTarget({ name: "" }));
    await settled();
    expect(server.reports).toEqual([]);
  });

  it("is reworded when the server leaves out the path [S5.1]", async () => {
    const error = invalid({ code: "ERR_DUPLICATE_VALUE" });
    handleShownError(error, [networkNameTaken]);
    expect(messageOf(error)).toBe(networkNameTaken.message);
    await settled();
    expect(server.reports).toEqual([]);
  });

  it("prefers the rule of its own path", () => {
    const forAny = { codes: ["ERR_INVALID_VALUE"], path: null, message: "about the whole" };
    const forName = { codes: ["ERR_INVALID_VALUE"], path: "name", message: "about the name" };
    expect(messageOf(reword(invalid({}), [forName, forAny]))).toBe("about the whole");
  });

  it("is reworded everywhere when there were too many requests and no path [S8.7]", async () => {
    const error = invalid({ code: "ERR_TOO_MANY_REQUESTS" });
    handleShownError(error);
    expect(messageOf(error)).toBe("Too many requests, please try again later.");
    await settled();
    expect(server.reports).toEqual([]);
  });
});

describe("an error that a dialog shows", () => {
  it("shows every entry, with the path if the message is the server's [S5.1]", () => {
    const error = invalid({ path: "name", code: "ERR_DUPLICATE_VALUE" }, { path: "cidr", message: "is bad" });
    handleShownError(error, [networkNameTaken]);
    expect(messageOf(error)).toBe(`${String(networkNameTaken.message)}\ncidr: is bad`);
  });

  it("reports the entries with the server's message, once [S5.1, S8.3]", async () => {
    const error = invalid({}, { path: "cidr" }, { path: "name", code: "ERR_DUPLICATE_VALUE" });
    handleShownError(error, [networkNameTaken]);
    handleShownError(error, [networkNameTaken]);
    await vi.waitFor(() => expect(server.reports).toHaveLength(2));
    await settled();
    expect(messagesReported()).toEqual([
      "Error without path fell through",
      "Error on field cidr fell through",
    ]);
  });

  it("counts as handled", () => {
    const error = invalid({});
    handleShownError(error);
    expect(isHandled(error)).toBe(true);
  });
});

describe("any other error", () => {
  it("shows its message in a browser alert and counts as handled [S8.4]", () => {
    const error = new ForbiddenError("Forbidden", responseOf(403));
    handleFormError(error, formTarget({}));
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

  it("is returned unchanged by rewording", () => {
    const error = new Error("other");
    expect(reword(error, [networkNameTaken])).toBe(error);
    expect(error.message).toBe("other");
  });
});
