import {
  type CaRotation,
  type CertificateAuthority,
  getCaRotation,
  getFeatureFlags,
  getNetworkV2,
  listCertificateAuthorities,
  listNetworksV2,
  logInWithTotp,
  rotateCa,
  whoami,
} from "@lightkeeper/contract";
import { DAY_MS } from "@lightkeeper/contract/durations";
import { screen, within } from "@testing-library/react";
import type { RouteObject } from "react-router";
import { beforeEach, expect, it, vi } from "vitest";
import { routes as everyRoute } from "../app/router.tsx";
import { brokenGuarantee } from "../testing/preview-samples.ts";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { auditor, network, user } from "../testing/samples.ts";
import { failure, page, transport } from "../testing/transport.ts";
import { lazyPage } from "../lib/lazy-page.ts";

beforeEach(signIn);

const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
const ca = (letter: string, more: Partial<CertificateAuthority> = {}): CertificateAuthority => ({
  id: `ca-${letter.repeat(26)}`,
  name: `CA ${letter}`,
  networkID: network.id,
  state: "SIGNING",
  fingerprint: letter.toLowerCase().repeat(64),
  curve: "25519",
  certVersion: 1,
  notBefore: inDays(-400),
  notAfter: inDays(1400),
  hostCount: 12,
  firstCertificateExpiresAt: inDays(182.5),
  ...more,
});
const rotation: CaRotation = {
  networkID: network.id,
  oldCAID: ca("A").id,
  newCAID: ca("B").id,
  step: "TRUST",
  isForced: false,
  startedAt: inDays(-1),
  stepStartedAt: inDays(-1),
  waitingFor: {
    hostCount: 7,
    hosts: ["one", "two", "three", "four", "five", "six"].map((name, index) => ({
      id: `host-${name}`,
      name,
      isOnline: index > 0,
      lastSeenAt: null,
    })),
  },
};

const serve = (list = [ca("A")], person = user) =>
  transport()
    .on(whoami, () => person)
    .on(getFeatureFlags, () => ({ LIST_CERT_AUTHORITIES: true }))
    .on(listNetworksV2, () => page([network]))
    .on(getNetworkV2, () => network)
    .on(getCaRotation, () => null)
    .on(listCertificateAuthorities, () => page(list));
const routes = [
  {
    path: "/certificate-authorities",
    lazy: lazyPage(
      async () => (await import("./certificate-authorities-page.tsx")).CertificateAuthoritiesPage,
    ),
    children: [
      {
        path: ":networkID/rotate",
        lazy: lazyPage(async () => (await import("./rotate-ca-dialog.tsx")).RotateCaDialog),
      },
    ],
  },
  {
    path: "/auth/mfa/renew",
    lazy: lazyPage(async () => (await import("../auth/mfa-renew-page.tsx")).MfaRenewPage),
  },
];
const open = (at = "/certificate-authorities", map: RouteObject[] = routes) => renderRoutes(map, at);

it("is missing while its flag is off [S2.14]", async () => {
  serve().on(getFeatureFlags, () => ({ LIST_CERT_AUTHORITIES: false }));
  open("/certificate-authorities", everyRoute);
  expect(await screen.findByRole("heading", { name: "Nothing here (404)" })).toBeDefined();
});

it("lists the CAs with their states and hosts, and shows what expires first", async () => {
  const retired = { state: "RETIRED", hostCount: 0, firstCertificateExpiresAt: null } as const;
  serve([ca("A"), ca("B", { ...retired, curve: "P256", certVersion: 2 })]);
  open();
  const row = within((await screen.findByText("CA A")).closest("tr")!);
  expect(row.getByText("Signing")).toBeDefined();
  expect(row.getByText("12")).toBeDefined();
  expect(await row.findByRole("link", { name: "Production" })).toBeDefined();
  expect(row.getByRole("button", { name: "Copy fingerprint of CA A" })).toBeDefined();
  expect(within(screen.getByText("CA B").closest("tr")!).getByText("Retired")).toBeDefined();
  expect(row.getByText("Version 1, Curve25519")).toBeDefined();
  expect(screen.getByText("Version 2, P-256")).toBeDefined();
  expect(screen.queryByRole("button", { name: "Actions for CA B" })).toBeNull();
  const runway = await screen.findByText(/the first host would lose access/);
  expect(runway.textContent).toContain(
    "lose access in 182 days, when its certificate in Production expires.",
  );
  expect(document.title).toBe("Certificate Authorities - Lightkeeper");
});

it("explains which guarantee a rotation would break", async () => {
  serve().on(rotateCa, () => {
    throw failure("ERR_GUARANTEE_VIOLATED", { extra: { guarantees: [brokenGuarantee] } });
  });
  const { user: person } = open(`/certificate-authorities/${network.id}/rotate`);
  await person.type(await screen.findByRole("textbox"), "Production{Enter}");
  const rejection = await screen.findByRole("alert");
  expect(rejection.textContent).toMatch(/^Breaks the guarantee Contractors must never reach databases: ci-1/);
});

it("starts a rotation after the network’s name is typed, with a recent second factor", async () => {
  const api = serve()
    .on(rotateCa, () => {
      throw failure("ERR_2FA_RENEWAL_REQUIRED");
    })
    .on(logInWithTotp, () => ({ authToken: "fresh" }));
  const { user: person, path } = open(`/certificate-authorities/${network.id}/rotate`);
  const confirm = async () => {
    const dialog = within(await screen.findByRole("alertdialog", { name: "Rotate the CA of Production?" }));
    const button = dialog.getByRole<HTMLButtonElement>("button", { name: "Rotate" });
    expect(button.disabled).toBe(true);
    await person.type(dialog.getByRole("textbox"), "Production");
    await person.click(button);
  };
  await confirm();
  await person.type(await screen.findByLabelText("Code from your authenticator app"), "123456");
  api.on(rotateCa, () => rotation);
  await confirm();
  expect(await screen.findByText("Rotating the CA of Production")).toBeDefined();
  await vi.waitFor(() => expect(path()).toBe("/certificate-authorities"));
  expect(api.calls(rotateCa).at(-1)?.body).toEqual({ force: false });
});

it("shows the progress of a rotation and the hosts it waits for, and skips offline hosts", async () => {
  const api = serve([ca("A"), ca("B", { state: "PENDING", hostCount: 0 })])
    .on(getCaRotation, () => rotation)
    .on(rotateCa, () => ({ ...rotation, isForced: true }));
  const { user: person } = open();
  const step = within(await screen.findByRole("listitem", { current: "step" }));
  expect(step.getByText("Distribute the new CA")).toBeDefined();
  expect(step.getByRole("status").textContent).toMatch(
    /^Waiting for 7 hosts since .*: one \(offline\), two, three, four, five and 2 more\.$/,
  );
  await person.click(screen.getByRole("link", { name: "Skip offline hosts…" }));
  const dialog = within(await screen.findByRole("alertdialog"));
  expect(dialog.getByText(/may have to enroll again/)).toBeDefined();
  await person.type(dialog.getByRole("textbox"), "Production");
  await person.click(dialog.getByRole("button", { name: "Skip offline hosts" }));
  expect(await screen.findByText("Rotation of Production continues")).toBeDefined();
  expect(api.calls(rotateCa)[0]?.body).toEqual({ force: true });
});

it("lets an auditor view but not rotate", async () => {
  serve([ca("A")], auditor);
  const { router } = open("/certificate-authorities", everyRoute);
  await screen.findByText("CA A");
  await vi.waitFor(() => expect(screen.queryByRole("button", { name: "Actions for CA A" })).toBeNull());
  await router.navigate(`/certificate-authorities/${network.id}/rotate`);
  expect(await screen.findByText(/Auditors can view everything but can’t make changes/)).toBeDefined();
});
