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
import { FileList } from "./file-list.tsx";
import { InstallWays } from "./install-ways.tsx";

export function DownloadsPage() {
  usePageTitle("Downloads");
  return (
    <Loaded query={useQuery(downloadsQuery)} title="Downloads" crumbs={[]}>
      {(downloads) => (
        <FormPage>
          <PageHeader
            title="Downloads"
            lead="The agent that every host runs, as this server has built it. It keeps Nebula as it should be."
          />
          <Agent versions={agentVersions(downloads)} others={<Others downloads={downloads} />} />
        </FormPage>
      )}
    </Loaded>
  );
}

function Agent({ versions, others }: { versions: readonly AgentVersion[]; others: ReactNode }) {
  const [latest, ...older] = versions;
  if (!latest) return <NothingBuilt />;
  return (
    <Cards>
      <Card padded={false}>
        <InstallWays files={latest.files} />
      </Card>
      <Card title={`Agent ${latest.version}`} actions={<Built {...latest} />} padded={false}>
        <FileList files={latest.files} />
      </Card>
      {others}
      {older.length > 0 && <OlderVersions versions={older} />}
    </Cards>
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
      {versions.map((one) => (
        <details key={one.version} className={styles.version}>
          <summary className={styles.summary}>
            {one.version} <Built {...one} />
          </summary>
          <FileList files={one.files} />
        </details>
      ))}
    </Card>
  );
}

const NEBULA_RELEASES = "https://github.com/slackhq/nebula/releases";

/** What the agent needs beside itself, and what phones and containers run. */
function Others({ downloads: { mobile, container } }: { downloads: Downloads }) {
  const stores = [
    { label: "Android", url: mobile.android },
    { label: "iPhone and iPad", url: mobile.ios },
  ];
  return (
    <Card title="Nebula">
      <div className={styles.way}>
        <p>
          The agent runs Nebula itself. The install script brings it where apt does; elsewhere take it from
          your system&apos;s packages or from <Outside href={NEBULA_RELEASES}>Nebula&apos;s releases</Outside>
          .
        </p>
        {stores.map(
          ({ label, url }) =>
            url && (
              <p key={label}>
                <Outside href={url}>{label}</Outside>
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

function Outside({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a href={href} target="_blank" rel="noreferrer" className={styles.link}>
      {children}
    </a>
  );
}

function NothingBuilt() {
  return (
    <Card>
      <EmptyState icon={<DownloadIcon />} title="No agent has been built">
        <p>On the server, build it and look here again:</p>
        <CodeBlock label="Build command" copy="command" wrap>
          npm run build:agent
        </CodeBlock>
        <p>
          Until then hosts can be <Link to="/hosts/add">added</Link>, but not enrolled by the install script.
        </p>
      </EmptyState>
    </Card>
  );
}
