import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { isComplete, progressQuery } from "../get-started/get-started.queries.ts";
import styles from "./enrollment.module.css";

/** Shown until the first hosts are connected. */
export function ChecklistLink() {
  const { data: progress } = useQuery(progressQuery);
  if (!progress || isComplete(progress)) return null;
  return (
    <p className={styles.checklist}>
      Setting up your first network? <Link to="/get-started">See what’s next</Link>
    </p>
  );
}
