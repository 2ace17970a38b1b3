import type { RefObject } from "react";
import { useNavigate } from "react-router";
import { useShortcut } from "./shortcuts.ts";

/** The element around the toolbar and the table. */
type List = RefObject<HTMLElement | null>;

interface ListKeys {
  /** The page that `c` opens. */
  add: { description: string; to: string };
  /** The edit page of a row, by the path of its link; omitted when the link opens the edit page. */
  editPath?: (rowPath: string) => string;
}

const rowsOf = ({ current }: List) => [...(current?.querySelectorAll("tbody tr:not([data-detail])") ?? [])];
const placeOf = (rows: readonly Element[]) => rows.findIndex((row) => row.contains(document.activeElement));
const linkOf = (row: Element | undefined) => row?.querySelector<HTMLAnchorElement>("td[data-lead] a");

/** Moves through a DataTable by keyboard. Enter opens a row because the focus is on its link. */
export function useListKeys(list: List, { add, editPath }: ListKeys): void {
  const navigate = useNavigate();

  function move(step: number) {
    const rows = rowsOf(list);
    const at = placeOf(rows);
    linkOf(at < 0 ? rows.at(step > 0 ? 0 : -1) : rows[at + step])?.focus();
  }
  function edit() {
    const rows = rowsOf(list);
    const path = linkOf(rows[placeOf(rows)])?.getAttribute("href");
    if (path) void navigate(editPath?.(path) ?? path);
  }

  const focusSearch = () => list.current?.querySelector<HTMLElement>("input[type=search]")?.focus();
  useShortcut("/", "Search", focusSearch, "Lists");
  useShortcut("j", "Next row", () => move(1), "Lists");
  useShortcut("k", "Previous row", () => move(-1), "Lists");
  useShortcut("e", "Edit the row", edit, "Lists");
  useShortcut("c", add.description, () => void navigate(add.to), "Lists");
}

/** For tables whose rows can be selected. */
export function useSelectKey(list: List): void {
  function select() {
    const rows = rowsOf(list);
    rows[placeOf(rows)]?.querySelector<HTMLInputElement>("input[type=checkbox]")?.click();
  }
  useShortcut("x", "Select the row", select, "Lists");
}
