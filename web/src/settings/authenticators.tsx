import { TOTP_AUTHENTICATORS_MAX, type TotpAuthenticator } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { failureOf } from "../lib/list-page.ts";
import { LinkButton } from "../ui/controls/button.tsx";
import { DataTable, type Column } from "../ui/tables/data-table.tsx";
import { EmptyState } from "../ui/feedback/empty-state.tsx";
import { IconButton } from "../ui/controls/icon-button.tsx";
import { EditIcon, MoreIcon, PlusIcon, TrashIcon } from "../ui/base/icons.tsx";
import { Menu } from "../ui/overlays/menu.tsx";
import { menuColumn } from "../ui/tables/menu-column.ts";
import { Time } from "../ui/text/time.tsx";
import { AUTHENTICATOR_ADD_PATH, authenticatorPath } from "../references/settings-paths.ts";
import { SettingsSection } from "./settings-section.tsx";
import styles from "./settings.module.css";
import { authenticatorsQuery } from "./settings.queries.ts";

const columns: readonly Column<TotpAuthenticator>[] = [
  {
    id: "name",
    header: "Name",
    width: "40%",
    cell: ({ name }) => <bdi className={styles.name}>{name}</bdi>,
  },
  {
    id: "used",
    header: "Last used",
    cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} past /> : "Never"),
  },
  { id: "added", header: "Added", hideBelow: "narrow", cell: ({ createdAt }) => <Time at={createdAt} /> },
  menuColumn(({ id, name }) => (
    <Menu
      trigger={<IconButton label={`Actions for ${name}`} icon={<MoreIcon />} tooltip={false} />}
      items={[
        { label: "Edit", icon: <EditIcon />, to: authenticatorPath(id, "edit") },
        { label: "Delete…", icon: <TrashIcon />, danger: true, to: authenticatorPath(id, "delete") },
      ]}
    />
  )),
];

export function Authenticators() {
  const { data, error, isFetching, refetch } = useQuery(authenticatorsQuery);
  const add = (
    <LinkButton to={AUTHENTICATOR_ADD_PATH} preventScrollReset icon={<PlusIcon />}>
      Add authenticator
    </LinkButton>
  );
  return (
    <SettingsSection
      title="Authenticators"
      count={data?.length}
      lead={`Used for two-factor authentication. Add a second one in case you lose your phone (up to ${TOTP_AUTHENTICATORS_MAX}).`}
      actions={add}
    >
      <DataTable
        label="Authenticators"
        columns={columns}
        rows={data}
        rowKey={({ id }) => id}
        refreshing={isFetching}
        failure={error ? { ...failureOf(error), onRetry: () => void refetch() } : undefined}
        skeletonRows={2}
        empty={<EmptyState title="No authenticators">Add an authenticator to log in.</EmptyState>}
      />
    </SettingsSection>
  );
}
