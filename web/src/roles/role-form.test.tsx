import {
  createRole,
  deleteRole,
  getRoleDependents,
  getRole,
  listRoles,
  listTags,
  updateRole,
  type Role,
} from "@lightkeeper/contract";
import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { invalidateNoun } from "../lib/query.ts";
import { renderPage, signIn } from "../testing/render.tsx";
import { noDependents, role, tag } from "../testing/samples.ts";
import { failure, Failure, page, transport } from "../testing/transport.ts";
import { RoleAddPage } from "./role-add-page.tsx";
import { RoleEditPage } from "./role-edit-page.tsx";

vi.setConfig({ testTimeout: 60_000 });
beforeEach(signIn);

const ops: Role = { ...role, id: `role-${"O".repeat(26)}`, name: "Ops" };
const api = () =>
  transport()
    .on(listRoles, () => page([role, ops]))
    .on(listTags, ({ query }) =>
      page([tag].filter(({ name }) => name.includes(query["filter.search"] ?? ""))),
    )
    .on(getRole, () => role);

const openAdd = (at = "/roles/add") => renderPage(<RoleAddPage />, { route: "/roles/add", at });
const openEdit = () => renderPage(<RoleEditPage />, { route: "/roles/:roleID", at: `/roles/${role.id}` });

const nameInput = () => screen.getByLabelText<HTMLInputElement>("Name");
const submit = (name: string) => screen.getByRole("button", { name });
const rules = () => screen.getAllByRole("button", { name: /^Allow/ }).map((sentence) => sentence.textContent);

describe("adding a role", () => {
  it("starts in the name field, with a rule that allows ping [S1.5] [S2.11]", () => {
    api();
    openAdd();
    expect(document.title).toBe("Add role - Lightkeeper");
    expect(document.activeElement).toBe(nameInput());
    expect(rules()).toEqual(["Allow ICMP (ping) from any host"]);
  });

  it("creates a role with a rule by keyboard alone", async () => {
    const calls = api().on(createRole, ({ body }) => ({ ...role, name: body.name }));
    const { user, path } = openAdd();
    await user.type(nameInput(), "Database");
    screen.getByRole("button", { name: "Add rule" }).focus();
    await user.keyboard("{Enter}");
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Protocol")));
    await user.tab();
    await user.keyboard("postg");
    expect(await screen.findByText("PostgreSQL")).toBeDefined();
    await user.keyboard("{ArrowDown}{Enter}");
    expect(screen.getByLabelText("Ports")).toHaveProperty("value", "5432");
    await user.tab();
    await user.keyboard("op");
    await screen.findByText("Ops");
    await user.keyboard("{Enter}");
    await user.tab();
    await user.keyboard("prod");
    await screen.findByText("env:prod");
    await user.keyboard("{Enter}");
    await user.tab();
    await user.keyboard("From the office{Enter}");
    expect(rules()[1]).toBe("Allow TCP 5432 (PostgreSQL) from role Ops with tag env:prod");
    expect(screen.getByText("From the office")).toBeDefined();
    expect(document.activeElement?.textContent).toBe(rules()[1]);
    await user.click(submit("Add role"));
    await waitFor(() => expect(path()).toBe("/roles"));
    expect(await screen.findByText("Role Database added")).toBeDefined();
    expect(calls.calls(createRole)[0]?.body).toEqual({
      name: "Database",
      description: "",
      firewallRules: [
        { protocol: "ICMP", portRange: null, allowedRoleID: null, allowedTags: [], description: "" },
        {
          protocol: "TCP",
          portRange: { from: 5432, to: 5432 },
          allowedRoleID: ops.id,
          allowedTags: ["env:prod"],
          description: "From the office",
        },
      ],
    });
  });

  it("creates a rule for each port of a pasted list", async () => {
    const calls = api().on(createRole, () => role);
    const { user } = openAdd();
    await user.type(nameInput(), "Web");
    await user.click(screen.getByRole("button", { name: "Add rule" }));
    await user.click(screen.getByLabelText("Ports"));
    await user.paste("22, 80,443 8000-8010");
    expect(screen.getByText("Creates 4 rules, one for each port or range.")).toBeDefined();
    await user.click(submit("Add role"));
    await waitFor(() => expect(calls.calls(createRole)).toHaveLength(1));
    const sentRules = calls.calls(createRole)[0]?.body.firewallRules ?? [];
    expect(sentRules.map(({ portRange }) => portRange)).toEqual([
      null,
      { from: 22, to: 22 },
      { from: 80, to: 80 },
      { from: 443, to: 443 },
      { from: 8000, to: 8010 },
    ]);
  });

  it("requires ports and explains invalid ones", async () => {
    api();
    const { user } = openAdd();
    await user.type(nameInput(), "Web");
    await user.click(screen.getByRole("button", { name: "Add rule" }));
    await user.click(submit("Add role"));
    expect((await screen.findByRole("alert")).textContent).toMatch(/^Enter ports such as/);
    await user.type(screen.getByLabelText("Ports"), "sshd");
    expect((await screen.findByRole("alert")).textContent).toMatch(/^sshd isn’t a valid port/);
    await user.click(screen.getByRole("button", { name: "Cancel" }));
    expect(rules()).toHaveLength(1);
  });

  it("copies a role under a new name", async () => {
    api();
    openAdd(`/roles/add?copy=${role.id}`);
    expect(await screen.findByDisplayValue("Copy of Web")).toBeDefined();
    expect(rules()).toHaveLength(role.firewallRules.length);
  });
});

describe("editing a role", () => {
  it("shows its rules as sentences [S2.11]", async () => {
    api();
    openEdit();
    await screen.findByDisplayValue("Web");
    expect(document.title).toBe("Edit Web - Lightkeeper");
    expect(rules()).toEqual([
      "Allow TCP 22 (SSH) from any host",
      "Allow UDP 8000-8010 from hosts with tag env:prod and tag tier:db",
      "Allow everything from any host",
    ]);
  });

  it("says how many hosts have the role", async () => {
    api().on(getRole, () => ({ ...role, hostCount: 12 }));
    openEdit();
    await screen.findByDisplayValue("Web");
    const preview = within(screen.getByRole("region", { name: "Preview changes" }));
    expect(preview.getByText(/^Applies to 12 hosts with this role/)).toBeDefined();
  });

  it("shows server errors at their rule and field", async () => {
    api().on(updateRole, () => {
      throw new Failure(400, [
        {
          code: "ERR_INVALID_VALUE",
          message: "must be between 1 and 65535",
          path: "firewallRules[1].portRange.from",
        },
        { code: "ERR_INVALID_REFERENCE", message: "no such role", path: "firewallRules[1].allowedRoleID" },
      ]);
    });
    const { user } = openEdit();
    await screen.findByDisplayValue("Web");
    await user.type(nameInput(), "2");
    await user.click(submit("Save"));
    const rule = within(await screen.findByRole("group", { name: "Rule 2" }));
    expect(rule.getByLabelText("Ports").getAttribute("aria-invalid")).toBe("true");
    expect(document.activeElement).toBe(rule.getByLabelText("Ports"));
    expect(rule.getByText("must be between 1 and 65535")).toBeDefined();
    expect(rule.getByText("This no longer exists. Choose another one.")).toBeDefined();
    expect(rule.getByLabelText("Protocol").getAttribute("aria-invalid")).toBeNull();
  });

  it("shows a duplicate name at its field", async () => {
    api().on(updateRole, () => {
      throw failure("ERR_DUPLICATE_VALUE", { path: "name" });
    });
    const { user } = openEdit();
    await screen.findByDisplayValue("Web");
    await user.type(nameInput(), "2{Enter}");
    expect((await screen.findByRole("alert")).textContent).toBe(
      "You already have a role with this name, try another",
    );
  });

  it("can’t reorder rules, because their order has no meaning", async () => {
    api();
    openEdit();
    await screen.findByDisplayValue("Web");
    expect(rules()).toHaveLength(3);
    expect(screen.queryByRole("button", { name: /^Move/ })).toBeNull();
  });

  it("removes a rule and cancels an edit", async () => {
    const calls = api().on(updateRole, () => role);
    const { user } = openEdit();
    await screen.findByDisplayValue("Web");
    await user.click(screen.getByRole("button", { name: "Remove rule everything" }));
    expect(rules()).toHaveLength(2);
    await user.click(screen.getByRole("button", { name: /^Allow TCP 22/ }));
    await user.selectOptions(screen.getByLabelText("Protocol"), "ICMP");
    expect(rules()[0]).toBe("Allow ICMP (ping) from any host");
    await user.click(screen.getByRole("button", { name: "Cancel" }));
    expect(rules()[0]).toBe("Allow TCP 22 (SSH) from any host");
    await user.click(submit("Save"));
    await waitFor(() => expect(calls.calls(updateRole)).toHaveLength(1));
    expect(calls.calls(updateRole)[0]?.body.firewallRules).toEqual(role.firewallRules.slice(0, 2));
  });

  it("shows new rules from the server, or a notice if something was typed", async () => {
    const calls = api();
    const { user } = openEdit();
    await screen.findByDisplayValue("Web");
    calls.on(getRole, () => ({ ...role, firewallRules: role.firewallRules.slice(0, 1) }));
    await act(() => invalidateNoun("roles"));
    await waitFor(() => expect(rules()).toHaveLength(1));
    await user.type(nameInput(), "2");
    calls.on(getRole, () => role);
    await act(() => invalidateNoun("roles"));
    expect(await screen.findByText(/^This role was changed by someone else/)).toBeDefined();
    expect(rules()).toHaveLength(1);
  });

  it("deletes the role and goes to the list, even with unsaved changes", async () => {
    const calls = api()
      .on(deleteRole, () => ({}))
      .on(getRoleDependents, () => noDependents);
    const { user, path } = openEdit();
    await screen.findByDisplayValue("Web");
    await user.type(nameInput(), " typed");
    await user.click(screen.getByRole("button", { name: "Delete role…" }));
    const dialog = within(await screen.findByRole("alertdialog"));
    const button = dialog.getByRole("button", { name: "Delete role" });
    await waitFor(() => expect(button).toHaveProperty("disabled", false));
    await user.click(button);
    await waitFor(() => expect(path()).toBe("/roles"));
    expect(calls.calls(deleteRole)[0]?.params).toEqual({ roleID: role.id });
  });

  it("shows the 404 page for a role that does not exist [S8.1]", async () => {
    const noise = vi.spyOn(console, "error").mockImplementation(() => undefined);
    api().on(getRole, () => {
      throw failure("ERR_NOT_FOUND");
    });
    openEdit();
    expect(await screen.findByText("The page failed")).toBeDefined();
    noise.mockRestore();
  });
});
