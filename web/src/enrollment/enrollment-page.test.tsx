import {
  createEnrollmentCode,
  getGetStarted,
  getHostV2,
  getNetworkV2,
  unblockHostV2,
  type HostV2,
} from "@lightkeeper/contract";
import { DAY_SECONDS } from "@lightkeeper/contract/durations";
import { act, screen, within } from "@testing-library/react";
import { StrictMode } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { invalidateNoun } from "../lib/query.ts";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { enrolledHost, host, network } from "../testing/samples.ts";
import { failure, transport, type Transport } from "../testing/transport.ts";
import { EnrollPage } from "./enroll-page.tsx";
import { UnblockPage } from "./unblock-page.tsx";

beforeEach(signIn);

const rejoined: HostV2 = {
  ...enrolledHost,
  metadata: { ...enrolledHost.metadata, enrolledAt: "2026-11-15T09:00:00Z" },
};
const progress = {
  hasNetwork: true,
  hasLighthouse: true,
  hasEnrolledLighthouse: false,
  enrolledHostCount: 0,
  hasTunnel: false,
};
const blockedHost: HostV2 = { ...enrolledHost, isBlocked: true };

/** Codes are numbered, so that a test sees how many were created. */
function serve(shown: HostV2): Transport {
  let count = 0;
  return transport()
    .on(getHostV2, () => shown)
    .on(getNetworkV2, () => network)
    .on(getGetStarted, () => progress)
    .on(createEnrollmentCode, () => ({ code: `code-${++count}`, lifetimeSeconds: DAY_SECONDS }));
}

const open = (path = `/hosts/${host.id}/enroll`) =>
  renderRoutes(
    [
      ...["hosts", "lighthouses", "relays"].flatMap((list) => [
        { path: `/${list}/:hostID/enroll`, element: <EnrollPage />, errorElement: <p>The page failed</p> },
        { path: `/${list}/:hostID/unblock`, element: <UnblockPage /> },
      ]),
      { path: "*", element: <p>Elsewhere</p> },
    ],
    path,
  );
const installCommand = (code: string) =>
  `curl -fsSL ${location.origin}/install.sh | sudo sh -s -- --code ${code}`;
const codes = (api: Transport) => api.calls(createEnrollmentCode).length;
const createButton = () => screen.findByRole("button", { name: "Create enrollment code" });

async function becomes(api: Transport, next: HostV2) {
  api.on(getHostV2, () => next);
  await act(() => invalidateNoun("hosts"));
}

it("shows the command with a code and its remaining time for a new host [S2.7] [S3.8]", async () => {
  serve(host);
  open();
  expect(await screen.findByText(installCommand("code-1"))).toBeDefined();
  expect(document.title).toBe("Enroll web-1 - Lightkeeper");
  expect(
    await screen.findByText(`Run this command on web-1 to join ${network.name} as 100.100.0.7.`),
  ).toBeDefined();
  expect(screen.getByRole("button", { name: "Copy command" })).toBeDefined();
  expect(screen.getByRole("timer").textContent).toBe("24 hours");
  expect(screen.getByText(/^Waiting for the host…/)).toBeDefined();
});

it("names both addresses of the new host", async () => {
  serve({ ...host, ipAddresses: ["100.100.0.7", "fd12::7"] });
  open();
  expect(await screen.findByText(/ as 100\.100\.0\.7 and fd12::7\.$/)).toBeDefined();
});

it("offers the other tabs by keyboard: agent installed, and the code with its QR code", async () => {
  serve(host);
  const { user } = open();
  await user.click(await screen.findByRole("tab", { name: "Linux" }));
  await user.keyboard("{ArrowRight}");
  expect(
    screen.getByText(`sudo lightkeeper-agent enroll --server ${location.origin} --code code-1`),
  ).toBeDefined();
  await user.keyboard("{ArrowRight}");
  expect(screen.getByText("code-1")).toBeDefined();
  expect(await screen.findByRole("img", { name: "QR code of the enrollment code" })).toBeDefined();
  expect(screen.getByRole("link", { name: "Downloads" }).getAttribute("href")).toBe("/downloads");
});

it("creates one code, however often the page is rendered and opened again [S3.8]", async () => {
  const api = serve(host);
  const routes = [
    {
      path: "/hosts/:hostID/enroll",
      element: (
        <StrictMode>
          <EnrollPage />
        </StrictMode>
      ),
    },
    { path: "*", element: <p>Elsewhere</p> },
  ];
  const { router, unmount } = renderRoutes(routes, `/hosts/${host.id}/enroll`);
  await screen.findByText(installCommand("code-1"));
  await act(() => router.navigate("/hosts"));
  await screen.findByText("Elsewhere");
  await act(() => router.navigate(-1));
  expect(await screen.findByText(installCommand("code-1"))).toBeDefined();
  unmount();
  renderRoutes(routes, `/hosts/${host.id}/enroll`);
  expect(await screen.findByText(installCommand("code-1"))).toBeDefined();
  expect(codes(api)).toBe(1);
});

it("keeps the code out of the URL", async () => {
  serve(host);
  const { path } = open();
  await screen.findByText(installCommand("code-1"));
  expect(path()).toBe(`/hosts/${host.id}/enroll`);
});

it("opens the host's page automatically once the host has enrolled", async () => {
  const api = serve(host);
  const { path, router } = open();
  await screen.findByText(installCommand("code-1"));
  await becomes(api, enrolledHost);
  expect(await screen.findByText("web-1 has enrolled")).toBeDefined();
  await vi.waitFor(() => expect(path()).toBe(`/hosts/${host.id}`));
  // The next visit is about a new enrollment, not about the used code.
  await act(() => router.navigate(`/hosts/${host.id}/enroll`));
  expect(await createButton()).toBeDefined();
});

it("creates a new code after the old one expired, and on request", async () => {
  const api = serve(host).on(createEnrollmentCode, () => ({ code: "code-over", lifetimeSeconds: 0 }));
  const { user } = open();
  expect(await screen.findByText(/^This code has expired/)).toBeDefined();
  expect(screen.queryByText(/code-over/)).toBeNull();
  expect(screen.queryByText(/^Waiting/)).toBeNull();
  for (const code of ["code-2", "code-3"]) {
    api.on(createEnrollmentCode, () => ({ code, lifetimeSeconds: DAY_SECONDS }));
    await user.click(screen.getByRole("button", { name: "Generate a new code" }));
    expect(await screen.findByText(installCommand(code))).toBeDefined();
  }
});

it("warns before an enrolled host enrolls again, and creates no code automatically", async () => {
  const api = serve(enrolledHost);
  const { user, path } = open();
  const button = await createButton();
  expect(screen.getByRole("status").textContent).toContain("its current keys stop working");
  expect(codes(api)).toBe(0);
  await user.click(button);
  expect(
    await screen.findByText(
      `sudo lightkeeper-agent enroll --server ${location.origin} --code code-1 --force`,
    ),
  ).toBeDefined();
  await becomes(api, rejoined);
  await vi.waitFor(() => expect(path()).toBe(`/hosts/${host.id}`));
});

it("links from enrolling a blocked host to unblocking it", async () => {
  const api = serve(blockedHost);
  open();
  const link = await screen.findByRole("link", { name: "Unblock…" });
  expect(link.getAttribute("href")).toBe(`/hosts/${host.id}/unblock`);
  expect(codes(api)).toBe(0);
});

it("unblocks on request, names the consequence and continues with a code [S2.10]", async () => {
  const api = serve(blockedHost);
  api.on(unblockHostV2, () => {
    api.on(getHostV2, () => enrolledHost);
    return enrolledHost;
  });
  const { user } = open(`/hosts/${host.id}/unblock`);
  const button = await screen.findByRole("button", { name: "Unblock and create code" });
  expect(document.title).toBe("Unblock web-1 - Lightkeeper");
  expect(screen.getByText(/doesn’t restore its old keys/)).toBeDefined();
  await user.click(button);
  expect(await screen.findByText("web-1 is unblocked")).toBeDefined();
  expect(await screen.findByText(/--code code-1 --force/)).toBeDefined();
  expect(codes(api)).toBe(1);
});

it("creates only one code when a host that never enrolled is unblocked", async () => {
  const api = serve({ ...host, isBlocked: true });
  api.on(unblockHostV2, () => {
    api.on(getHostV2, () => host);
    return host;
  });
  const { user } = open(`/hosts/${host.id}/unblock`);
  await user.click(await screen.findByRole("button", { name: "Unblock and create code" }));
  expect(await screen.findByText(installCommand("code-1"))).toBeDefined();
  expect(codes(api)).toBe(1);
});

it("says why a host stays blocked and offers to try again", async () => {
  const api = serve(blockedHost).on(unblockHostV2, () => {
    throw failure("ERR_FORBIDDEN");
  });
  const { user } = open(`/hosts/${host.id}/unblock`);
  await user.click(await screen.findByRole("button", { name: "Unblock and create code" }));
  expect((await screen.findByRole("alert")).textContent).toBe("Forbidden");
  expect(codes(api)).toBe(0);
});

it("shows that a host was blocked while its code was being created", async () => {
  const api = serve(host);
  api.on(createEnrollmentCode, () => {
    api.on(getHostV2, () => ({ ...host, isBlocked: true }));
    throw failure("ERR_HOST_BLOCKED");
  });
  open();
  expect(await screen.findByRole("link", { name: "Unblock…" })).toBeDefined();
});

it("says why there is no code and tries again on request", async () => {
  const api = serve(host).on(createEnrollmentCode, () => {
    throw failure("ERR_UNAVAILABLE");
  });
  const { user } = open();
  const button = await createButton();
  expect(screen.getByRole("alert")).toBeDefined();
  api.on(createEnrollmentCode, () => ({ code: "code-2", lifetimeSeconds: DAY_SECONDS }));
  await user.click(button);
  expect(await screen.findByText(installCommand("code-2"))).toBeDefined();
});

it.each([
  [{ ...host, isLighthouse: true }, "/lighthouses"],
  [{ ...host, isRelay: true }, "/relays"],
])("redirects to the path of the host's kind [S2.8] [S2.9]", async (shown, list) => {
  serve(shown);
  const { path } = open();
  expect(await screen.findByText(installCommand("code-1"))).toBeDefined();
  expect(path()).toBe(`${list}/${host.id}/enroll`);
});

it("shows the 404 page for a host that does not exist [S8.1]", async () => {
  const noise = vi.spyOn(console, "error").mockImplementation(() => undefined);
  transport().on(getHostV2, () => {
    throw failure("ERR_NOT_FOUND");
  });
  open();
  expect(await screen.findByText("The page failed")).toBeDefined();
  noise.mockRestore();
});

it("shows what failed and retries", async () => {
  const api = transport().on(getHostV2, () => {
    throw failure("ERR_UNAVAILABLE", {}, "request-3");
  });
  const { user } = open();
  expect((await screen.findByRole("alert")).textContent).toContain("request-3");
  api
    .on(getHostV2, () => host)
    .on(getNetworkV2, () => network)
    .on(getGetStarted, () => progress)
    .on(createEnrollmentCode, () => ({ code: "code-1", lifetimeSeconds: DAY_SECONDS }));
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText(installCommand("code-1"))).toBeDefined();
});

it("explains on a local server that other machines can't reach it", async () => {
  serve(host);
  open();
  const notice = await screen.findByText(/is only reachable from this machine/);
  const links = within(notice).getAllByRole("link");
  expect(links.map((anchor) => new URL(anchor.getAttribute("href") ?? "").pathname)).toEqual([
    "/docs/enrolling-hosts",
    "/docs/production",
  ]);
});

it("links to the checklist until it is complete", async () => {
  const api = serve(host);
  open();
  const next = await screen.findByRole("link", { name: "See what’s next" });
  expect(next.getAttribute("href")).toBe("/get-started");
  api.on(getGetStarted, () => ({
    ...progress,
    hasEnrolledLighthouse: true,
    enrolledHostCount: 2,
    hasTunnel: true,
  }));
  await act(() => invalidateNoun("get-started"));
  await vi.waitFor(() => expect(screen.queryByRole("link", { name: "See what’s next" })).toBeNull());
});
