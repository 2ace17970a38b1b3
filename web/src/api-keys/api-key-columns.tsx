import type { ApiKey } from "@lightkeeper/contract";
import type { Column } from "../ui/tables/data-table.tsx";
import { IconButton } from "../ui/controls/icon-button.tsx";
import { EditIcon, MoreIcon, RefreshIcon, TrashIcon } from "../ui/base/icons.tsx";
import { Menu } from "../ui/overlays/menu.tsx";
import { menuColumn } from "../ui/tables/menu-column.ts";
import { NameCell } from "../ui/text/name-cell.tsx";
import { Time } from "../ui/text/time.tsx";
import { ApiKeyCreator } from "./api-key-creator.tsx";
import { ApiKeyExpiry, ApiKeyExpirySummary } from "./api-key-expiry.tsx";
import { ApiKeyLink, apiKeyPath } from "./api-key-link.tsx";
import { describeScopes } from "./scope-labels.ts";

export const apiKeyColumns: readonly Column<ApiKey>[] = [
  {
    id: "name",
    header: "Name",
    width: "36%",
    cell: (apiKey) => (
      <NameCell description={describeScopes(apiKey.scopes)}>
        <ApiKeyLink apiKey={apiKey} />
      </NameCell>
    ),
  },
  {
    id: "used",
    header: "Last used",
    phone: ({ lastUsedAt }) =>
      lastUsedAt ? (
        <>
          Used <Time at={lastUsedAt} past />
        </>
      ) : (
        "Never used"
      ),
    cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} past /> : "Never"),
  },
  {
    id: "expires",
    header: "Expires",
    phone: (apiKey) => <ApiKeyExpirySummary apiKey={apiKey} />,
    cell: (apiKey) => <ApiKeyExpiry apiKey={apiKey} />,
  },
  {
    id: "creator",
    header: "Created by",
    hideBelow: "small",
    phone: "hidden",
    cell: ({ createdBy }) => <ApiKeyCreator createdBy={createdBy} />,
  },
  {
    id: "created",
    header: "Created",
    hideBelow: "small",
    phone: "hidden",
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
  menuColumn(({ id, name }) => (
    <Menu
      trigger={<IconButton label={`Actions for ${name}`} icon={<MoreIcon />} tooltip={false} />}
      items={[
        { label: "Edit", writes: true, icon: <EditIcon />, to: apiKeyPath(id) },
        { label: "Rotate…", writes: true, icon: <RefreshIcon />, to: `${apiKeyPath(id)}/rotate` },
        "separator",
        {
          label: "Delete…",
          writes: true,
          icon: <TrashIcon />,
          danger: true,
          to: `${apiKeyPath(id)}/delete`,
        },
      ]}
    />
  )),
];
