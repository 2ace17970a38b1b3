import {
  blockHostV2,
  deleteHost,
  deleteRole,
  deleteRoute,
  deleteTag,
  getRoleDependents,
  getTagDependents,
  previewAccess,
} from "@lightkeeper/contract";
import { screen, waitFor, within } from "@testing-library/react";
import type { ReactElement } from "react";
import { Outlet } from "react-router";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { BlockHostDialog } from "../hosts/block-host-dialog.tsx";
import { DeleteHostDialog } from "../hosts/delete-host-dialog.tsx";
import DeleteRoleDialog from "../roles/delete-role-dialog.tsx";
import DeleteRouteDialog from "../routes/delete-route-dialog.tsx";
import DeleteTagDialog from "../tags/delete-tag-dialog.tsx";
import { brokenGuarantee, changedAccess, lostAccess } from "../testing/preview-samples.ts";
import { renderPage, renderRoutes, signIn } from "../testing/render.tsx";
import { host, noDependents, role, route, tag } from "../testing/samples.ts";
import { failure, transport } from "../testing/transport.ts";

vi.setConfig({ testTimeout: 60_000 });
beforeEach(signIn);

const never = new Promise<never>(() => undefined);
const violation = () => {
  throw failure("ERR_GUARANTEE_VIOLATED", { extra: { guarantees: [brokenGuarantee] } });
};

const close = vi.fn();
const roleDialog = <DeleteRoleDialog role={role} onClose={close} onDeleted={close} />;
const routeDialog = <DeleteRouteDialog route={route} onClose={close} onDeleted={close} />;

async function openDialog(element: ReactElement) {
  const { user } = renderPage(element, { route: "/" });
  return { user, dialog: within(await screen.findByRole("alertdialog")) };
}
/** Host dialogs get the host from the page below them. */
async function openHostDialog(element: ReactElement) {
  const page = {
    path: "/hosts/:hostID",
    element: <Outlet context={host} />,
    children: [{ index: true, element }],
  };
  const { user } = renderRoutes([page, { path: "*", element: null }], `/hosts/${host.id}`);
  return { user, dialog: within(await screen.findByRole("alertdialog")) };
}

const serve = () =>
  transport()
    .on(previewAccess, () => changedAccess)
    .on(getRoleDependents, () => noDependents)
    .on(getTagDependents, () => noDependents);

describe("a dialog that changes access", () => {
  it.each([
    ["block a host", () => openHostDialog(<BlockHostDialog />), `POST /v2/hosts/${host.id}/block`],
    ["delete a host", () => openHostDialog(<DeleteHostDialog />), `DELETE /v1/hosts/${host.id}`],
    ["delete a route", () => openDialog(routeDialog), `DELETE /v1/routes/${route.id}`],
    ["delete a role", () => openDialog(roleDialog), `DELETE /v1/roles/${role.id}?detach=true`],
    [
      "delete a tag",
      () => openDialog(<DeleteTagDialog tag={tag} onClose={close} onDeleted={close} />),
      "DELETE /v1/tags/env%3Aprod?detach=true",
    ],
  ])("shows in one line what it would close, with details on demand: %s", async (_, open, call) => {
    const api = serve();
    const { user, dialog } = await open();
    const line = await dialog.findByText(
      "Opens 54 pairs of hosts. Closes 108 pairs of hosts. 18 hosts get a new configuration.",
      { selector: "summary" },
    );
    expect(line.closest("details")).toHaveProperty("open", false);
    await user.click(line);
    expect(line.closest("details")).toHaveProperty("open", true);
    expect(await dialog.findAllByRole("listitem")).toHaveLength(2);
    expect(dialog.getByText("db-1, db-2, and 16 more")).toBeDefined();
    const [mutation] = api.calls(previewAccess)[0]?.body.mutations ?? [];
    expect(`${mutation?.method} ${mutation?.path}`).toBe(call);
  });

  it("says that nothing changes", async () => {
    transport();
    const { dialog } = await openDialog(routeDialog);
    expect(await dialog.findByText("No change to access.")).toBeDefined();
  });

  it("doesn’t wait for the preview", async () => {
    const api = serve()
      .on(previewAccess, () => never)
      .on(blockHostV2, () => ({ ...host, isBlocked: true }));
    const { user, dialog } = await openHostDialog(<BlockHostDialog />);
    expect(await dialog.findByText("Checking…")).toBeDefined();
    await user.type(dialog.getByRole("textbox"), `${host.name}{Enter}`);
    await waitFor(() => expect(api.calls(blockHostV2)).toHaveLength(1));
  });

  it("says why the call would fail, and only once if it fails", async () => {
    const extra = { dependents: [{ type: "route" as const, id: route.id, name: "Office" }], total: 1 };
    serve()
      .on(previewAccess, () => {
        throw failure("ERR_HAS_DEPENDENTS", { path: "mutations[0]", extra });
      })
      .on(deleteHost, () => {
        throw failure("ERR_HAS_DEPENDENTS", { extra });
      });
    const { user, dialog } = await openHostDialog(<DeleteHostDialog />);
    expect(await dialog.findByText(/This host is the router of one or more routes/)).toBeDefined();
    expect(dialog.getByRole("link", { name: "Office" })).toBeDefined();
    await user.type(dialog.getByRole("textbox"), `${host.name}{Enter}`);
    expect(within(await dialog.findByRole("alert")).getByRole("link", { name: "Office" })).toBeDefined();
    expect(dialog.getAllByRole("link", { name: "Office" })).toHaveLength(1);
  });

  it("can be confirmed if the preview fails", async () => {
    const api = serve()
      .on(previewAccess, () => {
        throw failure("ERR_INVALID_VALUE", { path: "mutations[0].path", message: "unknown path" });
      })
      .on(deleteHost, () => ({}));
    const { user, dialog } = await openHostDialog(<DeleteHostDialog />);
    expect(await dialog.findByText("Can’t preview this change. path: unknown path")).toBeDefined();
    await user.type(dialog.getByRole("textbox"), `${host.name}{Enter}`);
    await waitFor(() => expect(api.calls(deleteHost)).toHaveLength(1));
  });
});

describe("a dialog whose change breaks a guarantee", () => {
  const notice = { name: "Breaks a guarantee" };

  it("names the guarantee and a pair of hosts, and confirming moves the focus there", async () => {
    const api = serve().on(previewAccess, () => ({ ...changedAccess, brokenGuarantees: [brokenGuarantee] }));
    const { user, dialog } = await openDialog(roleDialog);
    const group = await dialog.findByRole("group", notice);
    expect(within(group).getByRole("link").textContent).toBe("Contractors must never reach databases");
    expect(group.textContent).toContain("Fromci-1Todb-1, TCP 5432");
    await user.click(dialog.getByRole("button", { name: "Delete role" }));
    expect(document.activeElement).toBe(group);
    expect(api.calls(deleteRole)).toHaveLength(0);
  });

  it("shows the same notice if only the server finds it, and can be tried again", async () => {
    const api = serve().on(deleteRole, violation);
    const { user, dialog } = await openDialog(roleDialog);
    const button = dialog.getByRole("button", { name: "Delete role" });
    await waitFor(() => expect(button).toHaveProperty("disabled", false));
    await user.click(button);
    const group = await dialog.findByRole("group", notice);
    await waitFor(() => expect(document.activeElement).toBe(group));
    expect(dialog.queryByRole("alert")).toBeNull();
    expect(api.reports).toEqual([]);
    await user.click(button);
    await waitFor(() => expect(api.calls(deleteRole)).toHaveLength(2));
  });

  it("shows the notice without a preview", async () => {
    serve()
      .on(previewAccess, () => never)
      .on(deleteRoute, violation);
    const { user, dialog } = await openDialog(routeDialog);
    await user.type(dialog.getByRole("textbox"), `${route.name}{Enter}`);
    const group = await dialog.findByRole("group", notice);
    await waitFor(() => expect(document.activeElement).toBe(group));
  });
});

it("asks for the name before the person loses their own access", async () => {
  const api = serve()
    .on(previewAccess, () => ({ ...changedAccess, ownAccessLost: lostAccess }))
    .on(deleteTag, () => ({}));
  const { user, dialog } = await openDialog(<DeleteTagDialog tag={tag} onClose={close} onDeleted={close} />);
  expect(await dialog.findByText("You would lose your own access")).toBeDefined();
  expect(dialog.getByRole("button", { name: "Delete tag" })).toHaveProperty("disabled", true);
  // The warning stays visible, above the name.
  expect(document.activeElement).toBe(dialog.getByRole("button", { name: "Cancel" }));
  await user.type(dialog.getByRole("textbox"), `${tag.name}{Enter}`);
  await waitFor(() => expect(api.calls(deleteTag)).toHaveLength(1));
});
