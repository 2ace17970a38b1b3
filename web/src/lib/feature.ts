/**
 * What a feature adds to the console. Each feature folder declares it in `NAME.feature.ts`; the router, the sidebar, the
 * shortcuts and the palette are derived from the list in `app/features.ts`.
 */
import type { ComponentType } from "react";

/** Who can open a page. The router turns it into a guard. */
export type PageAccess =
  /** Auditors see an explanation instead of the page. */
  | "writer"
  /** The same, as a dialog over the page around it. */
  | "dialogWriter"
  /** People who sign in with single sign-on see the 404 page. */
  | "user"
  /** Needs a user token, with or without the second factor. */
  | "userToken"
  /** Only owners; others are redirected. */
  | { ownerElse: string }
  /** Only while this feature flag is on. */
  | { flag: string };

export type SidebarSection = "settings" | "support";

export interface SidebarEntry {
  label: string;
  /** Omitted for pages at the top level. */
  section?: SidebarSection;
  /** Only for pages at the top level. */
  icon?: ComponentType;
  /** `g` followed by this key opens the page. */
  goKey?: string;
  /** The link contains the network that the person last filtered by. */
  filtersByNetwork?: boolean;
  /** Further paths at which the entry is highlighted. */
  alsoAt?: readonly string[];
  /** What the page below this one at `add` adds: "network". The palette offers it. */
  adds?: string;
}

/** How the layout of the login page shows a page. */
export interface AuthHandle {
  headerText?: string;
  centered?: boolean;
}

interface LoadedPage {
  /** Absolute, or relative to the page around it. Without a path, the page is a layout for its children. */
  path?: string;
  /** Loads the component when the page is opened. */
  load: () => Promise<ComponentType>;
  access?: PageAccess;
  sidebar?: SidebarEntry;
  handle?: AuthHandle;
  children?: readonly FeaturePage[];
  /** The absolute path of another feature's page that shows this page within itself. */
  within?: string;
}

export type FeaturePage =
  | LoadedPage
  | { path: string; redirectTo: string }
  /** Like a redirect, but keeps the query and what follows the path. */
  | { path: string; movedTo: string; access?: PageAccess }
  /** Shows the page around it without a child. */
  | { index: true };

export interface SidebarLink {
  section: SidebarSection;
  label: string;
  url: string;
}

export interface Feature {
  /** Pages in the main layout, for people who are logged in. */
  pages?: readonly FeaturePage[];
  /** Pages in the layout of the login page, for people who are logged in. */
  setupPages?: readonly FeaturePage[];
  /** Pages in the layout of the login page, for everyone. */
  publicPages?: readonly FeaturePage[];
  /** Links to other sites, before the feature's pages in the sidebar. */
  sidebarLinks?: readonly SidebarLink[];
}
