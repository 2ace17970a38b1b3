/** Renders pages and whole routes as the app does. */
import { QueryClientProvider } from "@tanstack/react-query";
import { render, type RenderResult } from "@testing-library/react";
import userEvent, { type UserEvent } from "@testing-library/user-event";
import type { ReactElement } from "react";
import { createMemoryRouter, RouterProvider, type RouteObject } from "react-router";
import { queryClient } from "../lib/query.ts";
import { followSession } from "../lib/session.ts";
import { removeAllTokens, saveAuthToken, saveUserToken } from "../lib/tokens.ts";
import { closeToast, toastStore } from "../ui/feedback/toast.ts";
import { Toaster } from "../ui/feedback/toaster.tsx";

queryClient.setDefaultOptions({
  queries: { ...queryClient.getDefaultOptions().queries, retryDelay: 0 },
  mutations: { ...queryClient.getDefaultOptions().mutations, retryDelay: 0 },
});

// jsdom has no scrollTo.
window.scrollTo = () => undefined;

/** Starts the console in an empty browser, and returns a function that stops it. */
export function startBrowser(): () => void {
  const stopFollowing = followSession();
  queryClient.clear();
  for (const { id } of toastStore.get()) closeToast(id);
  // Ends the previous session without the "just logged out" state.
  saveUserToken("nobody");
  removeAllTokens("changed");
  sessionStorage.clear();
  localStorage.clear();
  document.title = "";
  history.replaceState(null, "", "/");
  return stopFollowing;
}

/** Sets the tokens of a user who has passed the second factor. */
export function signIn(): void {
  saveUserToken("user-token");
  saveAuthToken("auth-token");
}

export interface RenderedRoutes extends RenderResult {
  user: UserEvent;
  router: ReturnType<typeof createMemoryRouter>;
  /** The current path and query. */
  path: () => string;
}

export function renderRoutes(routes: RouteObject[], at: string | string[] = "/"): RenderedRoutes {
  const router = createMemoryRouter(routes, { initialEntries: Array.isArray(at) ? at : [at] });
  const rendered = render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <Toaster />
    </QueryClientProvider>,
  );
  const path = () => router.state.location.pathname + router.state.location.search;
  return { ...rendered, user: userEvent.setup(), router, path };
}

/** Renders one page at its route. Other paths show "Elsewhere", and a page that throws shows "The page failed". */
export function renderPage(
  element: ReactElement,
  { route = "/", at = route }: { route?: string; at?: string | string[] } = {},
): RenderedRoutes {
  return renderRoutes(
    [
      { path: route, element, errorElement: <p>The page failed</p> },
      { path: "*", element: <p>Elsewhere</p> },
    ],
    at,
  );
}
