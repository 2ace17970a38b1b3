import { act, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { useLayoutEffect } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { DataTable, type DataTableProps } from "./data-table.tsx";
import { useSelection } from "./selection.ts";

interface Fruit {
  id: string;
  name: string;
  grams: number;
}

const rows: Fruit[] = [
  { id: "a", name: "Apple", grams: 180 },
  { id: "b", name: "Banana", grams: 120 },
];

function renderTable(props: Partial<DataTableProps<Fruit>>) {
  return render(
    <MemoryRouter>
      <DataTable
        label="Fruits"
        columns={[
          { id: "name", header: "Name", cell: (fruit) => fruit.name },
          { id: "grams", header: "Grams", align: "end", cell: (fruit) => fruit.grams },
        ]}
        rows={undefined}
        rowKey={(fruit) => fruit.id}
        rowLink={(fruit) => `/fruits/${fruit.id}`}
        empty={<p>Plant something</p>}
        {...props}
      />
    </MemoryRouter>,
  );
}

afterEach(() => void vi.useRealTimers());

it("shows rows under their headers, with the first column as a real link", () => {
  renderTable({ rows });
  const table = screen.getByRole("table", { name: "Fruits" });
  expect(
    within(table)
      .getAllByRole("columnheader")
      .map((header) => header.textContent),
  ).toEqual(["Name", "Grams"]);
  expect(within(table).getAllByRole("row")).toHaveLength(3);
  expect(screen.getByRole("link", { name: "Banana" }).getAttribute("href")).toBe("/fruits/b");
  expect(screen.getByRole("cell", { name: "120" })).toBeDefined();
});

it("keeps the elements of rows that stay, and reuses those of removed rows for another search", () => {
  const pear = { id: "p", name: "Pear", grams: 160 };
  const table = (props: Partial<DataTableProps<Fruit>>) => (
    <MemoryRouter>
      <DataTable
        label="Fruits"
        columns={[{ id: "name", header: "Name", cell: (fruit) => fruit.name }]}
        rows={rows}
        rowKey={(fruit) => fruit.id}
        empty={null}
        {...props}
      />
    </MemoryRouter>
  );
  const rowOf = (name: string) => screen.getByRole("row", { name });
  const { rerender } = render(table({ scope: "a" }));
  const [apple, banana] = [rowOf("Apple"), rowOf("Banana")];
  rerender(table({ scope: "a", rows: [pear, rows[1]!] }));
  expect(rowOf("Banana")).toBe(banana);
  expect([apple, banana]).not.toContain(rowOf("Pear"));
  const fresh = rowOf("Pear");
  rerender(table({ scope: "ap", rows: [rows[0]!, rows[1]!] }));
  expect(rowOf("Banana")).toBe(banana);
  expect(rowOf("Apple")).toBe(fresh);
});

/** Notes how many rows are in the document whenever some are drawn. */
function Counted({ rows: drawn, children }: { rows: number[]; children: string }) {
  useLayoutEffect(() => void drawn.push(document.querySelectorAll("tbody tr").length));
  return children;
}

it("renders the next rows of the first screen first, and the others in steps", async () => {
  const drawn: number[] = [];
  const columns = [
    {
      id: "name",
      header: "Name",
      cell: ({ name }: Fruit) => <Counted rows={drawn}>{name}</Counted>,
    },
  ];
  const seeds = (from: number) =>
    Array.from({ length: 70 }, (_, place) => ({
      id: `${from + place}`,
      name: `Seed ${from + place}`,
      grams: 1,
    }));
  const table = (of: Fruit[]) => (
    <MemoryRouter>
      <DataTable label="Fruits" columns={columns} rows={of} rowKey={({ id }) => id} empty={null} />
    </MemoryRouter>
  );
  const { rerender } = render(table(seeds(0)));
  expect(new Set(drawn)).toEqual(new Set([70]));
  drawn.length = 0;
  rerender(table(seeds(100)));
  expect(await screen.findByText("Seed 169")).toBeDefined();
  // Before the last step, the space of the missing rows is a row too.
  expect([...new Set(drawn)]).toEqual([14, 24, 34, 44, 54, 64, 70]);
});

it("shows that it is loading only after 150 ms", () => {
  vi.useFakeTimers();
  renderTable({});
  act(() => void vi.advanceTimersByTime(149));
  expect(screen.queryByRole("status")).toBeNull();
  act(() => void vi.advanceTimersByTime(1));
  expect(screen.getByRole("status").textContent).toBe("Loading Fruits");
  expect(screen.getByRole("table").getAttribute("aria-busy")).toBe("true");
});

it("shows instructions when there are no rows yet", () => {
  renderTable({ rows: [] });
  expect(screen.queryByText("Plant something")).not.toBeNull();
  expect(screen.queryByRole("table")).toBeNull();
});

it("shows when nothing matches, and offers to clear the filter", async () => {
  const clear = vi.fn<() => void>();
  renderTable({ rows: [], filter: { description: "No fruit is called kiwi.", onClear: clear } });
  expect(screen.getByRole("status").textContent).toBe("Nothing matches");
  expect(screen.queryByText("No fruit is called kiwi.")).not.toBeNull();
  expect(screen.queryByText("Plant something")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Clear" }));
  expect(clear).toHaveBeenCalledTimes(1);
});

it("shows why it failed, with the request ID and a retry button", async () => {
  const retry = vi.fn<() => void>();
  renderTable({ failure: { message: "The server is away.", requestID: "req-1", onRetry: retry } });
  const alert = screen.getByRole("alert");
  expect(alert.textContent).toContain("The server is away.");
  expect(within(alert).queryByRole("button", { name: "Copy request ID" })).not.toBeNull();
  await userEvent.click(within(alert).getByRole("button", { name: "Try again" }));
  expect(retry).toHaveBeenCalledTimes(1);
});

it("keeps the old rows while newer ones load, and when loading fails", () => {
  const { unmount } = renderTable({ rows, refreshing: true });
  expect(screen.getByRole("table").getAttribute("aria-busy")).toBe("true");
  expect(screen.queryByText("Apple")).not.toBeNull();
  unmount();
  renderTable({ rows, failure: { message: "The server is away.", onRetry: () => undefined } });
  expect(screen.queryByText("Apple")).not.toBeNull();
  expect(screen.getByRole("status").textContent).toContain(
    "This list may be out of date. The server is away.",
  );
});

it("shows the range of rows and goes to the previous and next page", async () => {
  const previous = vi.fn<() => void>();
  const next = vi.fn<() => void>();
  renderTable({
    rows,
    pagination: { start: 1000, count: 25, total: 1204, onPrevious: previous, onNext: next },
  });
  const pages = screen.getByRole("navigation", { name: "Pages" });
  expect(pages.textContent).toContain("1,001–1,025 of 1,204");
  await userEvent.click(within(pages).getByRole("button", { name: "Previous" }));
  await userEvent.click(within(pages).getByRole("button", { name: "Next" }));
  expect(previous).toHaveBeenCalledTimes(1);
  expect(next).toHaveBeenCalledTimes(1);
});

it("offers no page that doesn't exist, and shows an inexact count", () => {
  renderTable({ rows, pagination: { start: 0, count: 2, total: "10,000+" } });
  expect(screen.getByRole("navigation").textContent).toContain("1–2 of 10,000+");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Previous" }).disabled).toBe(true);
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Next" }).disabled).toBe(true);
});

it("sorts by the clicked header and shows the direction", async () => {
  const sort = vi.fn<(key: string) => void>();
  const columns = [
    { id: "name", header: "Name", sortKey: "name", cell: (fruit: Fruit) => fruit.name },
    { id: "grams", header: "Grams", sortKey: "grams", cell: (fruit: Fruit) => fruit.grams },
    { id: "more", header: "More", cell: () => "" },
  ];
  renderTable({ rows, columns, order: { key: "name", descending: true }, onSort: sort });
  const headers = screen.getAllByRole("columnheader");
  expect(headers.map((header) => header.getAttribute("aria-sort"))).toEqual(["descending", null, null]);
  await userEvent.click(screen.getByRole("button", { name: "Grams" }));
  expect(sort).toHaveBeenCalledWith("grams");
  expect(screen.queryByRole("button", { name: "More" })).toBeNull();
});

const basket: Fruit[] = ["Apple", "Banana", "Cherry"].map((name) => ({ id: name, name, grams: 1 }));

function Selectable() {
  const state = useSelection("all");
  return (
    <DataTable
      label="Fruits"
      columns={[{ id: "name", header: "Name", cell: (fruit: Fruit) => fruit.name }]}
      rows={basket}
      rowKey={({ id }) => id}
      selection={{ state, nameOf: ({ name }) => name }}
      empty={null}
    />
  );
}

const checked = () =>
  screen
    .getAllByRole<HTMLInputElement>("checkbox")
    .map((box) => (box.indeterminate ? "some" : box.checked ? "yes" : "no"));

it("selects rows, a range of them with shift, and the page", async () => {
  render(<Selectable />);
  const user = userEvent.setup();
  await user.click(screen.getByRole("checkbox", { name: "Select Apple" }));
  expect(checked()).toEqual(["some", "yes", "no", "no"]);
  await user.keyboard("{Shift>}");
  await user.click(screen.getByRole("checkbox", { name: "Select Cherry" }));
  await user.keyboard("{/Shift}");
  expect(checked()).toEqual(["yes", "yes", "yes", "yes"]);
  await user.click(screen.getByRole("checkbox", { name: "Select every row on this page" }));
  expect(checked()).toEqual(["no", "no", "no", "no"]);
});

it.each([
  { what: "all rows fit on the smallest page", total: 25, value: 25, isShown: false },
  { what: "a larger page was chosen", total: 40, value: 50, isShown: true },
])("shows pagination only if there is a second page: $what", ({ total, value, isShown }) => {
  const pageSize = { value, choices: [25, 50], onChange: () => undefined };
  renderTable({ rows, pagination: { start: 0, count: total, total, pageSize } });
  expect(screen.queryByRole("navigation", { name: "Pages" }) !== null).toBe(isShown);
});

it("lets the size of a page be chosen", async () => {
  const choose = vi.fn<(size: number) => void>();
  const pageSize = { value: 25, choices: [25, 50], onChange: choose };
  renderTable({ rows, pagination: { start: 0, count: 25, total: 60, onNext: () => undefined, pageSize } });
  await userEvent.selectOptions(screen.getByRole("combobox", { name: "Rows per page" }), "50 per page");
  expect(choose).toHaveBeenCalledWith(50);
});
