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
  // A dialog at an address of its own, with a title of its own.
  const isAlone = useOutlet() === null;
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
      {isAlone && <PageTitle>{TITLE}</PageTitle>}
      <PageHeader
        title={TITLE}
        count={total}
        lead="Each network has its own: it signs what its hosts know one another by."
      />
      <div className={styles.before}>
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
            Each network brings its own: add a network first.
          </EmptyState>
        }
      />
      <Outlet />
    </PageContent>
  );
}
