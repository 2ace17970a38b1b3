import { MissingEntityError, NotFoundError, RequestError } from "@lightkeeper/contract";
import { useEffect } from "react";
import { isRouteErrorResponse, useRouteError } from "react-router";
import { config } from "../lib/config.ts";
import { leadsToSignIn, messageOf } from "../lib/errors.ts";
import { reportError } from "../lib/report.ts";
import { usePageTitle } from "../lib/title.ts";
import { Button } from "../ui/controls/button.tsx";
import styles from "./error-page.module.css";
import { isMissingChunk } from "./faults.ts";
import { NotFoundPage } from "./not-found-page.tsx";
import { useRecovery } from "./recovery.ts";

interface Line {
  code?: string;
  message: string;
}

function linesOf(error: unknown): Line[] {
  if (error instanceof RequestError && error.errors.length > 0) {
    return error.errors.map(({ code, message }) => ({ code, message }));
  }
  if (isRouteErrorResponse(error)) return [{ code: String(error.status), message: error.statusText }];
  if (isMissingChunk(error)) return [{ message: "This page’s code couldn’t be loaded." }];
  return [{ message: error instanceof Error ? messageOf(error) : "Something went wrong in the console." }];
}

function Details({ error }: { error: unknown }) {
  const requestID = error instanceof RequestError ? error.requestID : undefined;
  return (
    <details className={styles.details}>
      <summary>Error details</summary>
      <ul>
        {linesOf(error).map(({ code, message }) => (
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
  /** Lists its messages and codes; without it the page has no details. */
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
        Our team has been notified. Refreshing the page may help. If it does not, write to{" "}
        <a href={`mailto:${config.supportEmail}`}>{config.supportEmail}</a>.
      </p>
      <Button variant="primary" onClick={refresh}>
        Refresh
      </Button>
      {error !== undefined && <Details error={error} />}
    </div>
  );
}

const isMissing = (error: unknown) =>
  error instanceof NotFoundError ||
  error instanceof MissingEntityError ||
  (isRouteErrorResponse(error) && error.status === 404);

/** What a route shows in place of a page that threw. */
export function RouteError({ withDetails = true }: { withDetails?: boolean }) {
  const error = useRouteError();
  const isFault = !isMissing(error) && !leadsToSignIn(error);
  useEffect(() => {
    if (isFault) reportError(error);
  }, [error, isFault]);
  useRecovery(error);
  if (isMissing(error))
    return <NotFoundPage what={error instanceof MissingEntityError ? error.message : undefined} />;
  if (leadsToSignIn(error)) return null;
  return <ErrorPage error={withDetails ? error : undefined} />;
}
