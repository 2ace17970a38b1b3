import type { AttentionItem } from "@lightkeeper/contract";
import { useState } from "react";
import { queryClient } from "../lib/query.ts";
import { icon } from "../ui/base/icon.tsx";
import { WarningIcon } from "../ui/base/icons.tsx";
import { VisuallyHidden } from "../ui/base/visually-hidden.tsx";
import { Button } from "../ui/controls/button.tsx";
import { guaranteeQuery } from "../guarantees/guarantees.queries.ts";
import { Since } from "./since.tsx";
import type { ItemProps } from "./item-parts.tsx";
import { items as descriptions } from "./items.tsx";
import styles from "./attention.module.css";

const CriticalIcon = /* @__PURE__ */ icon(
  "M5.4 1.9h5.2l3.5 3.5v5.2l-3.5 3.5H5.4l-3.5-3.5V5.4zM8 4.9v3.6M8 11h.01",
);

const SHOWN_MAX = 5;

/** Loads what the first items show, so that they don't grow afterwards. */
export async function prepareItems(items: readonly AttentionItem[]): Promise<void> {
  const ids = items
    .slice(0, SHOWN_MAX)
    .flatMap(({ type, objects: [object] }) => (type === "GUARANTEE_FAILING" && object ? [object.id] : []));
  await Promise.all(ids.map((id) => queryClient.prefetchQuery(guaranteeQuery(id))));
}

interface AttentionListProps extends Pick<ItemProps, "networkID"> {
  items: readonly AttentionItem[];
}

/** What needs attention, most important first. Items can't be dismissed: they go away when they are no longer true. */
export function AttentionList({ items, networkID }: AttentionListProps) {
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? items : items.slice(0, SHOWN_MAX);
  return (
    <section aria-labelledby="attention" className={styles.attention}>
      <h2 id="attention" className={styles.title}>
        Needs attention <span className={styles.count}>{items.length}</span>
      </h2>
      <ol>
        {shown.map((item) => (
          <Item key={[item.type, item.objects[0]?.id].join()} item={item} networkID={networkID} />
        ))}
      </ol>
      {shown.length < items.length && (
        <div className={styles.more}>
          <Button variant="quiet" size="small" onClick={() => setShowsAll(true)}>
            Show all {items.length}
          </Button>
        </div>
      )}
    </section>
  );
}

function Item(props: ItemProps) {
  const { item } = props;
  const { Title, Consequence, Action } = descriptions[item.type];
  const isCritical = item.severity === "CRITICAL";
  return (
    <li className={styles.item} data-severity={item.severity}>
      {isCritical ? <CriticalIcon /> : <WarningIcon />}
      <div className={styles.text}>
        <h3>
          <VisuallyHidden>{isCritical ? "Critical: " : "Warning: "}</VisuallyHidden>
          <Title {...props} />
        </h3>
        <p>
          <Consequence {...props} />
        </p>
      </div>
      {item.since ? <Since at={item.since} /> : <span />}
      <Action {...props} />
    </li>
  );
}
