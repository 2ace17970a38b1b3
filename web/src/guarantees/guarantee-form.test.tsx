import {
  checkGuarantee,
  createGuarantee,
  deleteGuarantee,
  getGuarantee,
  listHostsV2,
  listNetworksV2,
  listRoles,
  listTags,
  updateGuarantee,
} from "@lightkeeper/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  ciRunner,
  counterexample,
  database,
  failingGuarantee,
  guarantee,
} from "../testing/guarantee-samples.ts";
import { renderPage, signIn } from "../testing/render.tsx";
import { host, network, role, tag } from "../testing/samples.ts";
import { failure, page, transport } from "../testing/transport.ts";
import { ReadOnly } from "../ui/base/read-only.ts";
import { GuaranteeAddPage } from "./guarantee-add-page.tsx";
import { GuaranteeEditPage } from "./guarantee-edit-page.tsx";
import { addPathOf } from "./guarantee-values.ts";

vi.setConfig({ testTimeout: 60_000 });
beforeEach(signIn);

const holds = { state: "holds", pairCount: 144, brokenPairCount: 0, counterexample: null } as const;

const serve = () =>
  transport()
    .on(listRoles, () => page([role, ciRunner, database]))
    .on(listTags, () => page([tag]))
    .on(listHostsV2, () => page([host]))
    .on(listNetworksV2, () => page([network]))
    .on(getGuarantee, () => guarantee)
    .on(checkGuarantee, () => holds);

const openAdd = (at = "/guarantees/add") =>
  renderPage(<GuaranteeAddPage />, { route: "/guarantees/add", at });
const openEdit = () =>
  renderPage(<GuaranteeEditPage />, {
    route: "/guarantees/:guaranteeID/edit",
    at: `/guarantees/${guarantee.id}/edit`,
  });
const filledIn = addPathOf(guarantee);

describe("adding a guarantee", () => {
  it("reads as a sentence and is checked while it is written", async () => {
    const api = serve().on(createGuarantee, () => guarantee);
    const { user, path } = openAdd();
    expect(document.activeElement).toBe(screen.getByLabelText("Source type"));
    expect(screen.getByText(/^Complete the sentence/)).toBeDefined();
    await user.selectOptions(screen.getByLabelText("Source type"), "tag");
    await user.type(screen.getByLabelText("Source tag"), "env");
    await user.click(await screen.findByRole("option", { name: /env:prod/ }));
    await user.selectOptions(screen.getByLabelText("Requirement"), "must always");
    await user.type(screen.getByLabelText("Destination role"), "data");
    await user.click(await screen.findByRole("option", { name: "Database" }));
    await user.clear(screen.getByLabelText("Ports"));
    await user.type(screen.getByLabelText("Ports"), "5432");
    expect(await screen.findByText("Holds now")).toBeDefined();
    expect(screen.getByText("144 pairs checked.")).toBeDefined();
    await user.type(screen.getByLabelText(/^Description/), "Queries");
    await user.click(screen.getByRole("button", { name: "Add guarantee" }));
    await waitFor(() => expect(path()).toBe("/guarantees"));
    expect(await screen.findByText("Guarantee added")).toBeDefined();
    expect(api.calls(createGuarantee)[0]?.body).toEqual({
      type: "MUST_REACH",
      source: { type: "tag", id: "env:prod" },
      destination: { type: "role", id: database.id },
      protocol: "TCP",
      portRange: { from: 5432, to: 5432 },
      networkID: null,
      description: "Queries",
    });
  });

  it("checks a suggestion immediately, and says why it doesn’t hold yet", async () => {
    const api = serve().on(checkGuarantee, () => ({
      state: "failing" as const,
      pairCount: 13,
      brokenPairCount: 1,
      counterexample,
    }));
    openAdd(filledIn);
    expect(await screen.findByText("Doesn’t hold yet")).toBeDefined();
    const notice = screen.getByText("Doesn’t hold yet").closest("[role=status]")!;
    expect(notice.textContent).toContain("ci-1 can reach db-1 on TCP 5432 (PostgreSQL)");
    expect(notice.textContent).toContain("1 of 13 pairs breaks the guarantee:");
    expect(screen.getByRole("link", { name: "Check access" }).getAttribute("href")).toBe(
      `/access?source=${counterexample.source.id}&destination=${counterexample.destination.host?.id}&protocol=TCP&port=5432`,
    );
    expect(api.calls(checkGuarantee)[0]?.body).toMatchObject({ source: guarantee.source, portRange: null });
  });

  it("says that no hosts match", async () => {
    serve().on(checkGuarantee, () => ({ ...holds, state: "noHosts" as const, pairCount: 0 }));
    openAdd(filledIn);
    expect(await screen.findByText("Matches no hosts")).toBeDefined();
  });

  it("says that the check failed", async () => {
    serve().on(checkGuarantee, () => {
      throw failure("ERR_UNAVAILABLE");
    });
    openAdd(filledIn);
    expect(await screen.findByText(/^Can’t check the guarantee\./)).toBeDefined();
  });

  it("explains what is missing or invalid", async () => {
    serve();
    const { user } = openAdd();
    await user.selectOptions(screen.getByLabelText("Destination type"), "subnet");
    await user.type(screen.getByLabelText("Destination subnet"), "10.0.8");
    await user.clear(screen.getByLabelText("Ports"));
    await user.type(screen.getByLabelText("Ports"), "80, 443");
    await user.click(screen.getByRole("button", { name: "Add guarantee" }));
    expect(await screen.findByText("Choose a role.")).toBeDefined();
    expect(screen.getByText("Enter a subnet such as 10.0.8.0/22 or fd00:8::/48.")).toBeDefined();
    expect(screen.getByText(/^Enter one port or range/)).toBeDefined();
    await user.clear(screen.getByLabelText("Destination subnet"));
    await user.type(screen.getByLabelText("Destination subnet"), "fd00:8::/48");
    expect(screen.queryByText(/^Enter a subnet/)).toBeNull();
  });

  it("has no ports for ICMP and no object for any host", async () => {
    const api = serve().on(createGuarantee, () => ({ ...failingGuarantee }));
    const { user } = openAdd(filledIn);
    await user.selectOptions(screen.getByLabelText("Source type"), "any");
    await user.selectOptions(screen.getByLabelText("Protocol"), "ICMP");
    expect(screen.queryByLabelText("Ports")).toBeNull();
    expect(screen.queryByLabelText("Source role")).toBeNull();
    await user.click(screen.getByRole("button", { name: "Add guarantee" }));
    expect(await screen.findByText("Guarantee added. It doesn’t hold yet.")).toBeDefined();
    expect(api.calls(createGuarantee)[0]?.body).toMatchObject({
      source: { type: "any" },
      protocol: "ICMP",
      portRange: null,
    });
  });

  it("shows server errors at their fields", async () => {
    serve().on(createGuarantee, () => {
      throw failure("ERR_INVALID_REFERENCE", { path: "destination.id" });
    });
    const { user } = openAdd(filledIn);
    await user.click(screen.getByRole("button", { name: "Add guarantee" }));
    expect(await screen.findByText("This no longer exists. Choose another one.")).toBeDefined();
    expect(screen.getByLabelText("Destination role").getAttribute("aria-invalid")).toBe("true");
  });

  it("says that the organization has the maximum number of guarantees", async () => {
    serve().on(createGuarantee, () => {
      throw failure("ERR_LIMIT_EXCEEDED", { extra: { limit: 200 } });
    });
    const { user } = openAdd(filledIn);
    await user.click(screen.getByRole("button", { name: "Add guarantee" }));
    expect((await screen.findByRole("alert")).textContent).toContain("maximum number of guarantees (200)");
  });
});

describe("editing a guarantee", () => {
  it("replaces the guarantee", async () => {
    const api = serve().on(updateGuarantee, () => guarantee);
    const { user, path } = openEdit();
    await waitFor(() => expect(screen.getByLabelText("Source role")).toHaveProperty("value", "CI runner"));
    expect(document.title).toBe("Edit guarantee - Lightkeeper");
    await user.type(screen.getByLabelText("Network"), "prod");
    await user.click(await screen.findByRole("option", { name: /Production/ }));
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(path()).toBe("/guarantees"));
    expect(api.calls(updateGuarantee)[0]).toMatchObject({
      params: { guaranteeID: guarantee.id },
      body: { networkID: network.id, type: "MUST_NEVER_REACH" },
    });
  });

  it("deletes the guarantee and returns to the list", async () => {
    const api = serve().on(deleteGuarantee, () => ({}));
    const { user, path } = openEdit();
    await user.click(await screen.findByRole("button", { name: "Delete guarantee…" }));
    const dialog = within(await screen.findByRole("alertdialog"));
    await user.click(dialog.getByRole("button", { name: "Delete guarantee" }));
    await waitFor(() => expect(path()).toBe("/guarantees"));
    expect(api.calls(deleteGuarantee)).toHaveLength(1);
  });

  it("shows auditors the sentence and its result without actions", async () => {
    serve();
    renderPage(
      <ReadOnly value>
        <GuaranteeEditPage />
      </ReadOnly>,
      { route: "/guarantees/:guaranteeID/edit", at: `/guarantees/${guarantee.id}/edit` },
    );
    expect(await screen.findByText("You have read-only access to this guarantee.")).toBeDefined();
    expect(await screen.findByText("Holds now")).toBeDefined();
    expect(screen.queryByRole("button", { name: "Save" })).toBeNull();
    expect(screen.queryByRole("button", { name: /^Delete/ })).toBeNull();
  });
});
