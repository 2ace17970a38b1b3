import { getFeatureFlags, getRole, listRoles } from "@lightkeeper/contract";
import { screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { UnreachableError } from "../lib/connection.ts";
import { failureOf } from "../lib/list-page.ts";
import { Loaded } from "../lib/loaded.tsx";
import { useRead } from "../lib/query.ts";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { role } from "../testing/samples.ts";
import { failure, transport } from "../testing/transport.ts";
import { RouteError } from "./error-page.tsx";
import { RequireFlag } from "./guards.tsx";
import { RECOVERY_POLL_MS, useRecovery } from "./recovery.ts";

beforeEach(() => {
  signIn();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  vi.useFakeTimers({ shouldAdvanceTime: true });
});
afterEach(() => vi.useRealTimers());

describe("a page that failed to load", () => {
  it("is shown as soon as the API responds again", async () => {
    const server = transport();
    let isAway = true;
    const Page = () => {
      if (isAway) throw new UnreachableError(undefined);
      return <p>The page</p>;
    };
    renderRoutes([{ path: "/", Component: Page, errorElement: <RouteError /> }]);
    expect(screen.getByText("Oops, something went wrong")).toBeDefined();
    isAway = false;
    await vi.advanceTimersByTimeAsync(RECOVERY_POLL_MS);
    expect(await screen.findByText("The page")).toBeDefined();
    expect(server.reports.length).toBeLessThanOrEqual(1);
  });

  it("waits while the server is unreachable", async () => {
    transport();
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
    let draws = 0;
    const Page = () => {
      draws += 1;
      throw new UnreachableError(undefined);
    };
    renderRoutes([{ path: "/", Component: Page, errorElement: <RouteError /> }]);
    const before = draws;
    await vi.advanceTimersByTimeAsync(3 * RECOVERY_POLL_MS);
    expect(draws).toBe(before);
  });

  it.each([
    {
      missing: new TypeError(
        "Failed to fetch dynamically imported module: https://keeper.example/assets/x.js",
      ),
      requested: "https://keeper.example/assets/x.js",
    },
    { missing: new TypeError("Importing a module script failed."), requested: "/v" },
    { missing: new Error("Unable to preload CSS for /assets/x.css"), requested: "/assets/x.css" },
  ])("is reloaded when $requested is served again, but not in a loop", async ({ missing, requested }) => {
    sessionStorage.clear();
    let isServed = false;
    const fetchFile = vi.fn((_url: string) =>
      Promise.resolve(new Response(null, { status: isServed ? 200 : 502 })),
    );
    vi.stubGlobal("fetch", fetchFile);
    const reload = vi.fn();
    const Page = () => {
      useRecovery(missing, reload);
      return null;
    };
    renderRoutes([{ path: "/", Component: Page }]);
    await vi.advanceTimersByTimeAsync(2 * RECOVERY_POLL_MS);
    expect(reload).not.toHaveBeenCalled();
    expect(new Set(fetchFile.mock.calls.map(([url]) => url))).toEqual(new Set([requested]));
    isServed = true;
    await vi.advanceTimersByTimeAsync(RECOVERY_POLL_MS);
    await waitFor(() => expect(reload).toHaveBeenCalledOnce());
    await vi.advanceTimersByTimeAsync(RECOVERY_POLL_MS);
    expect(reload).toHaveBeenCalledOnce();
  });
});

describe("a missing object", () => {
  const RolePage = () => (
    <Loaded query={useRead(getRole, { params: { roleID: role.id } })} title="Role" crumbs={[]}>
      {({ name }) => name}
    </Loaded>
  );
  const List = () => {
    const { error } = useRead(listRoles);
    return error ? <p>{failureOf(error).message}</p> : null;
  };
  const open = (element: React.ReactElement, path: string, at: string) =>
    renderRoutes([{ path, element, errorElement: <RouteError /> }], at);

  it("is shown on the 404 page [S8.2]", async () => {
    transport().on(getRole, () => {
      throw failure("ERR_NOT_FOUND");
    });
    open(<RolePage />, "/roles/:roleID", `/roles/${role.id}`);
    expect(await screen.findByText(`Could not find ${role.id}`)).toBeDefined();
  });

  it("turns a list into the 404 page [S8.1]", async () => {
    transport().on(listRoles, () => {
      throw failure("ERR_NOT_FOUND");
    });
    open(<List />, "/roles", "/roles");
    expect(await screen.findByText("Nothing here (404)")).toBeDefined();
  });

  it("is reported when the server failed [S8.5]", async () => {
    const server = transport().on(listRoles, () => {
      throw failure("ERR_INTERNAL_SERVER_ERROR");
    });
    open(<List />, "/roles", "/roles");
    expect(await screen.findByText("Internal server error")).toBeDefined();
    await waitFor(() =>
      expect(server.reports.map(({ message }) => message)).toEqual(["Internal server error"]),
    );
  });

  it("includes feature flags: without any, all are off [S4.14]", async () => {
    transport().on(getFeatureFlags, () => null as never);
    const guard = <RequireFlag flag="NEW_THING" redirectTo="/elsewhere" />;
    renderRoutes([
      { element: guard, errorElement: <RouteError />, children: [{ path: "/", element: <p>The page</p> }] },
      { path: "/elsewhere", element: <p>Elsewhere</p> },
    ]);
    expect(await screen.findByText("Nothing here (404)")).toBeDefined();
  });
});
