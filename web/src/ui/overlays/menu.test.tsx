import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import { Button } from "../controls/button.tsx";
import { IconButton } from "../controls/icon-button.tsx";
import { Menu } from "./menu.tsx";
import { ReadOnly } from "../base/read-only.ts";

afterEach(() => void vi.useRealTimers());

interface Options {
  onSelect?: () => void;
  showOnHover?: boolean;
}

function renderMenu({ onSelect = () => undefined, showOnHover = false }: Options = {}) {
  render(
    <MemoryRouter>
      <Menu
        trigger={<IconButton label="Actions" icon={null} />}
        showOnHover={showOnHover}
        items={[
          { text: "someone@example.com" },
          { label: "Edit", to: "/edit" },
          "separator",
          { label: "Delete", danger: true, onSelect },
          { label: "Later", disabled: true, onSelect },
        ]}
      />
    </MemoryRouter>,
  );
  return screen.getByRole("button", { name: "Actions" });
}

it("opens by keyboard, is labeled by its button, and returns the focus on Escape", async () => {
  const user = userEvent.setup();
  const button = renderMenu();
  await user.tab();
  await user.keyboard("{Enter}");
  const menu = await screen.findByRole("menu", { name: "Actions" });
  const edit = screen.getByRole("menuitem", { name: "Edit" });
  await waitFor(() => expect(document.activeElement).toBe(edit));
  expect(edit.getAttribute("href")).toBe("/edit");
  expect(button.getAttribute("aria-expanded")).toBe("true");
  await user.keyboard("{Escape}");
  await waitFor(() => expect(menu.isConnected).toBe(false));
  await waitFor(() => expect(document.activeElement).toBe(button));
});

it.each([
  ["{ArrowDown}", "Edit"],
  ["{ArrowUp}", "Delete"],
])("opens with %s, at %s", async (key, name) => {
  const user = userEvent.setup();
  renderMenu();
  await user.tab();
  await user.keyboard(key);
  const item = await screen.findByRole("menuitem", { name });
  await waitFor(() => expect(document.activeElement).toBe(item));
});

it("stays open if it is opened right after Escape", async () => {
  const user = userEvent.setup();
  renderMenu();
  await user.tab();
  await user.keyboard("{Enter}");
  await screen.findByRole("menuitem", { name: "Edit" });
  await user.keyboard("{Escape}{Enter}");
  for (let frame = 0; frame < 4; frame++) await act(() => new Promise(requestAnimationFrame));
  expect(await screen.findByRole("menuitem", { name: "Edit" })).toBeDefined();
});

it("closes when its button is pressed again", async () => {
  const user = userEvent.setup();
  const button = renderMenu();
  await user.click(button);
  await screen.findByRole("menu", { name: "Actions" });
  await user.click(button);
  await waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
  expect(button.getAttribute("aria-expanded")).toBe("false");
});

it("runs the selected item and closes; a disabled item does nothing", async () => {
  const user = userEvent.setup();
  const select = vi.fn<() => void>();
  await user.click(renderMenu({ onSelect: select }));
  fireEvent.click(await screen.findByRole("menuitem", { name: "Later" }));
  expect(select).not.toHaveBeenCalled();
  await user.click(screen.getByRole("menuitem", { name: "Delete" }));
  expect(select).toHaveBeenCalledTimes(1);
  await waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
});

it("opens on hover after 150 ms if requested [S9.6]", async () => {
  await import("./menu-popup.tsx");
  vi.useFakeTimers();
  const button = renderMenu({ showOnHover: true });
  fireEvent.mouseEnter(button);
  fireEvent.mouseMove(button, { movementX: 1, movementY: 1 });
  await act(() => vi.advanceTimersByTimeAsync(140));
  expect(button.getAttribute("aria-expanded")).toBe("false");
  await act(() => vi.advanceTimersByTimeAsync(20));
  expect(button.getAttribute("aria-expanded")).toBe("true");
});

it("accepts any button as its trigger", async () => {
  render(
    <Menu trigger={<Button>Account</Button>} items={[{ label: "Logout", onSelect: () => undefined }]} />,
  );
  await userEvent.click(screen.getByRole("button", { name: "Account" }));
  expect(await screen.findByRole("menuitem", { name: "Logout" })).toBeTruthy();
});

it("hides items that write from auditors, and the menu if no item is left", async () => {
  const user = userEvent.setup();
  const writing = { label: "Delete", writes: true, onSelect: () => undefined };
  const trigger = (label: string) => <IconButton label={label} icon={null} />;
  render(
    <MemoryRouter>
      <ReadOnly value>
        <Menu trigger={trigger("Some")} items={[{ label: "Export", to: "/export" }, "separator", writing]} />
        <Menu trigger={trigger("None")} items={[{ text: "someone@example.com" }, writing]} />
      </ReadOnly>
    </MemoryRouter>,
  );
  expect(screen.queryByRole("button", { name: "None" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Some" }));
  await screen.findByRole("menu");
  expect(screen.getAllByRole("menuitem").map(({ textContent }) => textContent)).toEqual(["Export"]);
  expect(screen.queryByRole("separator")).toBeNull();
});
