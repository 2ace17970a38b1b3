import { Link, Outlet, useLocation, useMatches } from "react-router";
import { config } from "../lib/config.ts";
import type { AuthHandle } from "../lib/feature.ts";
import { PRODUCT_NAME } from "../lib/title.ts";
import { classNames } from "../ui/base/class-names.ts";
import { Logo } from "../ui/base/logo.tsx";
import styles from "./auth-layout.module.css";
import { Environment } from "./environment.tsx";
import { isUnder } from "./navigation.ts";

/** On these pages, the logo links to the marketing site. */
const linksToWebsite = (pathname: string) =>
  config.marketingURL !== undefined && (isUnder(pathname, "/signup") || pathname === "/auth/login");

// The link has its own label.
const logo = (
  <span aria-hidden="true">
    <Logo height={32} />
  </span>
);

function HomeLink() {
  const { pathname } = useLocation();
  if (linksToWebsite(pathname.replace(/\/$/, ""))) {
    return (
      <a href={config.marketingURL} aria-label={`${PRODUCT_NAME} home`}>
        {logo}
      </a>
    );
  }
  return (
    <Link to="/" aria-label="Home">
      {logo}
    </Link>
  );
}

/** The layout of pages outside the main layout. */
export function AuthLayout() {
  const handle = useMatches().at(-1)?.handle as AuthHandle | undefined;
  return (
    <div className={styles.page}>
      <div className={styles.beam} aria-hidden="true" />
      <header className={styles.header}>
        <HomeLink />
        <Environment />
        {handle?.headerText && <span className={styles.text}>{handle.headerText}</span>}
      </header>
      <main id="main" tabIndex={-1} className={classNames(styles.main, handle?.centered && styles.centered)}>
        <Outlet />
      </main>
    </div>
  );
}
