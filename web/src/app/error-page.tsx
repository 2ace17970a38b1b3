import { MissingEntityError, RequestError } from "@lightkeeper/contract";
import { useEffect } from "react";
import { isRouteErrorResponse, useRouteError } from "react-router";
import { config } from "../lib/config.ts";
import { leadsToSignIn, messageOf } from "../lib/errors.ts";
import { isMissing } from "../lib/missing.ts";
import { reportError } from "../lib/report.ts";
import { usePageTitle } from "../lib/title.ts";
import { Button } from "../ui/controls/button.tsx";
import styles from "./error-page.module.css";
import { isMissingChunk } from "./missing-chunk.ts";
import { NotFoundPage } from "./not-found-page.tsx";
import { useRecovery } from "./recovery.ts";

interface ErrorDetail {
  code?: string;
  message: string;
}

function detailsOf(error: unknown): ErrorDetail[] {
  if (error instanceof RequestError && error.errors.length > 0) {
    return error.errors.map(({ code, message }) => ({ code, message }));
  }
  if (isRouteErrorResponse(error)) return [{ code: String(error.status), message: error.statusText }];
  if (isMissingChunk(error)) return [{ message: "Couldn’t load this page’s code." }];
  return [{ message: error instanceof Error ? messageOf(error) : "Something went wrong in the console." }];
}

function Details({ error }: { error: unknown }) {
  const requestID = error instanceof RequestError ? error.requestID : undefined;
  return (
    <details className={styles.details}>
      <summary>Error details</summary>
      <ul>
        {detailsOf(error).map(({ code, message }) => (
          <li key={`${code} ${message}`}>
            {message} {code && <code>{code}</code>}
          </li>
        ))}
        {requestID && (
          <li>
            Request <code>{requestID}</code>
          </li>
        )}
      </ul>
    </details>
  );
}

export interface ErrorPageProps {
  /** Shown as details with its messages and codes. */
  error?: unknown;
  refresh?: () => void;
}

const reload = () => window.location.reload();

export function ErrorPage({ error, refresh = reload }: ErrorPageProps) {
  usePageTitle("Error");
  return (
    <div className={styles.page} role="alert">
      <h1 tabIndex={-1}>Oops, something went wrong</h1>
      <p>
        Our team has been notified. Try refreshing the page. If that doesn’t help, contact{" "}
        <a href={`mailto:${config.supportEmail}`}>{config.supportEmail}</a>.
      </p>
      <Button variant="primary" onClick={refresh}>
        Refresh
      </Button>
      {error !== undefined && <Details error={error} />}
    </div>
  );
}

/** Shown in place of a page that threw. */
export function RouteError({ withDetails = true }: { withDetails?: boolean }) {
  const error = useRouteError();
  const isUnexpected = !isMissing(error) && !leadsToSignIn(error);
  useEffect(() => {
    if (isUnexpected) reportError(error);
  }, [error, isUnexpected]);
  useRecovery(error);
  if (isMissing(error))
    return <NotFoundPage what={error instanceof MissingEntityError ? error.message : undefined} />;
  if (leadsToSignIn(error)) return null;
  return <ErrorPage error={withDetails ? error : undefined} />;
}
