import { bulkHosts, getJob, listHostsV2, previewAccess, type Job } from "@lightkeeper/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { db, openHosts, rowOf, serveHosts, web } from "../testing/host-list.tsx";
import { signIn } from "../testing/render.tsx";
import { tag } from "../testing/samples.ts";
import { brokenGuarantee, changedAccess, lostAccess } from "../testing/preview-samples.ts";
import { failure, page } from "../testing/transport.ts";

beforeEach(signIn);

it("changes the selected hosts in the background and reports the result", async () => {
  const job: Job = { id: `job-${"A".repeat(26)}`, state: "running", done: 1, total: 2, errors: [] };
  const api = serveHosts()
    .on(bulkHosts, () => ({ jobID: job.id }))
    .on(getJob, () => job);
  const { user } = openHosts();
  await rowOf("web");
  expect(screen.queryByRole("toolbar")).toBeNull();
  await user.click(screen.getByRole("checkbox", { name: "Select web" }));
  await user.click(screen.getByRole("checkbox", { name: "Select db" }));
  const bar = within(await screen.findByRole("toolbar", { name: "Selected rows" }));
  expect(bar.getAllByText("2 selected")).not.toHaveLength(0);
  await user.click(bar.getByRole("button", { name: "Add tags" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Add tags to 2 hosts" }));
  await user.click(dialog.getByRole("combobox", { name: "Tags" }));
  await user.click(await screen.findByRole("option", { name: tag.name }));
  await user.click(dialog.getByRole("button", { name: "Add tags" }));
  expect(await screen.findByText(/Adding tags… 1 of 2/)).toBeDefined();
  expect(api.calls(bulkHosts)[0]?.body).toEqual({
    action: "addTags",
    ids: [web.id, db.id],
    tags: [tag.name],
  });
  expect(screen.queryByRole("toolbar")).toBeNull();

  api.on(getJob, () => ({ ...job, state: "done" as const, done: 2 }));
  expect(await screen.findByText("Tags added to 2 hosts.")).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Dismiss" }));
  expect(screen.queryByText("Tags added to 2 hosts.")).toBeNull();
});

it("blocks every match on all pages after confirmation, and lists errors", async () => {
  const job: Job = {
    id: `job-${"A".repeat(26)}`,
    state: "done",
    done: 1204,
    total: 1204,
    errors: [{ id: web.id, code: "ERR_NOT_FOUND", message: "not found" }],
  };
  const api = serveHosts()
    // The preview of many hosts may take long, and blocking doesn't wait for it.
    .on(previewAccess, () => new Promise(() => undefined))
    .on(listHostsV2, () => page([web, db], { totalCount: 1204, hasNextPage: true, nextCursor: "next" }))
    .on(bulkHosts, () => ({ jobID: job.id }))
    .on(getJob, () => job);
  const { user } = openHosts("/hosts?filter.status=offline&filter.search=fra");
  await rowOf("web");
  await user.click(screen.getByRole("checkbox", { name: "Select every row on this page" }));
  await user.click(screen.getByRole("button", { name: "Select all 1,204 matching" }));
  await user.click(screen.getByRole("button", { name: "Block" }));
  const dialog = within(await screen.findByRole("alertdialog", { name: "Block 1,204 hosts?" }));
  const act = dialog.getByRole<HTMLButtonElement>("button", { name: "Block" });
  expect(act.disabled).toBe(true);
  await user.type(dialog.getByRole("textbox"), "block 1,204 hosts");
  await user.click(act);
  expect(await screen.findByText(/some hosts weren’t changed/)).toBeDefined();
  expect(screen.getByRole("link", { name: web.id, hidden: true })).toBeDefined();
  expect(api.calls(bulkHosts)[0]?.body).toEqual({
    action: "block",
    filter: { isLighthouse: false, isRelay: false, status: "offline", search: "fra" },
  });
});

it("explains which hosts would have broken a guarantee", async () => {
  const violated = {
    id: web.id,
    code: "ERR_GUARANTEE_VIOLATED",
    message: "the change breaks a guarantee",
    guarantees: [brokenGuarantee],
  };
  const job: Job = { id: `job-${"A".repeat(26)}`, state: "done", done: 2, total: 2, errors: [violated] };
  serveHosts()
    .on(bulkHosts, () => ({ jobID: job.id }))
    .on(getJob, () => job);
  const { user, dialog } = await openRoleDialog();
  await user.click(dialog.getByRole("button", { name: "Set role" }));
  await user.click(await screen.findByText("Show errors"));
  const guarantee = screen.getByRole("link", { name: brokenGuarantee.description });
  expect(guarantee.getAttribute("href")).toBe(`/guarantees/${brokenGuarantee.id}/edit`);
  expect(guarantee.closest("li")?.textContent).toBe(
    `${web.id}: Breaks the guarantee Contractors must never reach databases: ci-1 could reach db-1 on TCP 5432 (PostgreSQL), allowed by tag debug:verbose, rule 1.`,
  );
  expect(screen.queryByText(/the change breaks a guarantee/)).toBeNull();
});

it("clears the selection when the list changes", async () => {
  serveHosts();
  const { user } = openHosts();
  await rowOf("web");
  await user.click(screen.getByRole("checkbox", { name: "Select web" }));
  await user.click(screen.getByRole("button", { name: "Address" }));
  expect(screen.getByRole("toolbar")).toBeDefined();
  await user.type(screen.getByRole("searchbox"), "d");
  expect(screen.queryByRole("toolbar")).toBeNull();
});

async function openRoleDialog() {
  const { user } = openHosts();
  await rowOf("web");
  await user.click(screen.getByRole("checkbox", { name: "Select web" }));
  await user.click(screen.getByRole("button", { name: "Set role" }));
  return { user, dialog: within(await screen.findByRole("dialog", { name: "Set the role of 1 host" })) };
}

it("previews the change and doesn’t start it if it breaks a guarantee", async () => {
  const api = serveHosts().on(previewAccess, () => ({
    ...changedAccess,
    brokenGuarantees: [brokenGuarantee],
  }));
  const { user, dialog } = await openRoleDialog();
  const notice = await dialog.findByRole("group", { name: "Breaks a guarantee" });
  expect(api.calls(previewAccess)[0]?.body.mutations).toEqual([
    { method: "POST", path: "/v1/hosts/bulk", body: { ids: [web.id], action: "setRole", roleID: null } },
  ]);
  await user.click(dialog.getByRole("button", { name: "Set role" }));
  await waitFor(() => expect(document.activeElement).toBe(notice));
  expect(api.calls(bulkHosts)).toHaveLength(0);
});

it("shows the guarantee that the server found broken", async () => {
  serveHosts().on(bulkHosts, () => {
    throw failure("ERR_GUARANTEE_VIOLATED", { extra: { guarantees: [brokenGuarantee] } });
  });
  const { user, dialog } = await openRoleDialog();
  await user.click(dialog.getByRole("button", { name: "Set role" }));
  expect(await dialog.findByRole("group", { name: "Breaks a guarantee" })).toBeDefined();
  expect(dialog.queryByRole("alert")).toBeNull();
});

it("asks before the person loses their own access", async () => {
  const job: Job = { id: `job-${"A".repeat(26)}`, state: "done", done: 1, total: 1, errors: [] };
  const api = serveHosts()
    .on(previewAccess, () => ({ ...changedAccess, ownAccessLost: lostAccess }))
    .on(bulkHosts, () => ({ jobID: job.id }))
    .on(getJob, () => job);
  const { user, dialog } = await openRoleDialog();
  await user.click(dialog.getByRole("button", { name: "Set role" }));
  const question = within(await screen.findByRole("alertdialog"));
  expect(api.calls(bulkHosts)).toHaveLength(0);
  await user.type(question.getByRole("textbox"), "1 host{Enter}");
  await waitFor(() => expect(api.calls(bulkHosts)).toHaveLength(1));
});
