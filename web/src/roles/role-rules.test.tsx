/** The rules of a saved role: what was added, and what was removed until the role is saved. */
import { getRole, listRoles, listTags, updateRole } from "@lightkeeper/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { renderPage, signIn } from "../testing/render.tsx";
import { role, tag } from "../testing/samples.ts";
import { page, transport } from "../testing/transport.ts";
import { RoleEditPage } from "./role-edit-page.tsx";

vi.setConfig({ testTimeout: 60_000 });
beforeEach(signIn);

const served = () =>
  transport()
    .on(listRoles, () => page([role]))
    .on(listTags, () => page([tag]))
    .on(getRole, () => role);

const open = async (hash = "") => {
  const result = renderPage(<RoleEditPage />, { route: "/roles/:roleID", at: `/roles/${role.id}${hash}` });
  await screen.findByDisplayValue("Web");
  return result;
};

const list = () => within(screen.getByRole("list", { name: "Rules" }));
const items = () =>
  list()
    .getAllByRole("listitem")
    .map(({ textContent }) => textContent);
const preview = () => within(screen.getByRole("region", { name: "Preview changes" }));

describe("a rule that is removed", () => {
  it("stays in place until saving, with Undo", async () => {
    const api = served().on(updateRole, () => role);
    const { user } = await open();
    const before = items();
    await user.click(screen.getByRole("button", { name: "Remove rule TCP 22" }));
    expect(items()).toEqual([`${before[0]}RemovedUndo`, ...before.slice(1)]);
    expect(await screen.findByText("Rule TCP 22 removed.")).toBeDefined();
    await waitFor(() => expect(preview().getByText("1 rule removed")).toBeDefined());
    const undo = screen.getByRole("button", { name: "Undo removing rule TCP 22" });
    await waitFor(() => expect(document.activeElement).toBe(undo));
    await user.keyboard("{Enter}");
    expect(items()).toEqual(before);
    expect(screen.getByText("Rule TCP 22 restored.")).toBeDefined();
    await waitFor(() => expect(document.activeElement?.textContent).toBe("Allow TCP 22 (SSH) from any host"));
    expect(preview().queryByText(/removed/)).toBeNull();
    await waitFor(() => expect(preview().getByText("No change to access.")).toBeDefined());

    await user.click(screen.getByRole("button", { name: "Remove rule TCP 22" }));
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(api.calls(updateRole)).toHaveLength(1));
    expect(api.calls(updateRole)[0]?.body.firewallRules).toHaveLength(before.length - 1);
  });

  it("disappears if it was never saved", async () => {
    served();
    const { user } = await open();
    const before = items();
    await user.click(screen.getByRole("button", { name: "Add rule" }));
    await user.type(await screen.findByLabelText("Ports"), "5432{Enter}");
    expect(items()).toEqual([...before, "Allow TCP 5432 (PostgreSQL) from any hostAdded"]);
    await waitFor(() => expect(preview().getByText("1 rule added")).toBeDefined());
    await user.click(screen.getByRole("button", { name: "Remove rule TCP 22" }));
    expect(preview().getByText("1 rule added, 1 removed")).toBeDefined();
    await user.click(screen.getByRole("button", { name: "Remove rule TCP 5432" }));
    expect(items()).toHaveLength(before.length);
    expect(preview().getByText("1 rule removed")).toBeDefined();
  });
});

it("a link to a rule focuses it", async () => {
  served();
  await open("#rule-2");
  const rule = list().getAllByRole("button", { name: /^Allow/ })[1];
  await waitFor(() => expect(document.activeElement).toBe(rule));
});
