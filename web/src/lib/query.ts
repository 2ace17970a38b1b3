/** Server state: keys derived from endpoints, the retry rules, and what happens when the session ends. */
import {
  AuthError,
  InvalidResponseError,
  NotFoundError,
  ServerError,
  TimeoutError,
  type Endpoint,
  type Input,
  type Output,
} from "@lightkeeper/contract";
import {
  MutationCache,
  QueryCache,
  QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  type UseMutationResult,
  type UseQueryResult,
} from "@tanstack/react-query";
import { callAny } from "./api.ts";
import { handleShownError, isHandled, isInternal, showInAlert } from "./errors.ts";
import type { Rule } from "./messages.ts";
import { reportError } from "./report.ts";
import { readTokens, removeAuthTokens } from "./tokens.ts";

export const RETRY_LIMIT = 3;

declare module "@tanstack/react-query" {
  interface Register {
    queryMeta: {
      /** Replaces the default handling of errors. */
      onError?: (error: Error) => void;
    };
  }
}

/** The credential has expired, so retrying is pointless. */
export function endsSession(error: unknown): boolean {
  if (!(error instanceof AuthError)) return false;
  return error.code === "ERR_2FA_REQUIRED" || readTokens().oidcToken !== undefined;
}

export function shouldRetry(failures: number, error: Error): boolean {
  if (error instanceof NotFoundError || endsSession(error)) return false;
  return failures < RETRY_LIMIT;
}

/** The guards then redirect to the second factor or to the login page. */
export function clearAuth(): void {
  removeAuthTokens();
  void queryClient.cancelQueries();
}

/** On ERR_UNAUTHORIZED, the current user is refetched: its query decides what happens to the session. */
export function handleAuthError(error: Error): void {
  if (endsSession(error)) clearAuth();
  else if (error instanceof AuthError && error.code === "ERR_UNAUTHORIZED") void invalidateNoun("auth");
}

/** Reports bugs of the server and the console. An unreachable server couldn't receive the report either. */
function handleLoadError(error: Error): void {
  handleAuthError(error);
  const isBug =
    error instanceof ServerError ||
    error instanceof TimeoutError ||
    error instanceof InvalidResponseError ||
    isInternal(error);
  if (isBug) reportError(error);
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => (query.meta?.onError ?? handleLoadError)(error),
  }),
  mutationCache: new MutationCache({
    onError: (error) => {
      handleAuthError(error);
      // Callers that await the mutation run after this callback and may still handle the error.
      setTimeout(() => isHandled(error) || showInAlert(error));
    },
  }),
  defaultOptions: {
    // A server on this machine is reachable without a network, so only failed calls count as offline.
    queries: { retry: shouldRetry, networkMode: "always", staleTime: 10_000 },
    mutations: { retry: false, networkMode: "always" },
  },
});

type InputWithout<E extends Endpoint, Keys extends string> = Omit<Input<E>, Keys>;
type OptionalArgument<T> = Record<never, never> extends T ? [input?: T] : [input: T];
export type ReadArguments<E extends Endpoint> = OptionalArgument<InputWithout<E, "signal" | "body">>;
export type WriteInput<E extends Endpoint> =
  Record<never, never> extends InputWithout<E, "signal">
    ? InputWithout<E, "signal"> | void
    : InputWithout<E, "signal">;

export type ReadKey = readonly [noun: string, call: string, input: object];

/** With a `noun` of its own, change events don't refetch the query. */
export function keyOf(endpoint: Endpoint, input: object = {}, noun: string = endpoint.noun): ReadKey {
  return [noun, `${endpoint.method} ${endpoint.path}`, input];
}

/** Query options of an endpoint, for `useQuery`, `prefetchQuery`, `fetchQuery`. */
export function read<E extends Endpoint>(endpoint: E, ...[input]: ReadArguments<E>) {
  return queryOptions<Output<E>, Error, Output<E>, ReadKey>({
    queryKey: keyOf(endpoint, input),
    queryFn: ({ signal }) => callAny(endpoint, { ...input, signal }) as Promise<Output<E>>,
  });
}

export function useRead<E extends Endpoint>(
  endpoint: E,
  ...input: ReadArguments<E>
): UseQueryResult<Output<E>> {
  return useQuery(read(endpoint, ...input));
}

export interface WriteOptions<E extends Endpoint> {
  /** Nouns to refetch in addition to the endpoint's own. */
  invalidates?: readonly string[];
  /** Awaited before the refetch, so that a page that navigates away isn't refetched. */
  onSuccess?: (output: Output<E>, input: WriteInput<E>) => unknown;
  /** Rewords the error, which the caller shows with `messageOf`: there is no alert. */
  rules?: readonly Rule[];
  /** The caller shows the error: there is no alert. Called after the error is reworded and reported. */
  onError?: (error: Error, input: WriteInput<E>) => unknown;
}

/** A mutation of an endpoint. After success, every query of its noun is refetched. */
export function useWrite<E extends Endpoint>(
  endpoint: E,
  { invalidates = [], onSuccess, onError, rules }: WriteOptions<E> = {},
): UseMutationResult<Output<E>, Error, WriteInput<E>> {
  return useMutation<Output<E>, Error, WriteInput<E>>({
    mutationFn: (input) => callAny(endpoint, input ?? {}) as Promise<Output<E>>,
    onSuccess: async (output, input) => {
      await onSuccess?.(output, input);
      for (const noun of [endpoint.noun, ...invalidates]) void invalidateNoun(noun);
    },
    ...((onError ?? rules) && {
      onError: async (error: Error, input: WriteInput<E>) => {
        handleShownError(error, rules);
        await onError?.(error, input);
      },
    }),
  });
}

/** Queries that also depend on another noun: the state of a host compares its report with what is configured. */
const refetchedWith: Readonly<Record<string, string>> = { hosts: "host-state" };

export async function invalidateNoun(noun: string): Promise<void> {
  const nouns = [noun, refetchedWith[noun]].filter((each) => each !== undefined);
  await Promise.all(nouns.map((each) => queryClient.invalidateQueries({ queryKey: [each] })));
}
