import { NotFoundError } from "@lightkeeper/contract";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { RouterProvider } from "react-router/dom";
import "./styles/index.css";
import { reloadOnMissingChunk, reportUncaughtErrors } from "./app/faults.ts";
import { createRouter } from "./app/router.tsx";
import { queryClient } from "./lib/query.ts";
import { followSession } from "./lib/session.ts";
import { renewUserToken } from "./lib/tokens.ts";
import { Toaster } from "./ui/feedback/toaster.tsx";

reportUncaughtErrors();
reloadOnMissingChunk();
renewUserToken();
followSession();

const root = document.getElementById("root");
if (!root) throw new Error("The page has no element #root");

/** Something was found gone on a page that was being left anyway. */
const isLeftBehind = (error: unknown) => error instanceof Error && error.cause instanceof NotFoundError;

// What a route's error page shows, it reports; a missing page is no error at all.
createRoot(root, {
  onCaughtError: () => undefined,
  onRecoverableError: (error) => void (isLeftBehind(error) || window.reportError(error)),
}).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={createRouter()} onError={() => undefined} />
      <Toaster />
    </QueryClientProvider>
  </StrictMode>,
);
