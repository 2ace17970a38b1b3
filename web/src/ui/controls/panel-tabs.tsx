import { Tab, TabList, TabPanel, TabProvider } from "@ariakit/react/tab";
import type { ReactNode } from "react";
import styles from "./panel-tabs.module.css";

export interface PanelTab {
  id: string;
  label: string;
  content: ReactNode;
}

export interface PanelTabsProps {
  /** Names the choice. */
  label: string;
  tabs: readonly PanelTab[];
  /** The id of the tab that is open at first. */
  first?: string | undefined;
}

/** Ways to see the same thing, within a page: unlike the tabs of a page they have no addresses. */
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
