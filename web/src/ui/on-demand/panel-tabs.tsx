import { Tab, TabList, TabPanel, TabProvider } from "@ariakit/react/tab";
import type { ReactNode } from "react";
import styles from "./panel-tabs.module.css";

export interface PanelTab {
  id: string;
  label: string;
  content: ReactNode;
}

export interface PanelTabsProps {
  /** The accessible name of the tabs. */
  label: string;
  tabs: readonly PanelTab[];
  /** The ID of the initial tab. */
  first?: string | undefined;
}

/** Tabs within a page. Unlike the tabs of a page, they have no URLs. */
export function PanelTabs({ label, tabs, first }: PanelTabsProps) {
  return (
    <TabProvider {...(first !== undefined && { defaultSelectedId: first })}>
      <TabList aria-label={label} className={styles.list}>
        {tabs.map(({ id, label: name }) => (
          <Tab key={id} id={id} className={styles.tab}>
            {name}
          </Tab>
        ))}
      </TabList>
      {tabs.map(({ id, content }) => (
        <TabPanel key={id} tabId={id} className={styles.panel}>
          {content}
        </TabPanel>
      ))}
    </TabProvider>
  );
}
