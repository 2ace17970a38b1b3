import type { Column } from "./data-table.tsx";

/** The last of a table: what can be done with a row. */
export const menuColumn = <Row>(cell: Column<Row>["cell"]): Column<Row> => ({
  id: "menu",
  header: "Actions",
  hideHeader: true,
  align: "end",
  width: 56,
  cell,
});
