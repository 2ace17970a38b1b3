import { MissingEntityError, NotFoundError } from "@lightkeeper/contract";
import { expect, it, vi } from "vitest";
import { transport } from "../testing/transport.ts";
import { reportRecoverableError, reportUncaughtErrors } from "./uncaught-errors.ts";

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

it.each([
  new MissingEntityError("host-A"),
  new NotFoundError("Not Found", new Response(null, { status: 404 })),
])(
  "reports the reason of an error that React recovered from, unless an object was missing (%s)",
  (missing) => {
    const report = vi.fn<typeof window.reportError>();
    vi.stubGlobal("reportError", report);
    const reason = new Error("reason");
    reportRecoverableError(new Error("recovered", { cause: missing }));
    reportRecoverableError(new Error("recovered", { cause: reason }));
    expect(report.mock.calls).toEqual([[reason]]);
  },
);
