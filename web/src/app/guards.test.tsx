import { getFeatureFlags, listNetworksV2, whoami } from "@lightkeeper/contract";
import { act, screen, waitFor } from "@testing-library/react";
import type { ReactElement } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { invalidateNoun, queryClient } from "../lib/query.ts";
import { followSession, suppressSsoRedirect, rememberSsoOrganization, takeReturnTo } from "../lib/session.ts";
import { removeAllTokens, removeAuthTokens, saveOidcToken, saveUserToken } from "../lib/tokens.ts";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { auditor, network, oidcUser, user } from "../testing/samples.ts";
import { failure, page, transport } from "../testing/transport.ts";
import {
  RequireAuthenticated,
  RequireFlag,
  RequireGotStarted,
  RequireTypeUser,
  RequireUserToken,
} from "./guards.tsx";

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

/** A page behind a guard at every path but those the guards lead to. */
function show(guard: ReactElement, at: string) {
  const targets = [
    "/auth/login",
    "/auth/login/:orgID",
    "/auth/mfa",
    "/signup",
    "/get-started",
    "/settings/billing",
  ];
  return renderRoutes(
    [
      ...targets.map((path) => ({ path, element: <p>Led here</p> })),
      { element: guard, errorElement: <p>Failed</p>, children: [{ path: "*", element: <p>The page</p> }] },
    ],
    at,
  );
}
const expectThePage = () => screen.findByText("The page");
const expectNotFound = () => screen.findByText("Nothing here (404)");
const expectPath = (shown: { path: () => string }, to: string) =>
  waitFor(() => expect(shown.path()).toBe(to));

describe("the authenticated guard", () => {
  const open = (at = "/settings/networks?cursor=b") => {
    const server = transport().on(whoami, () => user);
    return { server, ...show(<RequireAuthenticated />, at) };
  };

  it("shows the page to an authenticated person, and loads the current user [S4.1]", async () => {
    signIn();
    const { server } = open();
    await expectThePage();
    await waitFor(() => expect(server.calls(whoami)).toHaveLength(1));
  });

  it("redirects to login without tokens, and remembers the page [S4.2]", async () => {
    await expectPath(open(), "/auth/login");
    expect(takeReturnTo()).toBe("/settings/networks?cursor=b");
  });

  it("redirects from /signup/pro to sign-up for Pro [S4.2]", async () => {
    await expectPath(open("/signup/pro"), "/signup?plan=pro");
    expect(takeReturnTo()).toBe("/signup/pro");
  });

  it("redirects to single sign-on when this browser has used it [S4.2]", async () => {
    rememberSsoOrganization("org-A");
    await expectPath(open(), "/auth/login/org-A");
  });

  it("redirects to login when redirecting to single sign-on isn't allowed [S4.2]", async () => {
    rememberSsoOrganization("org-A");
    suppressSsoRedirect();
    await expectPath(open(), "/auth/login");
  });

  it("redirects to the second factor with only a user token, and remembers the page [S4.2]", async () => {
    saveUserToken("user-token");
    await expectPath(open(), "/auth/mfa");
    expect(takeReturnTo()).toBe("/settings/networks?cursor=b");
  });

  it("redirects to the second factor when the auth token is removed [S4.1]", async () => {
    signIn();
    const shown = open();
    await expectThePage();
    act(() => removeAuthTokens());
    await expectPath(shown, "/auth/mfa");
    expect(takeReturnTo()).toBe("/settings/networks?cursor=b");
  });

  it.each([
    { what: "expired", news: "changed", returnTo: "/settings/networks?cursor=b" },
    { what: "was logged out", news: "signedOut", returnTo: "/" },
  ] as const)("follows a session that $what to login [S4.1] [S4.12]", async ({ news, returnTo }) => {
    const unfollow = followSession();
    signIn();
    const shown = open();
    await expectThePage();
    act(() => removeAllTokens(news));
    await expectPath(shown, "/auth/login");
    expect(takeReturnTo()).toBe(returnTo);
    unfollow();
  });
});

describe("the user-token guard [S4.15]", () => {
  it("shows the page with a user token", async () => {
    saveUserToken("user-token");
    transport();
    show(<RequireUserToken />, "/auth/mfa/register");
    await expectThePage();
  });

  it("redirects to login without one, even with a single sign-on token", async () => {
    saveOidcToken("oidc");
    transport();
    await expectPath(show(<RequireUserToken />, "/auth/mfa/register"), "/auth/login");
  });
});

describe("the got-started guard [S4.13]", () => {
  const open = (at: string, totalCount: number) => {
    const server = transport().on(listNetworksV2, () => page([], { totalCount }));
    return { server, ...show(<RequireGotStarted />, at) };
  };

  it("redirects to /get-started without networks, using the count of a one-item page [S7.24]", async () => {
    const shown = open("/hosts", 0);
    await expectPath(shown, "/get-started");
    expect(shown.server.calls(listNetworksV2)[0]?.query).toEqual({ includeCounts: "true", pageSize: "1" });
  });

  it("shows the page with networks", async () => {
    open("/hosts", 1);
    await expectThePage();
  });

  it.each(["/settings/networks", "/settings/user", "/support/contact", "/downloads", "/logs/audit"])(
    "lets %s be, without asking",
    async (at) => {
      const { server } = open(at, 0);
      await expectThePage();
      expect(server.calls(listNetworksV2)).toHaveLength(0);
    },
  );

  it("shows the page when the count can't be loaded", async () => {
    transport().on(listNetworksV2, () => {
      throw failure("ERR_INTERNAL_SERVER_ERROR");
    });
    show(<RequireGotStarted />, "/hosts");
    await expectThePage();
  });

  it("doesn't redirect right after the first network was created", async () => {
    const shown = open("/hosts", 0);
    await expectPath(shown, "/get-started");
    await screen.findByText("Led here");
    shown.server.on(listNetworksV2, () => page([network]));
    await act(() => invalidateNoun("networks"));
    await act(() => shown.router.navigate("/hosts"));
    await expectThePage();
  });

  describe("for an auditor", () => {
    const noNetworks = page([], { totalCount: 0 });

    function openBeforeResponses() {
      signIn();
      const respond = { withRole: () => {}, withCount: () => {} };
      transport()
        .on(whoami, () => new Promise((resolve) => (respond.withRole = () => resolve(auditor))))
        .on(listNetworksV2, () => new Promise((resolve) => (respond.withCount = () => resolve(noNetworks))));
      const nested = {
        element: <RequireAuthenticated />,
        children: [
          { element: <RequireGotStarted />, children: [{ path: "/hosts", element: <p>The page</p> }] },
          { path: "/get-started", element: <p>Led here</p> },
        ],
      };
      return { respond, shown: renderRoutes([nested], "/hosts") };
    }

    it("doesn't redirect if the role is loaded after the count", async () => {
      const { respond, shown } = openBeforeResponses();
      respond.withCount();
      await waitFor(() => expect(queryClient.isFetching()).toBe(1));
      act(() => respond.withRole());
      await expectThePage();
      expect(shown.path()).toBe("/hosts");
    });

    it("doesn't redirect if the role and the count are loaded at the same time", async () => {
      const { respond, shown } = openBeforeResponses();
      respond.withCount();
      respond.withRole();
      await expectThePage();
      expect(shown.path()).toBe("/hosts");
    });
  });
});

describe("the feature-flag guard [S4.14]", () => {
  const open = (value: unknown, redirectTo?: string, flag = "NEW_THING") => {
    const server = transport().on(getFeatureFlags, () => ({ [flag]: value as boolean }));
    const guard = <RequireFlag flag={flag} {...(redirectTo && { redirectTo })} />;
    return { server, ...show(guard, "/new-thing") };
  };

  it("shows the page while the flag is on", async () => {
    open(true);
    await expectThePage();
  });

  it("shows the 404 page while it is off", async () => {
    const { server } = open(false);
    await expectNotFound();
    expect(server.reports).toEqual([]);
  });

  it("redirects while it is off, if a target is given", async () => {
    await expectPath(open(false, "/settings/billing"), "/settings/billing");
  });

  it.each(["true", undefined, 1])(
    "shows the 404 page for %s, which isn’t a boolean, and reports it",
    async (value) => {
      const { server } = open(value, "/settings/billing", `FLAG_${value}`);
      await expectNotFound();
      await waitFor(() =>
        expect(server.reports[0]?.message).toBe(`The feature flag FLAG_${value} isn’t a boolean`),
      );
    },
  );

  it("keeps the flags for 600000 ms [S9.3] [S7.15]", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 0 });
    const { server, unmount } = open(true);
    await expectThePage();
    unmount();
    vi.setSystemTime(599_999);
    const again = show(<RequireFlag flag="NEW_THING" />, "/new-thing");
    expect(server.calls(getFeatureFlags)).toHaveLength(1);
    again.unmount();
    vi.setSystemTime(600_001);
    show(<RequireFlag flag="NEW_THING" />, "/new-thing");
    await waitFor(() => expect(server.calls(getFeatureFlags)).toHaveLength(2));
    vi.useRealTimers();
  });

  it("fails when the flags can't be loaded", async () => {
    transport().on(getFeatureFlags, () => {
      throw failure("ERR_INTERNAL_SERVER_ERROR");
    });
    show(<RequireFlag flag="NEW_THING" />, "/new-thing");
    expect(await screen.findByText("Failed")).toBeTruthy();
  });
});

describe("the type-user guard [S6.1]", () => {
  const open = (person: typeof user | typeof oidcUser, redirectTo?: string) => {
    signIn();
    transport().on(whoami, () => person);
    return show(<RequireTypeUser {...(redirectTo && { redirectTo })} />, "/settings/user");
  };

  it("shows the page to type user", async () => {
    open(user);
    await expectThePage();
  });

  it("shows the 404 page to a single sign-on user", async () => {
    open(oidcUser);
    await expectNotFound();
  });

  it("redirects a single sign-on user, if a target is given", async () => {
    await expectPath(open(oidcUser, "/settings/billing"), "/settings/billing");
  });

  it("waits for the current user", () => {
    signIn();
    queryClient.clear();
    transport().on(whoami, () => new Promise(() => undefined));
    show(<RequireTypeUser />, "/settings/user");
    expect(screen.queryByText("The page")).toBeNull();
    expect(screen.queryByText("Nothing here (404)")).toBeNull();
  });
});
