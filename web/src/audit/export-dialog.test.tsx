import { EXPORT_COUNT_HEADER, exportAuditLogs } from "@lightkeeper/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { openLog, ruleAdded, serveEntries } from "../testing/audit-page.tsx";
import { signIn } from "../testing/render.tsx";
import { role } from "../testing/samples.ts";
import { failure } from "../testing/transport.ts";

const alert = vi.fn();
beforeEach(() => {
  signIn();
  vi.stubGlobal("alert", alert.mockClear());
});

describe("the export", () => {
  const csv = (chunks: ReadableStream<Uint8Array>, total = 3) =>
    new Response(chunks, {
      headers: {
        "content-type": "text/csv; charset=utf-8",
        "content-disposition": 'attachment; filename="audit-log-2026-11-15.csv"',
        [EXPORT_COUNT_HEADER]: String(total),
      },
    });
  const bytes = (text: string) => new TextEncoder().encode(text);

  /** Records the files that the browser saves. */
  function recordSavedFiles(): { name: string; content: Blob }[] {
    const saved: { name: string; content: Blob }[] = [];
    let content = new Blob();
    vi.stubGlobal(
      "URL",
      Object.assign(URL, { createObjectURL: (blob: Blob) => ((content = blob), "blob:x") }),
    );
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
      saved.push({ name: this.download, content });
    });
    return saved;
  }

  it("opens over the log at its own URL, with the filters of the log [S2.15] [S3.7]", async () => {
    serveEntries(ruleAdded);
    const { user, path } = openLog(`/logs/audit/export?filter.targetType=role&filter.targetID=${role.id}`);
    const dialog = within(await screen.findByRole("dialog", { name: "Export audit log" }));
    expect(document.title).toBe("Export audit log - Lightkeeper");
    expect(dialog.getByLabelText<HTMLSelectElement>("Type").value).toBe("role");
    expect(dialog.getByLabelText<HTMLInputElement>(/Object ID/).value).toBe(role.id);
    await user.click(dialog.getByRole("button", { name: "Cancel" }));
    expect(path()).toBe(`/logs/audit?filter.targetType=role&filter.targetID=${role.id}`);
    expect(document.title).toBe("Audit log - Lightkeeper");
  });

  it("shows its progress and saves a file", async () => {
    const saved = recordSavedFiles();
    let controller!: ReadableStreamDefaultController<Uint8Array>;
    const api = serveEntries(ruleAdded).on(exportAuditLogs, () =>
      csv(new ReadableStream({ start: (started) => void (controller = started) })),
    );
    const { user, path } = openLog(["/logs/audit", "/logs/audit/export"]);
    const dialog = within(await screen.findByRole("dialog"));
    await user.selectOptions(dialog.getByLabelText("Time"), "30d");
    await user.click(dialog.getByRole("button", { name: "Export" }));
    await waitFor(() => expect(api.calls(exportAuditLogs)).toHaveLength(1));
    expect(api.calls(exportAuditLogs)[0]?.query).toEqual({ format: "csv", timeFrame: "30d" });
    controller.enqueue(bytes("timestamp,id\r\n1,a\r\n2,"));
    expect(await dialog.findByText("1 of 3 entries")).toBeDefined();
    controller.enqueue(bytes("b\r\n3,c\r\n"));
    expect(await dialog.findByText("3 of 3 entries")).toBeDefined();
    controller.close();
    expect(await screen.findByText("3 entries exported")).toBeDefined();
    expect(saved.map(({ name }) => name)).toEqual(["audit-log-2026-11-15.csv"]);
    expect(saved[0]?.content.size).toBe(bytes("timestamp,id\r\n1,a\r\n2,b\r\n3,c\r\n").length);
    await waitFor(() => expect(path()).toBe("/logs/audit"));
  });

  it("can be stopped, and then saves nothing", async () => {
    const saved = recordSavedFiles();
    const api = serveEntries(ruleAdded).on(exportAuditLogs, ({ signal }) =>
      csv(
        new ReadableStream({
          start: (controller) => signal?.addEventListener("abort", () => controller.error(signal.reason)),
        }),
      ),
    );
    const { user } = openLog("/logs/audit/export");
    const dialog = within(await screen.findByRole("dialog"));
    await user.click(dialog.getByRole("button", { name: "Export" }));
    await user.click(await dialog.findByRole("button", { name: "Stop" }));
    expect(await dialog.findByRole("button", { name: "Cancel" })).toBeDefined();
    expect(dialog.queryByRole("alert")).toBeNull();
    expect(api.calls(exportAuditLogs)[0]?.signal?.aborted).toBe(true);
    expect(saved).toEqual([]);
    expect(alert).not.toHaveBeenCalled();
  });

  it("of the hash chain has no filters, and shows how to verify it", async () => {
    const api = serveEntries(ruleAdded).on(exportAuditLogs, () => {
      throw failure("ERR_UNAVAILABLE");
    });
    const { user } = openLog("/logs/audit/export?filter.targetType=role");
    const dialog = within(await screen.findByRole("dialog"));
    await user.click(dialog.getByRole("radio", { name: "NDJSON" }));
    expect(dialog.getByText(/verify-audit-log\.mjs/)).toBeDefined();
    expect(dialog.queryByLabelText("Type")).toBeNull();
    await user.click(dialog.getByRole("button", { name: "Export" }));
    expect(await dialog.findByRole("alert")).toBeDefined();
    await new Promise((resolve) => setTimeout(resolve));
    expect(alert).not.toHaveBeenCalled();
    expect(api.calls(exportAuditLogs)[0]?.query).toEqual({ format: "ndjson" });
  });
});
