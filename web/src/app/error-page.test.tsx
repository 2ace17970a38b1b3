import { AuthError, MissingEntityError, NotFoundError, ServerError } from "@lightkeeper/contract";
import { screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { renderRoutes } from "../testing/render.tsx";
import { transport } from "../testing/transport.ts";
import { ErrorPage, RouteError } from "./error-page.tsx";

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

const response = (status: number) => new Response(null, { status, headers: { "x-request-id": "request-9" } });
const serverError = () =>
  new ServerError("Internal server error", response(500), [
    { code: "ERR_INTERNAL_SERVER_ERROR", message: "the database is on fire" },
  ]);

function showRoute(error: unknown, withDetails = true) {
  const server = transport();
  const Throws = () => {
    throw error;
  };
  const shown = renderRoutes([
    { path: "/", Component: Throws, errorElement: <RouteError withDetails={withDetails} /> },
  ]);
  return { server, ...shown };
}

describe("a page that throws [S2.31]", () => {
  it("is replaced by the generic error page and reported once", async () => {
    const { server } = showRoute(serverError());
    expect(screen.getByRole("heading", { name: "Oops, something went wrong" })).toBeTruthy();
    expect(screen.getByText(/Our team has been notified/)).toBeTruthy();
    expect(document.title).toBe("Error - Lightkeeper");
    await waitFor(() => expect(server.reports).toHaveLength(1));
    expect(server.reports[0]?.requestID).toBe("request-9");
  });

  it("links to the support email address", () => {
    showRoute(serverError());
    const link = screen.getByRole("link", { name: "support@lightkeeper.example" });
    expect(link.getAttribute("href")).toBe("mailto:support@lightkeeper.example");
  });

  it("lists messages and codes in details that expand", async () => {
    const { user } = showRoute(serverError());
    const details = screen.getByText("Error details").closest("details")!;
    expect(details.open).toBe(false);
    await user.click(screen.getByText("Error details"));
    expect(details.open).toBe(true);
    for (const text of ["the database is on fire", "ERR_INTERNAL_SERVER_ERROR", "request-9"]) {
      expect(details.textContent).toContain(text);
    }
  });

  it("doesn't show messages of browser errors", async () => {
    const { server } = showRoute(new TypeError("x is not a function"));
    expect(screen.getByText(/^Something went wrong in the console\./)).toBeTruthy();
    expect(screen.queryByText(/x is not a function/)).toBeNull();
    await waitFor(() => expect(server.reports[0]?.message).toBe("x is not a function"));
  });

  it("has no details in some areas", () => {
    showRoute(serverError(), false);
    expect(screen.getByText("Oops, something went wrong")).toBeTruthy();
    expect(screen.queryByText("Error details")).toBeNull();
  });
});

it("refreshes with its button [S2.31]", async () => {
  transport();
  const refresh = vi.fn();
  const { user } = renderRoutes([{ path: "/", element: <ErrorPage refresh={refresh} /> }]);
  await user.click(screen.getByRole("button", { name: "Refresh" }));
  expect(refresh).toHaveBeenCalledOnce();
});

it.each([new NotFoundError("Not Found", response(404)), new MissingEntityError("network-A")])(
  "shows the 404 page for what is not there, and reports nothing [S2.23]",
  async (error) => {
    const { server } = showRoute(error);
    expect(screen.getByRole("heading", { name: "Nothing here (404)" })).toBeTruthy();
    expect(document.title).toBe("Nothing here - Lightkeeper");
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(server.reports).toEqual([]);
  },
);

it("shows the missing entity [S8.2]", () => {
  showRoute(new MissingEntityError("network-A"));
  expect(screen.getByText("Could not find network-A")).toBeTruthy();
});

it("shows nothing while redirecting to the login page", () => {
  const { container } = showRoute(new AuthError(response(401), [], "ERR_2FA_REQUIRED"));
  expect(container.textContent).toBe("");
});
