import { useEffect } from "react";
import { Outlet } from "react-router";
import { followEvents } from "../lib/events.ts";
import { SkipLink } from "../ui/skip-link.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import styles from "./main-layout.module.css";
import { MenuPanel } from "./menu-panel.tsx";
import { Shortcuts } from "./shortcuts.tsx";
import { Sidebar, SidebarHead } from "./sidebar.tsx";

/** Everything around a signed-in page. */
export function MainLayout() {
  useEffect(() => followEvents(), []);
  return (
    <div className={styles.shell}>
      <SkipLink targetID="main" />
      <header className={styles.bar}>
        <MenuPanel />
        <SidebarHead />
      </header>
      <header className={styles.side}>
        <SidebarHead />
        <Sidebar />
        <AccountMenu />
      </header>
      <div className={styles.content}>
        <ConnectionBanner />
        <main id="main" tabIndex={-1} className={styles.main}>
          <Outlet />
        </main>
      </div>
      <Shortcuts />
    </div>
  );
}
