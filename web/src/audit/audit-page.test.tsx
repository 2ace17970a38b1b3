import { getAccessDiff, getRole, listAuditLogs, listRoles, verifyAuditLogs } from "@lightkeeper/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { invalidateNoun } from "../lib/query.ts";
import { listenForShortcuts } from "../lib/shortcuts.ts";
import {
  entry,
  findSentence,
  hostDeleted,
  openLog,
  ruleAdded,
  serveEntries,
} from "../testing/audit-page.tsx";
import { changedAccess } from "../testing/preview-samples.ts";
import { signIn } from "../testing/render.tsx";
import { role } from "../testing/samples.ts";
import { failure, page } from "../testing/transport.ts";

const alert = vi.fn();
beforeEach(() => {
  signIn();
  vi.stubGlobal("alert", alert.mockClear());
});

describe("the log", () => {
  it("shows what a change opened and closed", async () => {
    const summary = { openedPairCount: 54, closedPairCount: 1080, affectedHostCount: 18, entryCount: 2 };
    const changed = entry("A", { ...ruleAdded, accessDiff: { id: "diff-1", ...summary } });
    serveEntries(changed).on(getAccessDiff, () => ({ ...changedAccess, affectedHosts: [] }));
    const { user } = openLog();
    await user.click(await screen.findByRole("button", { name: "Details" }));
    const access = within(await screen.findByRole("region", { name: "Access" }));
    expect(access.getByText(/54 opened, 1,080 closed, 18 hosts affected/)).toBeDefined();
    expect(access.getByText(/Counted for 2 changes made together/)).toBeDefined();
    expect(await access.findByText("TCP 5432 (PostgreSQL)")).toBeDefined();
  });

  it("shows sentences grouped by day, with objects as links [S2.15]", async () => {
    serveEntries(ruleAdded, hostDeleted);
    openLog();
    const added = within(await findSentence(/ from role /));
    await waitFor(() =>
      expect(added.getByText(/ from role /).textContent).toBe(
        "ada@example.com added TCP 22 from role Web to role Database",
      ),
    );
    for (const link of added.getAllByRole("link"))
      expect(link.getAttribute("href")).toBe(`/roles/${role.id}`);
    expect(added.getByText("192.0.2.7")).toBeDefined();
    expect(added.getByText(/^\d\d:\d\d$/).getAttribute("datetime")).toBe(ruleAdded.timestamp);
    const gone = within(await findSentence(/deleted host/));
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
    serveEntries(ruleAdded, joined)
      .on(listRoles, () => page([]))
      .on(getRole, () => {
        throw failure("ERR_NOT_FOUND");
      });
    openLog();
    expect((await screen.findByText(/from role \(deleted\)/)).textContent).toContain("to role Database");
    expect((await screen.findByText(/to network \(deleted\)/)).textContent).toContain("added host web-1");
  });

  it("shows names literally", async () => {
    const name = "<script>alert(1)</script> שלום 🏠";
    serveEntries(entry("A", { targetName: name }));
    openLog();
    const link = await screen.findByRole("link", { name });
    expect(link.getAttribute("dir")).toBe("auto");
  });

  it("shows the change when an entry is opened, and links to related entries", async () => {
    serveEntries(
      entry("A", { event: { type: "UPDATED", before: { name: "Db" }, after: { name: "Database" } } }),
    );
    const { user } = openLog();
    const row = within(await findSentence(/renamed role/));
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
    serveEntries().on(listAuditLogs, ({ query }) =>
      query.cursor ? page([hostDeleted]) : page([ruleAdded], { hasNextPage: true, nextCursor: "older" }),
    );
    const { user } = openLog();
    await user.click(await screen.findByRole("button", { name: "Show older" }));
    expect(await findSentence(/deleted host/)).toBeDefined();
    expect(screen.queryByRole("button", { name: "Show older" })).toBeNull();
  });

  it("announces new entries, and shows them on request", async () => {
    const api = serveEntries(ruleAdded);
    const { user } = openLog();
    await findSentence(/ from role /);
    expect(api.calls(listAuditLogs)).toHaveLength(1);
    api.on(listAuditLogs, () => page([entry("C"), ruleAdded]));
    await invalidateNoun("audit-logs");
    const show = await screen.findByRole("button", { name: "Show 1 new entry" });
    expect(screen.queryByText(/added role/)).toBeNull();
    await user.click(show);
    expect(await findSentence(/added role/)).toBeDefined();
    expect(screen.queryByRole("button", { name: /new entr/ })).toBeNull();
  });

  it("can be navigated with j and k, and Enter opens an entry", async () => {
    serveEntries(ruleAdded, hostDeleted);
    const stopListening = listenForShortcuts();
    const { user, path } = openLog();
    const [first, second] = [await findSentence(/ from role /), await findSentence(/deleted host/)];
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
    const api = serveEntries().on(listAuditLogs, () => {
      throw failure("ERR_INTERNAL_SERVER_ERROR", {}, "request-9");
    });
    const { user } = openLog();
    expect((await screen.findByRole("alert")).textContent).toContain("request-9");
    api.on(listAuditLogs, () => page([ruleAdded]));
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(await findSentence(/ from role /)).toBeDefined();
  });

  it("shows that there are no entries", async () => {
    serveEntries();
    openLog();
    expect(await screen.findByRole("heading", { name: "No entries yet" })).toBeDefined();
  });
});

describe("filters", () => {
  it("are part of the URL, named like the API's filters", async () => {
    const api = serveEntries(ruleAdded);
    openLog(
      `/logs/audit?filter.targetType=role&filter.targetID=${role.id}&filter.actor=ada@example.com&filter.action=UPDATED&filter.time=7d`,
    );
    await findSentence(/ from role /);
    const query = api.calls(listAuditLogs)[0]?.query ?? {};
    expect(query).toMatchObject({
      "filter.targetType": "role",
      "filter.targetID": role.id,
      "filter.actor": "ada@example.com",
      "filter.action": "UPDATED",
    });
    const daysAgo = (Date.now() - Date.parse(query["filter.from"] ?? "")) / 86_400_000;
    expect(daysAgo).toBeCloseTo(7, 1);
    for (const label of ["Type: Roles", "Actor: ada@example.com", "Action: Changed", "Time: Last 7 days"])
      expect(screen.getByRole("button", { name: label })).toBeDefined();
    expect(await screen.findByRole("button", { name: "Object: Database" })).toBeDefined();
  });

  it("show the ID of an object with an empty name", async () => {
    const target = { type: "guarantee", id: "guarantee-1" } as const;
    serveEntries(entry("A", { target, targetName: "" }));
    openLog("/logs/audit?filter.targetID=guarantee-1");
    await screen.findByRole("link", { name: "without a description" });
    expect(screen.getByRole("button", { name: "Object: guarantee-1" })).toBeDefined();
  });

  it("can be added and removed", async () => {
    serveEntries(ruleAdded);
    const { user, path } = openLog();
    await findSentence(/ from role /);
    await user.click(screen.getByRole("button", { name: "Type" }));
    await user.click(await screen.findByRole("option", { name: "Hosts" }));
    expect(path()).toBe("/logs/audit?filter.targetType=host");
    await user.click(screen.getByRole("button", { name: "Remove filter Type: Hosts" }));
    expect(path()).toBe("/logs/audit");
  });

  it("find an actor among the members, by kind, and by any address", async () => {
    serveEntries(ruleAdded);
    const { user, path } = openLog();
    await user.click(await screen.findByRole("button", { name: "Actor" }));
    expect(await screen.findByRole("option", { name: "Lightkeeper (system)" })).toBeDefined();
    await user.type(screen.getByRole("combobox"), "gone@example.com");
    await user.click(await screen.findByRole("option", { name: "gone@example.com" }));
    expect(path()).toBe("/logs/audit?filter.actor=gone%40example.com");
  });

  it("accept two dates, both inclusive, and reject an invalid date", async () => {
    const api = serveEntries(ruleAdded);
    const { router } = openLog("/logs/audit?filter.time=days&filter.from=2026-11-01&filter.to=2026-11-02");
    await findSentence(/ from role /);
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
    serveEntries();
    const { user, path } = openLog("/logs/audit?filter.action=DELETED");
    await user.click(await screen.findByRole("button", { name: "Clear filters" }));
    expect(path()).toBe("/logs/audit");
  });
});

describe("the chain", () => {
  it("is verified on request, and the result is kept with its date", async () => {
    serveEntries(ruleAdded).on(verifyAuditLogs, () => ({ ok: true as const, entries: 1204, head: "ab" }));
    const { user, unmount } = openLog();
    expect(await screen.findByText("Not verified")).toBeDefined();
    await findSentence(/ from role /);
    await user.click(screen.getByRole("button", { name: "Verify" }));
    expect(await screen.findByText("Verified")).toBeDefined();
    expect(screen.getByText(/^1,204 entries, checked/)).toBeDefined();
    unmount();
    openLog();
    expect(await screen.findByText("Verified")).toBeDefined();
    expect(screen.getByRole("button", { name: "Verify again" })).toBeDefined();
  });

  it("that is broken is shown with the first invalid entry", async () => {
    serveEntries(ruleAdded).on(verifyAuditLogs, () => ({ ok: false as const, firstBroken: "log-X" }));
    const { user } = openLog();
    await findSentence(/ from role /);
    await user.click(screen.getByRole("button", { name: "Verify" }));
    expect((await screen.findByRole("alert")).textContent).toContain("First invalid entry: log-X");
  });

  it("that can't be verified shows why", async () => {
    serveEntries(ruleAdded).on(verifyAuditLogs, () => {
      throw failure("ERR_UNAVAILABLE");
    });
    const { user } = openLog();
    await findSentence(/ from role /);
    await user.click(screen.getByRole("button", { name: "Verify" }));
    expect(await screen.findByText(/temporarily unavailable/)).toBeDefined();
    await new Promise((resolve) => setTimeout(resolve));
    expect(alert).not.toHaveBeenCalled();
  });
});
