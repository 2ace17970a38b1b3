import {
  AuthError,
  InvalidResponseError,
  RequestError,
  whoami,
  type CurrentUser,
} from "@lightkeeper/contract";
import { queryOptions, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { api } from "./api.ts";
import { clearAuth, keyOf, queryClient, shouldRetry } from "./query.ts";
import { reportError } from "./report.ts";
import { claimStorage, expireSession, rememberReturnTo, signOut } from "./session.ts";
import { readTokens, useAuthState } from "./tokens.ts";
import { toast } from "../ui/feedback/toast.ts";

/** An actor that can use the console, which an API key can't. */
export type Person = Exclude<CurrentUser, { actorType: "apiKey" }>;
export type MfaRegistrationStatus = "error" | "n/a" | "yes" | "no" | "unknown";

class RejectedActorError extends Error {
  constructor() {
    super("An API key can’t log in to the console. Log in with your email address instead.");
    this.name = "RejectedActorError";
  }
}

export function retryCurrentUser(failures: number, error: Error): boolean {
  if (error instanceof RejectedActorError || error instanceof AuthError) return false;
  const isApiError = error instanceof RequestError && !(error instanceof InvalidResponseError);
  return isApiError ? shouldRetry(failures, error) : failures < 1;
}

function returnToSecondFactor(): void {
  const isOidcUser = readTokens().oidcToken !== undefined;
  if (isOidcUser && !location.pathname.startsWith("/auth/login/org-")) rememberReturnTo();
  clearAuth();
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[1] !== keyOf(whoami)[1] });
}

async function signOutWithMessage(error: RejectedActorError): Promise<void> {
  await signOut();
  toast(error.message, { tone: "danger" });
}

function handleCurrentUserError(error: Error): void {
  if (error instanceof RejectedActorError) void signOutWithMessage(error);
  else if (error instanceof AuthError && error.code === "ERR_2FA_REQUIRED") returnToSecondFactor();
  else if (error instanceof AuthError && error.code === "ERR_UNAUTHORIZED") void expireSession();
  else reportError(error);
}

/** Query options of the current user, for `fetchQuery` outside of components. */
export const currentUserQuery = queryOptions({
  queryKey: keyOf(whoami),
  queryFn: async ({ signal }): Promise<Person> => {
    const user = await api(whoami, { signal });
    if (user.actorType === "apiKey") throw new RejectedActorError();
    claimStorage(user.actor.id);
    return user;
  },
  staleTime: Infinity,
  gcTime: Infinity,
  retry: retryCurrentUser,
  meta: { onError: handleCurrentUserError },
});

export function useCurrentUser(): UseQueryResult<Person> {
  return useQuery({ ...currentUserQuery, enabled: useAuthState() !== "unauthenticated" });
}

/** Whether the person has an authenticator; "unknown" while loading. */
export function mfaRegistrationStatus({
  data,
  isError,
}: Pick<UseQueryResult<Person>, "data" | "isError">): MfaRegistrationStatus {
  if (data?.actorType === "oidcUser") return "n/a";
  if (data) return data.actor.hasTOTPAuthenticator ? "yes" : "no";
  return isError ? "error" : "unknown";
}
