import { Button } from "../controls/button.tsx";
import { ColumnsIcon } from "../base/icons.tsx";
import { Menu } from "../overlays/menu.tsx";
import { useIsPhone } from "../base/phone.ts";

export interface ColumnChooserProps {
  columns: readonly { id: string; header: string }[];
  /** The IDs of the visible columns. */
  shown: readonly string[];
  onChange: (shown: readonly string[]) => void;
}

/** Chooses the visible columns of a table. On phones, rows are a fixed summary. */
export function ColumnChooser({ columns, shown, onChange }: ColumnChooserProps) {
  const isPhone = useIsPhone();
  if (isPhone) return null;
  const ids = columns.map(({ id }) => id);
  const toggle = (id: string) =>
    onChange(ids.filter((one) => (one === id ? !shown.includes(id) : shown.includes(one))));
  return (
    <Menu
      trigger={
        <Button variant="quiet" icon={<ColumnsIcon />}>
          Columns
        </Button>
      }
      items={columns.map(({ id, header }) => ({
        label: header,
        checked: shown.includes(id),
        onSelect: () => toggle(id),
      }))}
    />
  );
}
