import {
  addDomain,
  listDomains,
  type OrganizationDomain,
  removeDomain,
  verifyDomain,
} from "@lightkeeper/contract";
import { screen, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { failure, transport } from "../testing/transport.ts";
import { DomainsCard } from "./domains-card.tsx";

beforeEach(signIn);

const domainNamed = (domain: string, change: Partial<OrganizationDomain> = {}): OrganizationDomain => ({
  domain,
  state: "pending",
  record: { type: "TXT", name: `_lightkeeper.${domain}`, value: "lightkeeper-verification=token" },
  createdAt: "2026-11-01T09:00:00Z",
  verifiedAt: null,
  ...change,
});
const pending = domainNamed("pending.example");
const verified = domainNamed("verified.example", { state: "verified", verifiedAt: "2026-11-01T09:00:00Z" });
const configured = domainNamed("corp.local", { state: "verified", record: null, createdAt: null });
const taken = domainNamed("taken.example", { state: "takenElsewhere" });

const listed = (...domains: OrganizationDomain[]) => transport().on(listDomains, () => domains);
const open = (canEdit = true) =>
  renderRoutes(
    [
      { path: "/settings/sso", element: <DomainsCard canEdit={canEdit} /> },
      { path: "/auth/mfa/renew", element: <p>Second factor</p> },
    ],
    "/settings/sso",
  );
const row = async (domain: string) => within(await screen.findByRole("listitem", { name: domain }));

it("shows each domain with its state, and the record to copy while it is pending", async () => {
  listed(configured, pending, taken, verified);
  open();
  const waiting = await row("pending.example");
  expect(waiting.getByText("Pending")).toBeDefined();
  expect(waiting.getByText("_lightkeeper.pending.example")).toBeDefined();
  for (const name of ["Copy Record name", "Copy Record value"])
    expect(waiting.getByRole("button", { name })).toBeDefined();
  const done = await row("verified.example");
  expect(done.getByText("Verified")).toBeDefined();
  expect(done.queryByRole("button", { name: "Verify" })).toBeNull();
  expect(done.queryByText(/lightkeeper-verification/)).toBeNull();
  expect((await row("taken.example")).getByText("Taken elsewhere")).toBeDefined();
  const fixed = await row("corp.local");
  expect(fixed.getByText("Assigned by the configuration of this server.")).toBeDefined();
  expect(fixed.queryByRole("button")).toBeNull();
});

it.each([
  ["ERR_DOMAIN_RECORD_NOT_FOUND", "Record not found"],
  ["ERR_DNS_LOOKUP_FAILED", "DNS lookup failed"],
  ["ERR_DOMAIN_TAKEN", "Taken elsewhere"],
] as const)("shows the result of a verification: %s", async (code, words) => {
  const api = listed(pending).on(verifyDomain, () => {
    throw failure(code);
  });
  const { user } = open();
  await user.click((await row("pending.example")).getByRole("button", { name: "Verify" }));
  expect(await screen.findByText(words)).toBeDefined();
  api.on(verifyDomain, () => ({ ...pending, state: "verified" as const }));
  await user.click(screen.getByRole("button", { name: "Verify" }));
  expect(await screen.findByText("pending.example is verified")).toBeDefined();
  expect(api.calls(verifyDomain)[0]?.params).toEqual({ domain: "pending.example" });
});

it("adds a domain, and shows on the field why one is rejected", async () => {
  const api = listed().on(addDomain, () => {
    throw failure("ERR_INVALID_VALUE", { path: "domain" });
  });
  const { user } = open();
  expect(await screen.findByText("No domains")).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Add domain" }));
  expect(await screen.findByText("Enter a domain such as example.com.")).toBeDefined();
  expect(api.calls(addDomain)).toEqual([]);
  const field = screen.getByLabelText<HTMLInputElement>("New domain");
  await user.type(field, "example{Enter}");
  await vi.waitFor(() => expect(api.calls(addDomain)).toHaveLength(1));
  expect(await screen.findByText("Enter a domain such as example.com.")).toBeDefined();
  api.on(addDomain, () => domainNamed("example.com"));
  await user.type(field, ".com{Enter}");
  await vi.waitFor(() => expect(field.value).toBe(""));
  expect(api.calls(addDomain).at(-1)?.body).toEqual({ domain: "example.com" });
});

it("removes a domain after a confirmation, with a recent second factor", async () => {
  const api = listed(verified).on(removeDomain, () => ({}));
  const { user, path } = open();
  await user.click(await screen.findByRole("button", { name: "Remove verified.example…" }));
  const dialog = within(await screen.findByRole("alertdialog", { name: "Remove verified.example?" }));
  expect(dialog.getByText(/can’t find your organization by this domain anymore/)).toBeDefined();
  await user.click(dialog.getByRole("button", { name: "Remove domain" }));
  expect(await screen.findByText("verified.example removed")).toBeDefined();
  api.on(removeDomain, () => {
    throw failure("ERR_2FA_RENEWAL_REQUIRED");
  });
  await user.click(dialog.getByRole("button", { name: "Remove domain" }));
  await vi.waitFor(() => expect(path()).toBe("/auth/mfa/renew"));
});

it("offers nothing to change to people who can't, and a retry when the list can't be loaded", async () => {
  const api = transport().on(listDomains, () => {
    throw failure("ERR_FORBIDDEN");
  });
  const { user } = open(false);
  const retry = await screen.findByRole("button", { name: /again/i });
  api.on(listDomains, () => [pending]);
  await user.click(retry);
  const shown = await row("pending.example");
  expect(shown.queryByRole("button", { name: "Verify" })).toBeNull();
  expect(screen.queryByLabelText("New domain")).toBeNull();
});
