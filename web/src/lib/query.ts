/** Server state: keys derived from endpoints, the retry rules, and what an ended session does to it all. */
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
      /** Replaces the rule for authorization errors. */
      onError?: (error: Error) => void;
    };
  }
}

/** The credential is spent: asking again with it is pointless. */
export function endsSession(error: unknown): boolean {
  if (!(error instanceof AuthError)) return false;
  return error.code === "ERR_2FA_REQUIRED" || readTokens().oidcToken !== undefined;
}

export function shouldRetry(failures: number, error: Error): boolean {
  if (error instanceof NotFoundError || endsSession(error)) return false;
  return failures < RETRY_LIMIT;
}

/** The guards then lead to the second factor or to the sign-in. */
export function clearAuth(): void {
  removeAuthTokens();
  void queryClient.cancelQueries();
}

/** Who one is decides about every other refusal: the current user is asked for again. */
export function handleAuthError(error: Error): void {
  if (endsSession(error)) clearAuth();
  else if (error instanceof AuthError && error.code === "ERR_UNAUTHORIZED") void invalidateNoun("auth");
}

/** Reports what the server or the console did wrong. An unreachable server could not take the report either. */
function handleLoadError(error: Error): void {
  handleAuthError(error);
  const isOwnFault =
    error instanceof ServerError ||
    error instanceof TimeoutError ||
    error instanceof InvalidResponseError ||
    isInternal(error);
  if (isOwnFault) reportError(error);
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => (query.meta?.onError ?? handleLoadError)(error),
  }),
  mutationCache: new MutationCache({
    onError: (error) => {
      handleAuthError(error);
      // Whoever awaits the mutation comes after this cache: the error is theirs first.
      setTimeout(() => isHandled(error) || showInAlert(error));
    },
  }),
  defaultOptions: {
    // Failures are learnt from the calls themselves: a server on this machine needs no network.
    queries: { retry: shouldRetry, networkMode: "always", staleTime: 10_000 },
    mutations: { retry: false, networkMode: "always" },
  },
});

type Given<E extends Endpoint, Left extends string> = Omit<Input<E>, Left>;
type OptionalArgument<T> = Record<never, never> extends T ? [input?: T] : [input: T];
export type ReadArguments<E extends Endpoint> = OptionalArgument<Given<E, "signal" | "body">>;
export type WriteInput<E extends Endpoint> =
  Record<never, never> extends Given<E, "signal"> ? Given<E, "signal"> | void : Given<E, "signal">;

export type ReadKey = readonly [noun: string, call: string, input: object];

export function keyOf(endpoint: Endpoint, input: object = {}): ReadKey {
  return [endpoint.noun, `${endpoint.method} ${endpoint.path}`, input];
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
  /** Nouns to refetch beside the endpoint's own. */
  invalidates?: readonly string[];
  /** Awaited before the refetch: a page that navigates away is gone by then. */
  onSuccess?: (output: Output<E>, input: WriteInput<E>) => unknown;
  /** The caller shows the error with `messageOf`, in these words: there is no alert. */
  rules?: readonly Rule[];
  /** The caller shows the error: there is no alert. Called when it is reworded and reported. */
  onError?: (error: Error, input: WriteInput<E>) => unknown;
}

/** A mutation of an endpoint. After success everything of its noun is refetched. */
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

export function invalidateNoun(noun: string): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: [noun] });
}
