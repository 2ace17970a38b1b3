import {
  type CaRotation,
  type CertificateAuthority,
  getCaRotation,
  getFeatureFlags,
  getNetwork,
  listCertificateAuthorities,
  listNetworks,
  logInWithTotp,
  rotateCa,
  whoami,
} from "@lightkeeper/contract";
import { screen, within } from "@testing-library/react";
import type { RouteObject } from "react-router";
import { beforeEach, expect, it, vi } from "vitest";
import { routes as everyRoute } from "../app/router.tsx";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { auditor, network, user } from "../testing/samples.ts";
import { failure, page, transport } from "../testing/transport.ts";
import { lazyPage } from "../lib/lazy-page.ts";

beforeEach(signIn);

const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
const authority = (letter: string, more: Partial<CertificateAuthority> = {}): CertificateAuthority => ({
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
  oldCAID: authority("A").id,
  newCAID: authority("B").id,
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

const authorities = (list = [authority("A")], person = user) =>
  transport()
    .on(whoami, () => person)
    .on(getFeatureFlags, () => ({ LIST_CERT_AUTHORITIES: true }))
    .on(listNetworks, () => page([network]))
    .on(getNetwork, () => network)
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

it("is not there while its flag is off [S2.14]", async () => {
  authorities().on(getFeatureFlags, () => ({ LIST_CERT_AUTHORITIES: false }));
  open("/certificate-authorities", everyRoute);
  expect(await screen.findByRole("heading", { name: "Nothing here (404)" })).toBeDefined();
});

it("lists them with their states and who uses them, and says what ends first", async () => {
  authorities([
    authority("A"),
    authority("B", { state: "RETIRED", hostCount: 0, firstCertificateExpiresAt: null }),
  ]);
  open();
  const row = within((await screen.findByText("CA A")).closest("tr")!);
  expect(row.getByText("Signing")).toBeDefined();
  expect(row.getByText("12")).toBeDefined();
  expect(await row.findByRole("link", { name: "Production" })).toBeDefined();
  expect(row.getByRole("button", { name: "Copy fingerprint of CA A" })).toBeDefined();
  expect(within(screen.getByText("CA B").closest("tr")!).getByText("Retired")).toBeDefined();
  expect(screen.queryByRole("button", { name: "Actions for CA B" })).toBeNull();
  const runway = await screen.findByText(/the first host would drop out/);
  expect(runway.textContent).toContain("drop out in 182 days, in Production: its certificate ends then.");
  expect(document.title).toBe("Certificate Authorities - Lightkeeper");
});

it("starts a rotation after the network’s name is typed, with a second factor of this hour", async () => {
  const api = authorities()
    .on(rotateCa, () => {
      throw failure("ERR_2FA_RENEWAL_REQUIRED");
    })
    .on(logInWithTotp, () => ({ authToken: "fresh" }));
  const { user: person, path } = open(`/certificate-authorities/${network.id}/rotate`);
  const confirm = async () => {
    const dialog = within(
      await screen.findByRole("alertdialog", { name: "Rotate the authority of Production?" }),
    );
    const button = dialog.getByRole<HTMLButtonElement>("button", { name: "Rotate" });
    expect(button.disabled).toBe(true);
    await person.type(dialog.getByRole("textbox"), "Production");
    await person.click(button);
  };
  await confirm();
  await person.type(await screen.findByLabelText("Code from your authenticator app"), "123456");
  api.on(rotateCa, () => rotation);
  await confirm();
  expect(await screen.findByText("The authority of Production is being rotated")).toBeDefined();
  await vi.waitFor(() => expect(path()).toBe("/certificate-authorities"));
  expect(api.calls(rotateCa).at(-1)?.body).toEqual({ force: false });
});

it("shows how far a rotation has come and whom it waits for, and goes on without who is offline", async () => {
  const api = authorities([authority("A"), authority("B", { state: "PENDING", hostCount: 0 })])
    .on(getCaRotation, () => rotation)
    .on(rotateCa, () => ({ ...rotation, isForced: true }));
  const { user: person } = open();
  const step = within(await screen.findByRole("listitem", { current: "step" }));
  expect(step.getByText("Hosts learn to trust the new authority")).toBeDefined();
  expect(step.getByRole("status").textContent).toMatch(
    /^Waiting for 7 hosts since .*: one \(offline\), two, three, four, five and 2 more\.$/,
  );
  await person.click(screen.getByRole("link", { name: "Go on without offline hosts…" }));
  const dialog = within(await screen.findByRole("alertdialog"));
  expect(dialog.getByText(/may have to be enrolled again/)).toBeDefined();
  await person.type(dialog.getByRole("textbox"), "Production");
  await person.click(dialog.getByRole("button", { name: "Go on without them" }));
  expect(await screen.findByText("The rotation of Production goes on")).toBeDefined();
  expect(api.calls(rotateCa)[0]?.body).toEqual({ force: true });
});

it("lets an auditor look, and not rotate", async () => {
  authorities([authority("A")], auditor);
  const { router } = open("/certificate-authorities", everyRoute);
  await screen.findByText("CA A");
  await vi.waitFor(() => expect(screen.queryByRole("button", { name: "Actions for CA A" })).toBeNull());
  await router.navigate(`/certificate-authorities/${network.id}/rotate`);
  expect(await screen.findByText(/Auditors can view everything but can’t make changes/)).toBeDefined();
});
