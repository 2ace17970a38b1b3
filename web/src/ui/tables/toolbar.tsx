import { useState, type ReactNode } from "react";
import { Button } from "../controls/button.tsx";
import { Dialog } from "../overlays/dialog.tsx";
import { FilterIcon } from "../base/icons.tsx";
import { useIsPhone } from "../base/phone.ts";
import styles from "./toolbar.module.css";
import { VisuallyHidden } from "../base/visually-hidden.tsx";

export interface ToolbarFilters {
  /** The filter chips. */
  chips: ReactNode;
  /** The number of active filters. */
  activeCount: number;
}

export interface ToolbarProps {
  /** The search field. */
  children?: ReactNode;
  filters?: ToolbarFilters | undefined;
  /** Shown at the right, such as the choice of columns. */
  end?: ReactNode;
}

/** The row above a list. On phones, everything except the search is in a sheet. */
export function Toolbar({ children, filters, end }: ToolbarProps) {
  const isPhone = useIsPhone();
  if (isPhone && filters)
    return (
      <div className={styles.toolbar}>
        {children}
        <FilterSheet {...filters} end={end} />
      </div>
    );
  return (
    <div className={styles.toolbar}>
      {children}
      {filters?.chips}
      {end && <div className={styles.end}>{end}</div>}
    </div>
  );
}

function FilterSheet({ chips, activeCount, end }: ToolbarFilters & { end: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button
        icon={<FilterIcon />}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        className={styles.filters}
        onClick={() => setOpen(true)}
      >
        Filters
        {activeCount > 0 && (
          <>
            {" "}
            <span className={styles.count}>{activeCount}</span> <VisuallyHidden>active</VisuallyHidden>
          </>
        )}
      </Button>
      <Dialog
        open={isOpen}
        onClose={close}
        title="Filters"
        actions={
          <Button variant="primary" onClick={close}>
            Done
          </Button>
        }
      >
        <div className={styles.sheet}>{chips}</div>
        {end && <div className={styles.sheetEnd}>{end}</div>}
      </Dialog>
    </>
  );
}

/** The number of filters of a list that have a value. */
export const countActive = (filters: Readonly<Record<string, readonly string[]>>): number =>
  Object.values(filters).filter(({ length }) => length > 0).length;
