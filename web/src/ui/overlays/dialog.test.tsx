import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { createMemoryRouter, Link, Outlet, RouterProvider, useNavigate } from "react-router";
import { expect, it, vi } from "vitest";
import { ConfirmDialog, type ConfirmDialogProps } from "./confirm-dialog.tsx";
import { Dialog } from "./dialog.tsx";

function Page() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button onClick={() => setOpen(true)}>Open</button>
      <Dialog open={open} onClose={() => setOpen(false)} title="Add network" description="It needs a name.">
        <input aria-label="Name" />
      </Dialog>
    </>
  );
}

it("is modal, labeled and described; Escape closes it and returns the focus to its trigger", async () => {
  const user = userEvent.setup();
  render(<Page />);
  const trigger = screen.getByRole("button", { name: "Open" });
  await user.click(trigger);
  const dialog = await screen.findByRole("dialog", { name: "Add network" });
  expect(document.getElementById(dialog.getAttribute("aria-describedby") ?? "")?.textContent).toBe(
    "It needs a name.",
  );
  await waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true));
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(document.activeElement).toBe(trigger);
});

function AddressedDialog() {
  const navigate = useNavigate();
  return <Dialog open onClose={() => void navigate("/list")} title="Export" />;
}

it("returns the focus when it has its own URL", async () => {
  const user = userEvent.setup();
  const list = (
    <>
      <Link to="/list/export">Export</Link>
      <Outlet />
    </>
  );
  const routes = [
    { path: "/list", element: list, children: [{ path: "export", element: <AddressedDialog /> }] },
  ];
  render(<RouterProvider router={createMemoryRouter(routes, { initialEntries: ["/list"] })} />);
  const link = screen.getByRole("link");
  await user.click(link);
  await user.click(await screen.findByRole("button", { name: "Close" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(document.activeElement).toBe(link);
});

function renderConfirm(props: Partial<ConfirmDialogProps> = {}) {
  const confirm = vi.fn<() => void>();
  const close = vi.fn<() => void>();
  render(
    <ConfirmDialog
      open
      onClose={close}
      onConfirm={confirm}
      title="Delete network Production?"
      consequence="This cannot be undone."
      confirmLabel="Delete network"
      danger
      {...props}
    />,
  );
  return { confirm, close };
}

it("asks for confirmation, with the focus on Cancel", async () => {
  const user = userEvent.setup();
  const { confirm, close } = renderConfirm();
  await screen.findByRole("alertdialog", { name: "Delete network Production?" });
  const cancel = screen.getByRole("button", { name: "Cancel" });
  await waitFor(() => expect(document.activeElement).toBe(cancel));
  await user.click(cancel);
  expect(close).toHaveBeenCalledTimes(1);
  expect(confirm).not.toHaveBeenCalled();
  await user.click(screen.getByRole("button", { name: "Delete network" }));
  expect(confirm).toHaveBeenCalledTimes(1);
});

it("stays disabled until the exact name is typed", async () => {
  const user = userEvent.setup();
  const { confirm } = renderConfirm({ typedName: "Production" });
  const input = await screen.findByLabelText("Type Production to confirm");
  const button = screen.getByRole<HTMLButtonElement>("button", { name: "Delete network" });
  await waitFor(() => expect(document.activeElement).toBe(input));
  await user.type(input, "production{Enter}");
  expect(button.disabled).toBe(true);
  expect(confirm).not.toHaveBeenCalled();
  await user.clear(input);
  await user.type(input, "Production{Enter}");
  expect(button.disabled).toBe(false);
  expect(confirm).toHaveBeenCalledTimes(1);
});

it("runs once while pending, and shows an error with its spaces", async () => {
  const user = userEvent.setup();
  const error = "This contains hosts.  Please delete them.";
  const { confirm } = renderConfirm({ pending: true, error });
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toBe(error);
  await user.click(screen.getByRole("button", { name: "Delete network" }));
  expect(confirm).not.toHaveBeenCalled();
});
