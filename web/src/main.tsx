import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { RouterProvider } from "react-router/dom";
import "./styles/index.css";
import { reloadOnMissingChunk } from "./app/missing-chunk.ts";
import { createRouter } from "./app/router.tsx";
import { reportRecoverableError, reportUncaughtErrors } from "./app/uncaught-errors.ts";
import { queryClient } from "./lib/query.ts";
import { followSession } from "./lib/session.ts";
import { renewUserToken } from "./lib/tokens.ts";
import { absoluteTime } from "./ui/base/relative-time.ts";
import { Toaster } from "./ui/feedback/toaster.tsx";

reportUncaughtErrors();
reloadOnMissingChunk();
renewUserToken();
followSession();

const root = document.getElementById("root");
if (!root) throw new Error("The page has no element #root");

function start(container: HTMLElement): void {
  // Route error pages report the errors they show, and a missing page isn't an error.
  createRoot(container, {
    onCaughtError: () => undefined,
    onRecoverableError: reportRecoverableError,
  }).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={createRouter()} onError={() => undefined} />
        <Toaster />
      </QueryClientProvider>
    </StrictMode>,
  );
}

// A task of its own, because loading the modules already takes as long as a page should be blocked.
setTimeout(start, 0, root);

// Creates the first format, which takes long, while the page waits for its data.
(globalThis.requestIdleCallback ?? setTimeout)(() => absoluteTime(new Date()));
