import {
  EXPORT_COUNT_HEADER,
  exportAuditLogs,
  getRole,
  listAuditLogs,
  listMembers,
  listNetworks,
  listRoles,
  verifyAuditLogs,
  whoami,
  type AuditLog,
} from "@lightkeeper/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { invalidateNoun } from "../lib/query.ts";
import { listenForShortcuts } from "../lib/shortcuts.ts";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { network, organization, role, user as person } from "../testing/samples.ts";
import { failure, page, transport, type Transport } from "../testing/transport.ts";
import { AuditPage } from "./audit-page.tsx";
import { ExportDialog } from "./export-dialog.tsx";

const alert = vi.fn();
beforeEach(() => {
  signIn();
  vi.stubGlobal("alert", alert.mockClear());
});

const entry = (id: string, more: Partial<AuditLog> = {}): AuditLog => ({
  id: `log-${id.padEnd(26, "A")}`,
  organizationID: organization.id,
  timestamp: "2026-11-15T08:00:00.000001Z",
  actor: { type: "user", id: person.actor.id, email: person.actor.email },
  target: { type: "role", id: role.id },
  event: { type: "CREATED", before: null, after: { name: "Database" } },
  actorAddress: "192.0.2.7",
  actorName: person.actor.email,
  targetName: "Database",
  ...more,
});

const ssh = {
  protocol: "TCP",
  portRange: { from: 22, to: 22 },
  allowedRoleID: role.id,
  allowedTags: [],
  description: "",
};
const ruleAdded = entry("A", {
  event: { type: "UPDATED", before: { firewallRules: [] }, after: { firewallRules: [ssh] } },
});
const hostGone = entry("B", {
  timestamp: "2026-11-14T08:00:00.000001Z",
  actor: { type: "apiKey", id: "lkkey-A", name: "terraform" },
  actorName: "terraform",
  actorAddress: null,
  target: { type: "host", id: "host-gone" },
  targetName: null,
  event: { type: "DELETED", before: { name: "web-9" }, after: null },
});

const served = (...entries: AuditLog[]): Transport =>
  transport()
    .on(whoami, () => person)
    .on(listRoles, () => page([role]))
    .on(listNetworks, () => page([network]))
    .on(listMembers, () => page([]))
    .on(listAuditLogs, () => page(entries));

const open = (at: string | string[] = "/logs/audit") =>
  renderRoutes(
    [
      {
        path: "/logs/audit",
        element: <AuditPage />,
        children: [{ path: "export", element: <ExportDialog /> }],
      },
      { path: "*", element: <p>Elsewhere</p> },
    ],
    at,
  );
const sentence = async (words: RegExp) => (await screen.findByText(words)).closest("li")!;

describe("the log", () => {
  it("shows sentences grouped by day, with objects as links [S2.15]", async () => {
    served(ruleAdded, hostGone);
    open();
    const added = within(await sentence(/ from role /));
    await waitFor(() =>
      expect(added.getByText(/ from role /).textContent).toBe(
        "ada@example.com added TCP 22 from role Web to role Database",
      ),
    );
    for (const link of added.getAllByRole("link"))
      expect(link.getAttribute("href")).toBe(`/roles/${role.id}`);
    expect(added.getByText("192.0.2.7")).toBeDefined();
    expect(added.getByText(/^\d\d:\d\d$/).getAttribute("datetime")).toBe(ruleAdded.timestamp);
    const gone = within(await sentence(/deleted host/));
    expect(gone.getByText(/deleted host/).textContent).toBe("API key terraform deleted host web-9");
    expect(gone.getAllByRole("link").map((link) => link.textContent)).toEqual(["terraform"]);
    expect(screen.getAllByRole("heading", { level: 2 })).toHaveLength(2);
    expect(document.title).toBe("Audit log - Lightkeeper");
  });

  it("shows that a role or network in a sentence was deleted", async () => {
    const joined = entry("C", {
      target: { type: "host", id: "host-1" },
      targetName: "web-1",
      event: { type: "CREATED", before: null, after: { networkID: "network-gone" } },
    });
    served(ruleAdded, joined)
      .on(listRoles, () => page([]))
      .on(getRole, () => {
        throw failure("ERR_NOT_FOUND");
      });
    open();
    expect((await screen.findByText(/from role \(deleted\)/)).textContent).toContain("to role Database");
    expect((await screen.findByText(/to network \(deleted\)/)).textContent).toContain("added host web-1");
  });

  it("shows names literally", async () => {
    const name = "<script>alert(1)</script> שלום 🏠";
    served(entry("A", { targetName: name }));
    open();
    const link = await screen.findByRole("link", { name });
    expect(link.getAttribute("dir")).toBe("auto");
  });

  it("shows the change when an entry is opened, and links to related entries", async () => {
    served(entry("A", { event: { type: "UPDATED", before: { name: "Db" }, after: { name: "Database" } } }));
    const { user } = open();
    const row = within(await sentence(/renamed role/));
    await user.click(row.getByRole("button", { name: "Details" }));
    const difference = await row.findByRole("region", { name: "What changed" });
    expect(difference.textContent).toContain('Removed:   "name": "Db"');
    expect(difference.textContent).toContain('Added:   "name": "Database"');
    expect(row.getByRole("link", { name: "All entries for this object" }).getAttribute("href")).toBe(
      `/logs/audit?filter.targetID=${role.id}`,
    );
    expect(row.getByRole("link", { name: "All entries by this actor" }).getAttribute("href")).toBe(
      "/logs/audit?filter.actor=ada%40example.com",
    );
    await user.click(row.getByRole("button", { name: "Details" }));
    expect(row.queryByRole("region")).toBeNull();
  });

  it("loads older entries", async () => {
    served().on(listAuditLogs, ({ query }) =>
      query.cursor ? page([hostGone]) : page([ruleAdded], { hasNextPage: true, nextCursor: "older" }),
    );
    const { user } = open();
    await user.click(await screen.findByRole("button", { name: "Show older" }));
    expect(await sentence(/deleted host/)).toBeDefined();
    expect(screen.queryByRole("button", { name: "Show older" })).toBeNull();
  });

  it("announces new entries, and shows them on request", async () => {
    const api = served(ruleAdded);
    const { user } = open();
    await sentence(/ from role /);
    expect(api.calls(listAuditLogs)).toHaveLength(1);
    api.on(listAuditLogs, () => page([entry("C"), ruleAdded]));
    await invalidateNoun("audit-logs");
    const show = await screen.findByRole("button", { name: "Show 1 new entry" });
    expect(screen.queryByText(/added role/)).toBeNull();
    await user.click(show);
    expect(await sentence(/added role/)).toBeDefined();
    expect(screen.queryByRole("button", { name: /new entr/ })).toBeNull();
  });

  it("can be navigated with j and k, and Enter opens an entry", async () => {
    served(ruleAdded, hostGone);
    const stopListening = listenForShortcuts();
    const { user, path } = open();
    const [first, second] = [await sentence(/ from role /), await sentence(/deleted host/)];
    await user.keyboard("jj");
    expect(second.contains(document.activeElement)).toBe(true);
    await user.keyboard("k{Enter}");
    expect(first.contains(document.activeElement)).toBe(true);
    expect(await within(first).findByRole("region", { name: "What changed" })).toBeDefined();
    await user.keyboard("d");
    expect(path()).toBe("/logs/audit/export");
    stopListening();
  });

  it("shows what failed with the request ID, and retries", async () => {
    const api = served().on(listAuditLogs, () => {
      throw failure("ERR_INTERNAL_SERVER_ERROR", {}, "request-9");
    });
    const { user } = open();
    expect((await screen.findByRole("alert")).textContent).toContain("request-9");
    api.on(listAuditLogs, () => page([ruleAdded]));
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(await sentence(/ from role /)).toBeDefined();
  });

  it("shows that there are no entries", async () => {
    served();
    open();
    expect(await screen.findByRole("heading", { name: "No entries yet" })).toBeDefined();
  });
});

describe("filters", () => {
  it("are part of the URL, named like the API's filters", async () => {
    const api = served(ruleAdded);
    open(
      `/logs/audit?filter.targetType=role&filter.targetID=${role.id}&filter.actor=ada@example.com&filter.action=UPDATED&filter.time=7d`,
    );
    await sentence(/ from role /);
    const asked = api.calls(listAuditLogs)[0]?.query ?? {};
    expect(asked).toMatchObject({
      "filter.targetType": "role",
      "filter.targetID": role.id,
      "filter.actor": "ada@example.com",
      "filter.action": "UPDATED",
    });
    const daysAgo = (Date.now() - Date.parse(asked["filter.from"] ?? "")) / 86_400_000;
    expect(daysAgo).toBeCloseTo(7, 1);
    for (const words of ["Type: Roles", "Actor: ada@example.com", "Action: Changed", "Time: Last 7 days"])
      expect(screen.getByRole("button", { name: words })).toBeDefined();
    expect(await screen.findByRole("button", { name: "Object: Database" })).toBeDefined();
  });

  it("can be added and removed", async () => {
    served(ruleAdded);
    const { user, path } = open();
    await sentence(/ from role /);
    await user.click(screen.getByRole("button", { name: "Type" }));
    await user.click(await screen.findByRole("option", { name: "Hosts" }));
    expect(path()).toBe("/logs/audit?filter.targetType=host");
    await user.click(screen.getByRole("button", { name: "Remove filter Type: Hosts" }));
    expect(path()).toBe("/logs/audit");
  });

  it("find an actor among the members, by kind, and by any address", async () => {
    served(ruleAdded);
    const { user, path } = open();
    await user.click(await screen.findByRole("button", { name: "Actor" }));
    expect(await screen.findByRole("option", { name: "Lightkeeper (system)" })).toBeDefined();
    await user.type(screen.getByRole("combobox"), "gone@example.com");
    await user.click(await screen.findByRole("option", { name: "gone@example.com" }));
    expect(path()).toBe("/logs/audit?filter.actor=gone%40example.com");
  });

  it("accept two dates, both inclusive, and reject an invalid date", async () => {
    const api = served(ruleAdded);
    const { router } = open("/logs/audit?filter.time=days&filter.from=2026-11-01&filter.to=2026-11-02");
    await sentence(/ from role /);
    expect(api.calls(listAuditLogs)[0]?.query).toMatchObject({
      "filter.from": new Date(2026, 10, 1).toISOString(),
      "filter.to": new Date(2026, 10, 3).toISOString(),
    });
    expect(screen.getByLabelText<HTMLInputElement>("From date").value).toBe("2026-11-01");
    await router.navigate("/logs/audit?filter.time=days&filter.from=2026-02-30");
    await waitFor(() => expect(api.calls(listAuditLogs)).toHaveLength(2));
    expect(api.calls(listAuditLogs)[1]?.query).toEqual({ pageSize: "50" });
  });

  it("without matches show that and can be cleared", async () => {
    served();
    const { user, path } = open("/logs/audit?filter.action=DELETED");
    await user.click(await screen.findByRole("button", { name: "Clear filters" }));
    expect(path()).toBe("/logs/audit");
  });
});

describe("the chain", () => {
  it("is verified on request, and the result is kept with its date", async () => {
    served(ruleAdded).on(verifyAuditLogs, () => ({ ok: true as const, entries: 1204, head: "ab" }));
    const { user, unmount } = open();
    expect(await screen.findByText("Not verified")).toBeDefined();
    await sentence(/ from role /);
    await user.click(screen.getByRole("button", { name: "Verify" }));
    expect(await screen.findByText("Verified")).toBeDefined();
    expect(screen.getByText(/^1,204 entries, checked/)).toBeDefined();
    unmount();
    open();
    expect(await screen.findByText("Verified")).toBeDefined();
    expect(screen.getByRole("button", { name: "Verify again" })).toBeDefined();
  });

  it("that is broken is shown with the first invalid entry", async () => {
    served(ruleAdded).on(verifyAuditLogs, () => ({ ok: false as const, firstBroken: "log-X" }));
    const { user } = open();
    await sentence(/ from role /);
    await user.click(screen.getByRole("button", { name: "Verify" }));
    expect((await screen.findByRole("alert")).textContent).toContain("First invalid entry: log-X");
  });

  it("that can't be verified shows why", async () => {
    served(ruleAdded).on(verifyAuditLogs, () => {
      throw failure("ERR_UNAVAILABLE");
    });
    const { user } = open();
    await sentence(/ from role /);
    await user.click(screen.getByRole("button", { name: "Verify" }));
    expect(await screen.findByText(/temporarily unavailable/)).toBeDefined();
    await new Promise((resolve) => setTimeout(resolve));
    expect(alert).not.toHaveBeenCalled();
  });
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

  /** What the browser was handed as files. */
  function files(): { name: string; content: Blob }[] {
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
    served(ruleAdded);
    const { user, path } = open(`/logs/audit/export?filter.targetType=role&filter.targetID=${role.id}`);
    const dialog = within(await screen.findByRole("dialog", { name: "Export audit log" }));
    expect(document.title).toBe("Export audit log - Lightkeeper");
    expect(dialog.getByLabelText<HTMLSelectElement>("Type").value).toBe("role");
    expect(dialog.getByLabelText<HTMLInputElement>(/Object ID/).value).toBe(role.id);
    await user.click(dialog.getByRole("button", { name: "Cancel" }));
    expect(path()).toBe(`/logs/audit?filter.targetType=role&filter.targetID=${role.id}`);
    expect(document.title).toBe("Audit log - Lightkeeper");
  });

  it("shows its progress and saves a file", async () => {
    const saved = files();
    let come!: ReadableStreamDefaultController<Uint8Array>;
    const api = served(ruleAdded).on(exportAuditLogs, () =>
      csv(new ReadableStream({ start: (controller) => void (come = controller) })),
    );
    const { user, path } = open(["/logs/audit", "/logs/audit/export"]);
    const dialog = within(await screen.findByRole("dialog"));
    await user.selectOptions(dialog.getByLabelText("Time"), "30d");
    await user.click(dialog.getByRole("button", { name: "Export" }));
    await waitFor(() => expect(api.calls(exportAuditLogs)).toHaveLength(1));
    expect(api.calls(exportAuditLogs)[0]?.query).toEqual({ format: "csv", timeFrame: "30d" });
    come.enqueue(bytes("timestamp,id\r\n1,a\r\n2,"));
    expect(await dialog.findByText("1 of 3 entries")).toBeDefined();
    come.enqueue(bytes("b\r\n3,c\r\n"));
    expect(await dialog.findByText("3 of 3 entries")).toBeDefined();
    come.close();
    expect(await screen.findByText("3 entries exported")).toBeDefined();
    expect(saved.map(({ name }) => name)).toEqual(["audit-log-2026-11-15.csv"]);
    expect(saved[0]?.content.size).toBe(bytes("timestamp,id\r\n1,a\r\n2,b\r\n3,c\r\n").length);
    await waitFor(() => expect(path()).toBe("/logs/audit"));
  });

  it("can be stopped, and then saves nothing", async () => {
    const saved = files();
    const api = served(ruleAdded).on(exportAuditLogs, ({ signal }) =>
      csv(
        new ReadableStream({
          start: (controller) => signal?.addEventListener("abort", () => controller.error(signal.reason)),
        }),
      ),
    );
    const { user } = open("/logs/audit/export");
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
    const api = served(ruleAdded).on(exportAuditLogs, () => {
      throw failure("ERR_UNAVAILABLE");
    });
    const { user } = open("/logs/audit/export?filter.targetType=role");
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
