import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ActionBar } from "../on-demand/action-bar.tsx";
import { DataTable, type Column } from "../tables/data-table.tsx";
import { countActive, Toolbar } from "../tables/toolbar.tsx";

function setPhone(matches: boolean) {
  vi.stubGlobal("matchMedia", () => Object.assign(new EventTarget(), { matches }));
}

beforeEach(() => setPhone(true));
afterEach(() => vi.unstubAllGlobals());

interface Fruit {
  name: string;
  ripeness: string;
  grams: number;
  origin: string;
  pickedAt: string;
}

const apple: Fruit = {
  name: "Apple",
  ripeness: "Ripe",
  grams: 180,
  origin: "Farm",
  pickedAt: "yesterday",
};

const columns: Column<Fruit>[] = [
  { id: "name", header: "Name", cell: ({ name }) => name },
  { id: "ripeness", header: "Ripeness", phone: "beside", cell: ({ ripeness }) => ripeness },
  {
    id: "grams",
    header: "Weight",
    phone: ({ grams }) => `${grams} grams`,
    cell: ({ grams }) => String(grams),
  },
  {
    id: "picked",
    header: "Picked",
    sortKey: "picked",
    phone: "hidden",
    cell: ({ pickedAt }) => pickedAt,
  },
  { id: "menu", header: "Actions", hideHeader: true, cell: () => <button>Menu</button> },
];

async function cellsOf(more: readonly Column<Fruit>[] = [], order?: { key: string; descending: boolean }) {
  render(
    <MemoryRouter>
      <DataTable
        label="Fruits"
        columns={[...columns, ...more]}
        rows={[apple]}
        rowKey={({ name }) => name}
        rowLink={({ name }) => `/fruits/${name}`}
        order={order}
        empty={null}
      />
    </MemoryRouter>,
  );
  return (await screen.findAllByRole("cell")).map(({ textContent }) => textContent);
}

it("a row has name, status and menu on one line, and a summary on the second", async () => {
  expect(await cellsOf()).toEqual(["Apple", "Ripe", "Menu", "180 grams"]);
  expect(screen.getByRole("link", { name: "Apple" }).getAttribute("href")).toBe("/fruits/Apple");
});

it("a row shows the sorted column, and the headers of columns without a summary", async () => {
  const origin: Column<Fruit> = { id: "origin", header: "Origin", cell: (fruit) => fruit.origin };
  const [, , , details] = await cellsOf([origin], { key: "picked", descending: false });
  expect(details).toBe("Picked yesterday180 gramsOrigin Farm");
});

it("a row has a cell for each column on wider screens", async () => {
  setPhone(false);
  expect(await cellsOf()).toEqual(["Apple", "Ripe", "180", "yesterday", "Menu"]);
});

const toolbar = (activeCount: number) => (
  <Toolbar filters={{ chips: <button>Status</button>, activeCount }} end={<button>Views</button>}>
    <input aria-label="Search" />
  </Toolbar>
);

it("filters are in a sheet behind one button that counts them", async () => {
  const user = userEvent.setup();
  render(toolbar(2));
  expect(screen.queryByRole("button", { name: "Status" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Filters 2 active" }));
  const sheet = within(await screen.findByRole("dialog", { name: "Filters" }));
  expect(sheet.getByRole("button", { name: "Status" })).toBeDefined();
  expect(sheet.getByRole("button", { name: "Views" })).toBeDefined();
  await user.click(sheet.getByRole("button", { name: "Done" }));
  expect(screen.queryByRole("dialog")).toBeNull();
});

it("filters are in the toolbar on wider screens", () => {
  setPhone(false);
  render(toolbar(0));
  expect(screen.getAllByRole("button").map(({ textContent }) => textContent)).toEqual(["Status", "Views"]);
});

it("counts filters that have a value", () => {
  expect(countActive({ status: ["online"], tag: ["a", "b"], role: [] })).toBe(2);
});

it("bulk actions are in a sheet, which closes when one is chosen", async () => {
  const user = userEvent.setup();
  const block = vi.fn<() => void>();
  const cancel = vi.fn<() => void>();
  render(
    <ActionBar summary="2 selected" actions={[{ label: "Block", onSelect: block }]} onCancel={cancel} />,
  );
  const bar = within(screen.getByRole("toolbar", { name: "Selected rows" }));
  expect(bar.queryByRole("button", { name: "Block" })).toBeNull();
  await user.click(bar.getByRole("button", { name: "Actions" }));
  const sheet = within(await screen.findByRole("dialog", { name: "2 selected" }));
  await user.click(sheet.getByRole("button", { name: "Block" }));
  expect(block).toHaveBeenCalledTimes(1);
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(document.activeElement).toBe(bar.getByRole("button", { name: "Actions" }));
  await user.click(bar.getByRole("button", { name: "Cancel" }));
  expect(cancel).toHaveBeenCalledTimes(1);
});
