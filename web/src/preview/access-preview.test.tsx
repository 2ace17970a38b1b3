import { getRole, listRoles, listTags, previewAccess, updateRole } from "@lightkeeper/contract";
import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { RoleEditPage } from "../roles/role-edit-page.tsx";
import { brokenGuarantee, changedAccess, lostAccess } from "../testing/preview-samples.ts";
import { renderPage, signIn } from "../testing/render.tsx";
import { role } from "../testing/samples.ts";
import { failure, noChange, page, transport } from "../testing/transport.ts";
import { ReadOnly } from "../ui/base/read-only.ts";

vi.setConfig({ testTimeout: 60_000 });
beforeEach(signIn);

const serve = () =>
  transport()
    .on(getRole, () => role)
    .on(listRoles, () => page([role]))
    .on(listTags, () => page([]))
    .on(updateRole, () => role);

const at = { route: "/roles/:roleID", at: `/roles/${role.id}` };
async function openRole() {
  const rendered = renderPage(<RoleEditPage />, at);
  await screen.findByDisplayValue("Web");
  return rendered;
}
const panel = () => within(screen.getByRole("region", { name: "Preview changes" }));
const changes = () =>
  panel()
    .queryAllByRole("listitem")
    .map(({ textContent }) => textContent);
const removeSsh = () => screen.getByRole("button", { name: "Remove rule TCP 22" });
const saveButton = () => screen.getByRole("button", { name: "Save" });

describe("the preview beside a form", () => {
  it("shows no change and requests nothing until a value changes", async () => {
    const api = serve();
    await openRole();
    expect(panel().getByText("No change to access.")).toBeDefined();
    expect(api.calls(previewAccess)).toHaveLength(0);
  });

  it("shows what the call would open and close, in words", async () => {
    const api = serve().on(previewAccess, () => changedAccess);
    const { user } = await openRole();
    await user.click(removeSsh());
    await waitFor(() => expect(changes()).toHaveLength(2));
    expect(changes()).toEqual([
      "Opened: TCP 5432 (PostgreSQL) from role CI runner to role Database3 hosts can now reach 18 hosts",
      "Closed: TCP 22 (SSH) from role CI runner with tag team:data to role Database6 hosts can no longer reach 18 hosts",
    ]);
    expect(panel().getByText("Opened").nextSibling?.textContent).toBe("+54");
    expect(panel().getByText("Closed").nextSibling?.textContent).toBe("−108");
    expect(panel().getByText("Hosts affected").nextSibling?.textContent).toBe("18");
    expect(panel().getByText("db-1, db-2, and 16 more")).toBeDefined();
    const [call] = api.calls(previewAccess);
    expect(call?.body.mutations).toEqual([
      {
        method: "PUT",
        path: `/v1/roles/${role.id}`,
        body: { name: "Web", description: "", firewallRules: role.firewallRules.slice(1) },
      },
    ]);
  });

  it("announces the last answer after a pause", async () => {
    serve().on(previewAccess, () => changedAccess);
    const { user } = await openRole();
    await user.click(removeSsh());
    await waitFor(
      () =>
        expect(screen.getAllByRole("status").map(({ textContent }) => textContent)).toContain(
          "Opens 54 pairs of hosts. Closes 108 pairs of hosts. 18 hosts get a new configuration.",
        ),
      { timeout: 10_000 },
    );
  });

  it("keeps the last answer visible while the next one is loading", async () => {
    const api = serve().on(previewAccess, () => changedAccess);
    const { user } = await openRole();
    await user.click(removeSsh());
    await waitFor(() => expect(changes()).toHaveLength(2));
    let answer: (preview: typeof noChange) => void = () => undefined;
    api.on(previewAccess, () => new Promise((resolve) => (answer = resolve)));
    await user.click(screen.getByRole("button", { name: "Remove rule UDP 8000-8010" }));
    await waitFor(() => expect(api.calls(previewAccess)).toHaveLength(2));
    expect(changes()).toHaveLength(2);
    await act(async () => answer(noChange));
    expect(await panel().findByText("No change to access.")).toBeDefined();
    expect(changes()).toHaveLength(0);
  });

  it("previews only valid values, without rules that are incomplete", async () => {
    const api = serve().on(previewAccess, () => changedAccess);
    const { user } = await openRole();
    await user.clear(screen.getByLabelText("Name"));
    expect(await panel().findByText("Complete the form to preview its changes.")).toBeDefined();
    expect(api.calls(previewAccess)).toHaveLength(0);
    await user.type(screen.getByLabelText("Name"), "Web 2");
    await user.click(screen.getByRole("button", { name: "Add rule" }));
    await waitFor(() => expect(api.calls(previewAccess)).not.toHaveLength(0));
    expect(panel().getByText(/^1 rule is incomplete and isn’t included\./)).toBeDefined();
    expect(api.calls(previewAccess).at(-1)?.body.mutations[0]?.body).toMatchObject({
      name: "Web 2",
      firewallRules: role.firewallRules,
    });
  });

  it("says that the preview failed, and saves anyway", async () => {
    const api = serve().on(previewAccess, () => {
      throw failure("ERR_INVALID_VALUE");
    });
    const { user, path } = await openRole();
    await user.click(removeSsh());
    expect(await panel().findByText(/^Can’t preview these changes\./)).toBeDefined();
    await user.click(saveButton());
    await waitFor(() => expect(path()).toBe("/roles"));
    expect(api.calls(updateRole)).toHaveLength(1);
  });

  it("says why the call would fail, as the form does", async () => {
    serve().on(previewAccess, () => {
      throw failure("ERR_DUPLICATE_VALUE", { path: "mutations[0].name" });
    });
    const { user } = await openRole();
    await user.type(screen.getByLabelText("Name"), " 2");
    expect(
      await panel().findByText(
        "Can’t preview these changes. You already have a role with this name, try another",
      ),
    ).toBeDefined();
  });

  it("shows a long list of changes step by step", async () => {
    const [opened] = changedAccess.opened;
    const many = Array.from({ length: 9 }, (_, index) => ({ ...opened!, sourceCount: index + 2 }));
    serve().on(previewAccess, () => ({ ...changedAccess, opened: many, closed: [] }));
    const { user } = await openRole();
    await user.click(removeSsh());
    await waitFor(() => expect(changes()).toHaveLength(6));
    await user.click(panel().getByRole("button", { name: "Show all 9 changes" }));
    expect(changes()).toHaveLength(9);
  });

  it("is hidden from auditors", async () => {
    serve();
    renderPage(
      <ReadOnly value>
        <RoleEditPage />
      </ReadOnly>,
      at,
    );
    await screen.findByDisplayValue("Web");
    expect(screen.queryByRole("region", { name: "Preview changes" })).toBeNull();
  });
});

describe("a change that breaks a guarantee", () => {
  const broken = { ...changedAccess, brokenGuarantees: [brokenGuarantee] };
  const notice = () => panel().getByRole("group", { name: "Breaks a guarantee" });

  it("is explained with a pair of hosts, and Save moves the focus there", async () => {
    const api = serve().on(previewAccess, () => broken);
    const { user } = await openRole();
    await user.click(removeSsh());
    await waitFor(() => expect(notice()).toBeDefined());
    expect(within(notice()).getByRole("link").textContent).toBe("Contractors must never reach databases");
    expect(notice().textContent).toContain(
      "Fromci-1Todb-1, TCP 5432 (PostgreSQL)Allowed bytag debug:verbose, rule 1",
    );
    expect(screen.getByText("This change breaks a guarantee and can’t be saved.")).toBeDefined();
    expect(saveButton()).toHaveProperty("disabled", false);
    await user.click(saveButton());
    await waitFor(() => expect(document.activeElement).toBe(notice()));
    saveButton().focus();
    await user.click(saveButton());
    await waitFor(() => expect(document.activeElement).toBe(notice()));
    expect(api.calls(updateRole)).toHaveLength(0);
  });

  it("is also prevented if it is saved before the preview has answered", async () => {
    const api = serve().on(previewAccess, () => broken);
    const { user } = await openRole();
    await user.click(removeSsh());
    await user.click(saveButton());
    await waitFor(() => expect(document.activeElement).toBe(notice()));
    expect(api.calls(updateRole)).toHaveLength(0);
  });

  it("shows the same notice if only the server finds it", async () => {
    serve().on(updateRole, () => {
      throw failure("ERR_GUARANTEE_VIOLATED", { extra: { guarantees: [brokenGuarantee] } });
    });
    const { user, path } = await openRole();
    await user.click(removeSsh());
    await user.click(saveButton());
    await waitFor(() => expect(document.activeElement).toBe(notice()));
    expect(path()).toBe(`/roles/${role.id}`);
    await user.click(screen.getByRole("button", { name: "Remove rule UDP 8000-8010" }));
    await waitFor(() => expect(panel().queryByRole("group", { name: "Breaks a guarantee" })).toBeNull());
  });
});

describe("a change that takes away the person’s own access", () => {
  it("is saved only after the name is typed", async () => {
    const api = serve().on(previewAccess, () => ({ ...changedAccess, ownAccessLost: lostAccess }));
    const { user, path } = await openRole();
    await user.click(removeSsh());
    expect(await panel().findByText("You would lose your own access")).toBeDefined();
    await user.click(saveButton());
    const dialog = within(await screen.findByRole("alertdialog"));
    expect(
      dialog.getByText(
        (_, element) =>
          element?.tagName === "P" &&
          element.textContent ===
            "Your device laptop-9 can no longer reach 18 hosts on TCP 5432 (PostgreSQL).",
      ),
    ).toBeDefined();
    const confirm = dialog.getByRole("button", { name: "Save anyway" });
    expect(confirm).toHaveProperty("disabled", true);
    await user.click(dialog.getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
    expect(api.calls(updateRole)).toHaveLength(0);
    await user.click(saveButton());
    const again = within(await screen.findByRole("alertdialog"));
    await user.type(again.getByRole("textbox"), "Web{Enter}");
    await waitFor(() => expect(path()).toBe("/roles"));
    expect(api.calls(updateRole)).toHaveLength(1);
  });
});

describe("on a phone", () => {
  beforeEach(() => vi.stubGlobal("matchMedia", () => Object.assign(new EventTarget(), { matches: true })));

  it("is a bar above Save that opens the panel as a sheet", async () => {
    serve().on(previewAccess, () => changedAccess);
    const { user } = await openRole();
    expect(screen.queryByRole("region", { name: "Preview changes" })).toBeNull();
    await user.click(removeSsh());
    const bar = await screen.findByRole("button", { name: /\+54 opened · −108 closed · 18 hosts$/ });
    await user.click(bar);
    const sheet = within(await screen.findByRole("dialog"));
    expect(sheet.getByText("Hosts affected")).toBeDefined();
    await user.click(sheet.getByRole("button", { name: "Done" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  it("shows the most important facts first", async () => {
    serve().on(previewAccess, () => ({
      ...changedAccess,
      ownAccessLost: lostAccess,
      brokenGuarantees: [brokenGuarantee],
    }));
    const { user } = await openRole();
    await user.click(removeSsh());
    const bar = await screen.findByRole("button", { name: /^Preview changes/ });
    await waitFor(() =>
      expect(bar.textContent).toBe(
        "Preview changesYou would lose your own access · Breaks a guarantee · +54 opened · −108 closed · 18 hosts",
      ),
    );
  });

  it("opens the sheet at the notice if Save breaks a guarantee", async () => {
    serve().on(previewAccess, () => ({ ...changedAccess, brokenGuarantees: [brokenGuarantee] }));
    const { user } = await openRole();
    await user.click(removeSsh());
    await user.click(saveButton());
    const sheet = within(await screen.findByRole("dialog"));
    const notice = await sheet.findByRole("group", { name: "Breaks a guarantee" });
    await waitFor(() => expect(document.activeElement).toBe(notice));
  });
});
