import { Tabs } from "../ui/controls/tabs.tsx";
import styles from "./access-tabs.module.css";

/** The tabs above the organization and its notifications. */
export function OrganizationTabs() {
  return (
    <div className={styles.tabs}>
      <Tabs
        label="Organization"
        tabs={[
          { label: "General", to: "/settings/organization" },
          { label: "Notifications", to: "/settings/notifications" },
        ]}
      />
    </div>
  );
}
