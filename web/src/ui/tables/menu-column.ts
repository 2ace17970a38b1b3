import type { Column } from "./data-table.tsx";

/** The last column of a table, with the actions of a row. */
export const menuColumn = <Row>(cell: Column<Row>["cell"]): Column<Row> => ({
  id: "menu",
  header: "Actions",
  hideHeader: true,
  align: "end",
  width: 56,
  cell,
});
