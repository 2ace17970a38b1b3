import type { NotificationChannel, NotificationRule } from "@lightkeeper/contract";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useRef, type ReactNode } from "react";
import { useListKeys } from "../lib/list-keys.ts";
import { failureOf } from "../lib/list-page.ts";
import { usePageTitle } from "../lib/title.ts";
import { OrganizationTabs } from "../on-demand/organization-tabs.tsx";
import { notificationChannelPath, notificationRulePath } from "../references/notification-paths.ts";
import { MailIcon, PlusIcon, WarningIcon } from "../ui/base/icons.tsx";
import { LinkButton } from "../ui/controls/button.tsx";
import { EmptyState } from "../ui/feedback/empty-state.tsx";
import { Status } from "../ui/feedback/status.tsx";
import { PageContent } from "../ui/pages/page-content.tsx";
import { PageHeader } from "../ui/pages/page-header.tsx";
import { type Column, DataTable } from "../ui/tables/data-table.tsx";
import { NameCell } from "../ui/text/name-cell.tsx";
import { NameLink } from "../ui/text/name-link.tsx";
import { Time } from "../ui/text/time.tsx";
import {
  CHANNEL_ADD_PATH,
  channelState,
  channelTarget,
  channelTypes,
  deliveryStates,
  RULE_ADD_PATH,
} from "./notification-labels.ts";
import styles from "./notifications.module.css";
import { allChannelsQuery, allRulesQuery } from "./notifications.queries.ts";
import { describeSchedule, type RuleNames, ruleSentence } from "./rule-sentence.ts";
import { useRuleNames } from "./use-rule-names.ts";

export function NotificationsPage() {
  usePageTitle("Notifications");
  const list = useRef<HTMLDivElement>(null);
  useListKeys(list, { add: { description: "Add a notification rule", to: RULE_ADD_PATH } });
  return (
    <PageContent kind="list" ref={list}>
      <OrganizationTabs />
      <PageHeader
        title="Notifications"
        lead="Rules decide which events are reported. Channels decide where messages are sent."
      />
      <Channels />
      <Rules />
    </PageContent>
  );
}

function Section({ title, action, children }: { title: string; action: ReactNode; children: ReactNode }) {
  return (
    <section className={styles.section} aria-label={title}>
      <header className={styles.sectionHeader}>
        <h2>{title}</h2>
        {action}
      </header>
      {children}
    </section>
  );
}

const AddLink = ({ to, noun, isPrimary = false }: { to: string; noun: string; isPrimary?: boolean }) => (
  <LinkButton writes to={to} variant={isPrimary ? "primary" : "default"} icon={<PlusIcon />}>
    Add {noun}
  </LinkButton>
);

const tableOf = <Item,>({ data, error, isFetching, refetch }: UseQueryResult<Item[]>) => ({
  rows: data,
  refreshing: isFetching && data !== undefined,
  failure: error && !data ? { ...failureOf(error), onRetry: () => void refetch() } : undefined,
});

const ruleColumns = (names: RuleNames | undefined): readonly Column<NotificationRule>[] => [
  {
    id: "rule",
    header: "Rule",
    cell: (rule) => (
      <NameCell description={describeSchedule(rule)}>
        <NameLink to={notificationRulePath(rule.id)}>{names ? ruleSentence(rule, names) : "…"}</NameLink>
      </NameCell>
    ),
  },
  {
    id: "state",
    header: "State",
    width: 160,
    cell: ({ isEnabled, channelIDs }) => {
      if (!isEnabled) return <Status tone="off">Disabled</Status>;
      if (channelIDs.length === 0) return <Status tone="warn">No channel</Status>;
      return <Status tone="ok">Enabled</Status>;
    },
  },
];

function Rules() {
  const query = useQuery(allRulesQuery);
  const { data: channels } = useQuery(allChannelsQuery);
  const names = useRuleNames();
  const add = <AddLink to={RULE_ADD_PATH} noun="rule" isPrimary />;
  const hasChannels = (channels?.length ?? 0) > 0;
  return (
    <Section title="Rules" action={query.data?.length ? add : undefined}>
      <DataTable
        {...tableOf(query)}
        label="Rules"
        columns={ruleColumns(names)}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={<WarningIcon />} title="No rules yet" action={hasChannels ? add : undefined}>
            {hasChannels
              ? "Add a rule, for example to be notified when a host is offline for 5 minutes."
              : "Add a channel first. Then add a rule for each event that you want to know about."}
          </EmptyState>
        }
      />
    </Section>
  );
}

const channelColumns: readonly Column<NotificationChannel>[] = [
  {
    id: "name",
    header: "Name",
    cell: (channel) => (
      <NameCell description={`${channelTypes[channel.type].label} · ${channelTarget(channel)}`}>
        <NameLink to={notificationChannelPath(channel.id)}>{channel.name}</NameLink>
      </NameCell>
    ),
  },
  {
    id: "state",
    header: "State",
    width: 160,
    cell: (channel) => {
      const { tone, label } = channelState(channel);
      return <Status tone={tone}>{label}</Status>;
    },
  },
  {
    id: "last",
    header: "Last delivery",
    width: 220,
    hideBelow: "narrow",
    phone: "hidden",
    cell: ({ lastDelivery }) =>
      lastDelivery ? (
        <>
          {deliveryStates[lastDelivery.state].label} <Time at={lastDelivery.createdAt} past />
        </>
      ) : (
        "Never"
      ),
  },
];

function Channels() {
  const query = useQuery(allChannelsQuery);
  const add = <AddLink to={CHANNEL_ADD_PATH} noun="channel" />;
  return (
    <Section title="Channels" action={query.data?.length ? add : undefined}>
      <DataTable
        {...tableOf(query)}
        label="Channels"
        columns={channelColumns}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            icon={<MailIcon />}
            title="No channels yet"
            action={<AddLink to={CHANNEL_ADD_PATH} noun="channel" isPrimary />}
          >
            Add an email address, a webhook, or a Slack or Teams channel that messages go to.
          </EmptyState>
        }
      />
    </Section>
  );
}
