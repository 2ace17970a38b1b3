import { KitControls } from "./kit-page-controls.tsx";
import { KitData } from "./kit-page-data.tsx";
import { KitFeedback } from "./kit-page-feedback.tsx";
import { KitPickers } from "./kit-page-pickers.tsx";
import styles from "./kit-page.module.css";
import { Code } from "../text/code.tsx";
import { EnvironmentBadge, Logo } from "../base/logo.tsx";
import { PageHeader } from "../pages/page-header.tsx";
import { SkipLink } from "../pages/skip-link.tsx";
import { Toaster } from "../feedback/toaster.tsx";

const surfaces = ["bg", "surface-1", "surface-2", "surface-3", "accent-wash"];
const inks = ["text", "text-muted", "text-faint", "accent-text", "ok", "warn", "danger", "info"];

/** Every component in every state. Available in development only. */
export default function KitPage() {
  return (
    <>
      <SkipLink targetID="main" />
      <header className={styles.top}>
        <Logo />
        <EnvironmentBadge>Local</EnvironmentBadge>
      </header>
      <main id="main" tabIndex={-1} className={styles.main}>
        <PageHeader title="Kit" lead="Every component in every state, in the system’s theme." />
        <section className={styles.section} aria-label="Colors">
          <h2 className={styles.heading}>Colors</h2>
          {surfaces.map((surface) => (
            <div key={surface} className={styles.swatch} style={{ background: `var(--${surface})` }}>
              <Code>{surface}</Code>
              {inks.map((ink) => (
                <span key={ink} style={{ color: `var(--${ink})` }}>
                  {ink}
                </span>
              ))}
            </div>
          ))}
        </section>
        <KitControls />
        <KitPickers />
        <KitFeedback />
        <KitData />
      </main>
      <Toaster />
    </>
  );
}
