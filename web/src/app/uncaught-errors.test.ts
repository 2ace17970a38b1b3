import { expect, it, vi } from "vitest";
import { transport } from "../testing/transport.ts";
import { reportUncaughtErrors } from "./uncaught-errors.ts";

it("reports uncaught errors and rejections", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const server = transport();
  reportUncaughtErrors();
  window.dispatchEvent(new ErrorEvent("error", { error: new Error("uncaught") }));
  const rejection = Object.assign(new Event("unhandledrejection"), { reason: new Error("rejected") });
  window.dispatchEvent(rejection);
  await vi.waitFor(() =>
    expect(server.reports.map(({ message }) => message)).toEqual(["uncaught", "rejected"]),
  );
});
