import type { AttentionItem } from "@lightkeeper/contract";
import type { ComponentType, ReactNode } from "react";
import { Link } from "react-router";
import { formatNumber } from "../lib/format.ts";
import styles from "./attention.module.css";

export interface ItemProps {
  item: AttentionItem;
  /** The network that the items are filtered by. */
  networkID: string | undefined;
}

/** How an item of one type is shown. */
export interface ItemDescription {
  Title: ComponentType<ItemProps>;
  /** One sentence or two: what happens if nothing is done. */
  Consequence: ComponentType<ItemProps>;
  Action: ComponentType<ItemProps>;
}

type AttentionObject = AttentionItem["objects"][number];

const missing: Pick<AttentionObject, "id" | "name"> = { id: "", name: "" };

/** The first object of the type. */
export const objectOf = ({ objects }: AttentionItem, type: AttentionObject["type"]) =>
  objects.find((object) => object.type === type) ?? missing;

export const hostsOf = ({ objects }: AttentionItem) => objects.filter(({ type }) => type === "host");

export const hostPathOf = ({ id }: Pick<AttentionObject, "id">) => `/hosts/${encodeURIComponent(id)}`;

export function ObjectLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to} className={styles.object}>
      <bdi>{children}</bdi>
    </Link>
  );
}

/** "web-1", "web-1 and web-2", "web-1, web-2 and 9 more" */
export function formatHosts(item: AttentionItem): string {
  const hosts = hostsOf(item);
  const names = (item.hostCount > hosts.length ? hosts.slice(0, 2) : hosts).map(({ name }) => name);
  const more = item.hostCount - names.length;
  const parts = more > 0 ? [...names, `${formatNumber(more)} more`] : names;
  const last = parts.at(-1) ?? "";
  return parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${last}` : last;
}

const day = new Intl.DateTimeFormat("en", { month: "long", day: "numeric" });
export const formatDay = (at: string) => day.format(new Date(at));
