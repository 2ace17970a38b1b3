/** Reloads a page that failed to load as soon as the server responds. */
import { RequestError } from "@lightkeeper/contract";
import { useEffect } from "react";
import { useLocation, useNavigate } from "react-router";
import { GATEWAY_FAILURES, UnreachableError } from "../lib/connection.ts";
import { isServing } from "../lib/version.ts";
import { isMissingChunk, reloadOnce } from "./missing-chunk.ts";

export const RECOVERY_POLL_MS = 3000;

const isUnreachable = (error: unknown) =>
  error instanceof UnreachableError ||
  (error instanceof RequestError && GATEWAY_FAILURES.has(error.response.status));

/** Most browsers include the file's URL in the error, and Vite its path. */
const chunkOf = (error: unknown) =>
  isMissingChunk(error) ? /(https?:\/)?\/\S+/.exec(error.message)?.[0] : undefined;

async function isServed(url: string): Promise<boolean> {
  return fetch(url, { cache: "no-store" }).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Code that failed to load needs a full page load, because browsers may cache the failed import. */
export function useRecovery(error: unknown, reload: () => void = () => window.location.reload()): void {
  const navigate = useNavigate();
  const { pathname, search, hash, state } = useLocation() as { state: unknown } & Record<
    "pathname" | "search" | "hash",
    string
  >;
  const needsDocument = isMissingChunk(error);
  const chunk = chunkOf(error);
  const canRecover = needsDocument || isUnreachable(error);
  useEffect(() => {
    if (!canRecover) return;
    const recover = () => {
      if (needsDocument) reloadOnce(reload);
      else void navigate({ pathname, search, hash }, { replace: true, state });
    };
    const tryAgain = async () => {
      if (await (chunk ? isServed(chunk) : isServing())) recover();
    };
    const poll = () => void tryAgain();
    const timer = setInterval(poll, RECOVERY_POLL_MS);
    window.addEventListener("online", poll);
    return () => {
      clearInterval(timer);
      window.removeEventListener("online", poll);
    };
  }, [canRecover, needsDocument, chunk, navigate, pathname, search, hash, state, reload]);
}
