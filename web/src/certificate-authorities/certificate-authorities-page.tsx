import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Outlet, useOutlet } from "react-router";
import { useListPage } from "../lib/list-page.ts";
import { useListState } from "../lib/list-state.ts";
import { queryClient } from "../lib/query.ts";
import { PageTitle } from "../lib/title.ts";
import { allNetworksQuery } from "../references/networks.queries.ts";
import { DataTable } from "../ui/tables/data-table.tsx";
import { EmptyState } from "../ui/feedback/empty-state.tsx";
import { CertificateIcon } from "../ui/base/icons.tsx";
import { PageContent } from "../ui/pages/page-content.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { caColumns } from "./ca-columns.tsx";
import { casPageQuery } from "./certificate-authorities.queries.ts";
import { Rotations } from "./rotations.tsx";
import { RunwayNotice } from "./runway-notice.tsx";
import styles from "./certificate-authorities.module.css";

const TITLE = "Certificate Authorities";

export function CertificateAuthoritiesPage() {
  // The rotate dialog is a child route and sets its own title.
  const hasDialog = useOutlet() !== null;
  const state = useListState();
  const { data: networks } = useQuery(allNetworksQuery);
  const query = useQuery({ ...casPageQuery(state.query), placeholderData: keepPreviousData });
  const { total, ...table } = useListPage(
    query,
    state,
    (cursor) => void queryClient.prefetchQuery(casPageQuery({ ...state.query, cursor })),
  );
  return (
    <PageContent kind="list">
      {!hasDialog && <PageTitle>{TITLE}</PageTitle>}
      <PageHeader
        title={TITLE}
        count={total}
        lead="Each network has its own CA, which signs the certificates its hosts use to authenticate each other."
      />
      <div className={styles.notices}>
        <RunwayNotice networks={networks} />
        <Rotations networks={networks} />
      </div>
      <DataTable
        {...table}
        label={TITLE}
        columns={caColumns(networks)}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={<CertificateIcon />} title="No certificate authorities yet">
            Each network has its own CA. Add a network first.
          </EmptyState>
        }
      />
      <Outlet />
    </PageContent>
  );
}
