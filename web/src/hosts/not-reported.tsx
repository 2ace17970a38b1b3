import styles from "./host-page.module.css";

/** For a value that the host's agent doesn't report. */
export const NotReported = () => <span className={styles.faint}>Not reported</span>;
