import type { Downloads } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { Loaded } from "../lib/loaded.tsx";
import { usePageTitle } from "../lib/title.ts";
import { Card } from "../ui/pages/card.tsx";
import { CodeBlock } from "../ui/text/code.tsx";
import { EmptyState } from "../ui/feedback/empty-state.tsx";
import { Cards, FormPage } from "../ui/pages/form-page.tsx";
import { DownloadIcon } from "../ui/base/icons.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { agentVersions, type AgentVersion } from "./agent-files.ts";
import { downloadsQuery } from "./downloads.queries.ts";
import styles from "./downloads.module.css";
import { BuildNotice } from "./build-notice.tsx";
import { FileList } from "./file-list.tsx";
import { InstallInstructions } from "./install-instructions.tsx";

/** How often the page checks whether the executables are built. */
const POLL_MS = 3000;

const updatingDownloadsQuery = {
  ...downloadsQuery,
  refetchInterval: ({ state: { data } }: { state: { data: Downloads | undefined } }) =>
    data?.build?.state === "building" ? POLL_MS : false,
};

export function DownloadsPage() {
  usePageTitle("Downloads");
  return (
    <Loaded query={useQuery(updatingDownloadsQuery)} title="Downloads" crumbs={[]}>
      {(downloads) => (
        <FormPage>
          <PageHeader
            title="Downloads"
            lead="The Lightkeeper agent, built by this server. It runs on every host and manages Nebula."
          />
          <Cards>
            {downloads.build && <BuildNotice {...downloads.build} />}
            <Agent versions={agentVersions(downloads)} others={<NebulaCard downloads={downloads} />} />
          </Cards>
        </FormPage>
      )}
    </Loaded>
  );
}

function Agent({ versions, others }: { versions: readonly AgentVersion[]; others: ReactNode }) {
  const [latest, ...older] = versions;
  if (!latest) return <NoAgentBuilt />;
  return (
    <>
      <Card padded={false}>
        <InstallInstructions files={latest.files} />
      </Card>
      <Card title={`Agent ${latest.version}`} actions={<Built {...latest} />} padded={false}>
        <FileList files={latest.files} />
      </Card>
      {others}
      {older.length > 0 && <OlderVersions versions={older} />}
    </>
  );
}

const days = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });

function Built({ releaseDate }: Pick<AgentVersion, "releaseDate">) {
  return (
    <span className={styles.aside}>
      Built <time dateTime={releaseDate}>{days.format(new Date(releaseDate))}</time>
    </span>
  );
}

function OlderVersions({ versions }: { versions: readonly AgentVersion[] }) {
  return (
    <Card title="Older versions" padded={false}>
      {versions.map(({ version, releaseDate, files }) => (
        <details key={version} className={styles.version}>
          <summary className={styles.summary}>
            {version} <Built releaseDate={releaseDate} />
          </summary>
          <FileList files={files} />
        </details>
      ))}
    </Card>
  );
}

const NEBULA_RELEASES = "https://github.com/slackhq/nebula/releases";

/** Nebula, which the agent needs, and the clients for phones and containers. */
function NebulaCard({ downloads: { mobile, container } }: { downloads: Downloads }) {
  const stores = [
    { label: "Android", url: mobile.android },
    { label: "iPhone and iPad", url: mobile.ios },
  ];
  return (
    <Card title="Nebula">
      <div className={styles.instructions}>
        <p>
          The agent runs Nebula. The install script installs Nebula with apt. On other systems, use your
          package manager or <ExternalLink href={NEBULA_RELEASES}>Nebula’s releases</ExternalLink>.
        </p>
        {stores.map(
          ({ label, url }) =>
            url && (
              <p key={label}>
                <ExternalLink href={url}>{label}</ExternalLink>
              </p>
            ),
        )}
        {container.docker && (
          <CodeBlock label="Container image" copy="container image" wrap>
            {container.docker}
          </CodeBlock>
        )}
      </div>
    </Card>
  );
}

function ExternalLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a href={href} target="_blank" rel="noreferrer" className={styles.link}>
      {children}
    </a>
  );
}

function NoAgentBuilt() {
  return (
    <Card>
      <EmptyState icon={<DownloadIcon />} title="No agent built yet">
        <p>Run this on the server, then reload this page:</p>
        <CodeBlock label="Build command" copy="command" wrap>
          npm run build:agent
        </CodeBlock>
        <p>
          Until then, you can <Link to="/hosts/add">add hosts</Link>, but not enroll them with the install
          script.
        </p>
      </EmptyState>
    </Card>
  );
}
