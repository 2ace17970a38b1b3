import { Outlet } from "react-router";
import { SkipLink } from "../ui/pages/skip-link.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { CommandPalette, PaletteButton, PaletteField, usePalette } from "./command-palette.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import styles from "./main-layout.module.css";
import { MenuPanel } from "./menu-panel.tsx";
import { Shortcuts } from "./shortcuts.tsx";
import { Sidebar, SidebarHead } from "./sidebar.tsx";

/** The layout of signed-in pages. */
export function MainLayout() {
  const palette = usePalette();
  return (
    <div className={styles.shell}>
      <SkipLink targetID="main" />
      <header className={styles.bar}>
        <MenuPanel />
        <SidebarHead />
        <PaletteButton palette={palette} />
      </header>
      <header className={styles.side}>
        <SidebarHead />
        <PaletteField palette={palette} />
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
      <CommandPalette palette={palette} />
    </div>
  );
}
