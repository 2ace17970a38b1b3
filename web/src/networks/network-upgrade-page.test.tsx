import {
  finishNetworkUpgrade,
  getNetworkUpgrade,
  getNetworkV2,
  logInWithTotp,
  type NetworkUpgrade,
  type NetworkV2,
  revertNetworkUpgrade,
  upgradeNetwork,
  whoami,
} from "@lightkeeper/contract";
import { act, screen, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { routes } from "../app/router.tsx";
import { invalidateNoun } from "../lib/query.ts";
import { networkUpgrade } from "../testing/network-upgrades.ts";
import { brokenGuarantee } from "../testing/preview-samples.ts";
import { renderRoutes, signIn } from "../testing/render.tsx";
import { auditor, network, user } from "../testing/samples.ts";
import { failure, transport } from "../testing/transport.ts";

beforeEach(signIn);

const path = `/settings/networks/${network.id}/upgrade`;
const open = (at = path) => renderRoutes(routes, at);
const serve = (upgrade: NetworkUpgrade | null = null, person = user, shown: NetworkV2 = network) =>
  transport()
    .on(whoami, () => person)
    .on(getNetworkV2, () => shown)
    .on(getNetworkUpgrade, () => upgrade);
const nothingWaiting = { waitingFor: { hostCount: 0, hosts: [] } };
const ready: NetworkUpgrade = { ...networkUpgrade, ...nothingWaiting, step: "INITIATE", canFinish: true };
const done: NetworkUpgrade = { ...networkUpgrade, ...nothingWaiting, step: "DONE", canRevert: false };
const currentStep = () => screen.findByRole("listitem", { current: "step" });

describe("a network with version 1 certificates", () => {
  it("shows what the upgrade needs and changes, and starts it with a random range", async () => {
    const api = serve().on(upgradeNetwork, () => networkUpgrade);
    const { user: person } = open();
    expect(await screen.findByRole("heading", { name: "Upgrade Production" })).toBeDefined();
    expect(document.title).toBe("Upgrade Production - Lightkeeper");
    expect(await screen.findByText(/^Every host needs Nebula 1\.10 or newer\./)).toBeDefined();
    expect(screen.getByText("ERR_CERT_VERSION_2_INCOMPATIBLE")).toBeDefined();
    expect(screen.getByText(/Leave empty to use a random private \/64/)).toBeDefined();
    api.on(getNetworkUpgrade, () => networkUpgrade);
    await person.click(screen.getByRole("button", { name: "Start upgrade" }));
    expect(await screen.findByText("Upgrade of Production started")).toBeDefined();
    expect((await currentStep()).textContent).toContain("Distribute the new CA");
    expect(api.calls(upgradeNetwork)[0]?.body).toEqual({});
  });

  it("gets the range that was typed, after the second factor is confirmed", async () => {
    const api = serve()
      .on(upgradeNetwork, () => {
        throw failure("ERR_2FA_RENEWAL_REQUIRED");
      })
      .on(logInWithTotp, () => ({ authToken: "fresh" }));
    const { user: person } = open();
    await person.type(await screen.findByLabelText(/^IPv6 CIDR/), " fd77::/64 {Enter}");
    await person.type(await screen.findByLabelText("Code from your authenticator app"), "123456");
    api.on(upgradeNetwork, () => networkUpgrade).on(getNetworkUpgrade, () => networkUpgrade);
    await person.click(await screen.findByRole("button", { name: "Start upgrade" }));
    await currentStep();
    expect(api.calls(upgradeNetwork).at(-1)?.body).toEqual({ cidr: "fd77::/64" });
  });

  it.each([
    ["ERR_INVALID_VALUE", { path: "cidr", message: "overlaps Lab" }, "Can’t use this range: overlaps Lab."],
    ["ERR_INVALID_VALUE", { message: "the CA is being rotated" }, "The CA is being rotated."],
    ["ERR_GUARANTEE_VIOLATED", {}, "This change breaks a guarantee."],
  ] as const)("shows why it can’t be upgraded: %s %o", async (code, entry, shown) => {
    const api = serve().on(upgradeNetwork, () => {
      throw failure(code, entry);
    });
    const { user: person } = open();
    await person.type(await screen.findByLabelText(/^IPv6 CIDR/), "fd77::/64{Enter}");
    expect((await screen.findByRole("alert")).textContent).toBe(shown);
    expect(screen.getByLabelText(/^IPv6 CIDR/)).toHaveProperty("value", "fd77::/64");
    expect(api.reports).toEqual([]);
  });

  it("rejects an IPv4 range before the server does", async () => {
    serve();
    const { user: person } = open();
    await person.type(await screen.findByLabelText(/^IPv6 CIDR/), "10.0.0.0/16{Enter}");
    expect((await screen.findByRole("alert")).textContent).toMatch(/^This is an IPv4 range\./);
  });
});

describe("an upgrade in progress", () => {
  it("shows the steps, and the hosts that it waits for", async () => {
    serve(networkUpgrade);
    open();
    const step = within(await currentStep());
    expect(step.getByText("In progress")).toBeDefined();
    expect(step.getByText(/^Hosts get the CA that signs version 2 certificates/)).toBeDefined();
    expect(step.getByText(/^Started/).querySelector("time")?.dateTime).toBe("2026-11-15T10:00:00Z");
    expect(step.getByRole("status").textContent).toBe("Waiting for 3 hosts.");
    expect(screen.getAllByText("Done")).toHaveLength(1);
    expect(screen.getAllByText("Not started")).toHaveLength(4);
    const rows = within(screen.getByRole("table", { name: "Hosts that the upgrade waits for" }));
    const offline = within(rows.getByRole("link", { name: "db-1" }).closest("tr")!);
    expect(offline.getByText("Offline")).toBeDefined();
    expect(offline.getByText("Never")).toBeDefined();
    expect(rows.getByRole("link", { name: "web-1" }).getAttribute("href")).toBe("/hosts/host-2");
    expect(rows.getByText("Online")).toBeDefined();
    expect(rows.queryByRole("columnheader", { name: "Nebula" })).toBeNull();
    expect(screen.getByText("The first 2 of 3 hosts.")).toBeDefined();
    expect(screen.getByText("fd12:3456:789a::/64")).toBeDefined();
    expect(screen.queryByRole("link", { name: "Finish upgrade…" })).toBeNull();
  });

  it("shows the versions of Nebula in the first step", async () => {
    serve({ ...networkUpgrade, step: "NEBULA", newCAID: null });
    open();
    const rows = within(await screen.findByRole("table"));
    expect(rows.getByRole("columnheader", { name: "Nebula" })).toBeDefined();
    expect(rows.getByText("1.9.3")).toBeDefined();
    expect(rows.getByText("Unknown")).toBeDefined();
  });

  const stages: [upgrade: Partial<NetworkUpgrade>, text: string][] = [
    [{ isForced: true }, "Waiting for 3 hosts. Hosts that are offline or don’t report are skipped."],
    [nothingWaiting, "All hosts are done. The next step starts automatically."],
    [ready, "All hosts are ready. Finish the upgrade to remove the version 1 certificates."],
    [
      { ...nothingWaiting, step: "ONLY" },
      "All hosts are done. The old CA is retired after all tunnels are renewed, in about a minute.",
    ],
  ];

  it.each(stages)("shows how far the step is: %#", async (more, text) => {
    serve({ ...networkUpgrade, ...more });
    open();
    expect(within(await currentStep()).getByRole("status").textContent).toBe(text);
    expect(screen.queryByRole("link", { name: "Skip hosts…" })).toBeNull();
  });

  it("follows changes of the server", async () => {
    const api = serve(networkUpgrade);
    open();
    await currentStep();
    const next: NetworkUpgrade = { ...networkUpgrade, step: "BOTH" };
    api.on(getNetworkUpgrade, () => next);
    await act(() => invalidateNoun("networks"));
    await vi.waitFor(async () =>
      expect((await currentStep()).textContent).toContain("Add a second certificate"),
    );
  });

  it.each([
    ["BOTH", "Use version 1 for new tunnels", 0],
    ["TRUST", "Remove the second certificates", 1],
  ] as const)("shows the steps that are taken back, in step %s", async (step, label, doneCount) => {
    serve({ ...networkUpgrade, step, isReverting: true, canRevert: false });
    open();
    expect(await screen.findByRole("heading", { name: "Reverting the upgrade" })).toBeDefined();
    expect((await currentStep()).textContent).toContain(label);
    expect(screen.queryAllByText("Done")).toHaveLength(doneCount);
    expect(screen.queryByRole("link", { name: "Revert…" })).toBeNull();
  });

  it("is shown to auditors without actions", async () => {
    serve(networkUpgrade, auditor);
    const { path: current } = open(`${path}/revert`);
    await currentStep();
    await vi.waitFor(() => expect(current()).toBe(path));
    expect(screen.queryByRole("alertdialog")).toBeNull();
    expect(screen.queryByRole("link", { name: "Revert…" })).toBeNull();
    expect(screen.queryByRole("link", { name: "Skip hosts…" })).toBeNull();
  });
});

describe("the end of an upgrade", () => {
  it("shows when it was completed", async () => {
    serve(done);
    open();
    const card = within(await screen.findByRole("region", { name: "Upgrade completed" }));
    const times = [...card.getByText("Completed").closest("dl")!.querySelectorAll("time")];
    expect(times.map(({ dateTime }) => dateTime)).toEqual(["2026-11-15T10:00:00Z", "2026-11-15T09:00:00Z"]);
    expect(screen.getByText(/after Nebula restarts on them/)).toBeDefined();
    expect(screen.queryByRole("link", { name: "Revert…" })).toBeNull();
  });

  it("leaves nothing to do in a network that was created with version 2 certificates", async () => {
    serve(null, user, { ...network, certVersion: 2 });
    open();
    expect(await screen.findByText("This network doesn’t need an upgrade")).toBeDefined();
    expect(screen.queryByRole("button", { name: "Start upgrade" })).toBeNull();
  });

  it("lets auditors read what an upgrade needs, without the form", async () => {
    serve(null, auditor);
    open();
    expect(await screen.findByText("Before you start")).toBeDefined();
    await vi.waitFor(() => expect(screen.queryByRole("button", { name: "Start upgrade" })).toBeNull());
  });

  it("shows the 404 page for a network that doesn’t exist", async () => {
    const noise = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const missing = () => {
      throw failure("ERR_NOT_FOUND");
    };
    serve().on(getNetworkV2, missing).on(getNetworkUpgrade, missing);
    open();
    expect(await screen.findByRole("heading", { name: "Nothing here (404)" })).toBeDefined();
    noise.mockRestore();
  });
});

describe("the actions of an upgrade", () => {
  const dialog = async () => within(await screen.findByRole("alertdialog"));

  it("skip hosts after the network’s name is typed", async () => {
    const forced = { ...networkUpgrade, isForced: true };
    const api = serve(networkUpgrade).on(upgradeNetwork, () => forced);
    const { user: person, path: current } = open();
    await person.click(await screen.findByRole("link", { name: "Skip hosts…" }));
    const shown = await dialog();
    expect(shown.getByText(/without hosts that are offline or don’t report/)).toBeDefined();
    api.on(getNetworkUpgrade, () => forced);
    await person.type(shown.getByRole("textbox"), "Production{Enter}");
    expect(await screen.findByText("Upgrade of Production continues")).toBeDefined();
    await vi.waitFor(() => expect(current()).toBe(path));
    expect(api.calls(upgradeNetwork)[0]?.body).toEqual({ force: true });
  });

  it("finish it after the network’s name is typed", async () => {
    const last: NetworkUpgrade = { ...ready, step: "ONLY", canFinish: false, canRevert: false };
    const api = serve(ready).on(finishNetworkUpgrade, () => last);
    const { user: person } = open();
    await person.click(await screen.findByRole("link", { name: "Finish upgrade…" }));
    const shown = await dialog();
    expect(shown.getByText(/You can’t revert the upgrade after this\./)).toBeDefined();
    api.on(getNetworkUpgrade, () => last);
    await person.type(shown.getByRole("textbox"), "Production{Enter}");
    expect(await screen.findByText("Finishing the upgrade of Production")).toBeDefined();
    expect((await currentStep()).textContent).toContain("Remove the version 1 certificates");
    expect(screen.queryByRole("link", { name: "Revert…" })).toBeNull();
  });

  it.each([
    ["TRUST", /^The upgrade ends immediately\./, null, "Upgrade of Production reverted"],
    [
      "INITIATE",
      /Nebula restarts on every host that already has a second certificate.* for about a second\./,
      { ...networkUpgrade, step: "BOTH", isReverting: true, canRevert: false },
      "Reverting the upgrade of Production",
    ],
  ] as const)("revert it in step %s", async (step, consequence, after, shownAfter) => {
    const api = serve({ ...networkUpgrade, step }).on(revertNetworkUpgrade, () => after);
    const { user: person } = open();
    await person.click(await screen.findByRole("link", { name: "Revert…" }));
    const shown = await dialog();
    expect(shown.getByText(consequence)).toBeDefined();
    api.on(getNetworkUpgrade, () => after);
    await person.click(shown.getByRole("button", { name: "Revert upgrade" }));
    expect(await screen.findByText(shownAfter)).toBeDefined();
    expect(await screen.findByText(after ? "Reverting the upgrade" : "Before you start")).toBeDefined();
  });

  it("show why they were rejected", async () => {
    const api = serve(ready).on(revertNetworkUpgrade, () => {
      throw failure("ERR_INVALID_VALUE", { message: "the last step of an upgrade can't be reverted" });
    });
    const { user: person } = open(`${path}/revert`);
    await person.click((await dialog()).getByRole("button", { name: "Revert upgrade" }));
    expect((await screen.findByRole("alert")).textContent).toBe(
      "The last step of an upgrade can't be reverted.",
    );
    expect(api.reports).toEqual([]);
  });

  it("show which guarantee they would break", async () => {
    serve(ready).on(finishNetworkUpgrade, () => {
      throw failure("ERR_GUARANTEE_VIOLATED", { extra: { guarantees: [brokenGuarantee] } });
    });
    const { user: person } = open(`${path}/finish`);
    await person.type((await dialog()).getByRole("textbox"), "Production{Enter}");
    expect((await screen.findByRole("alert")).textContent).toMatch(/^Breaks the guarantee Contractors/);
  });

  it.each(["skip", "finish", "revert"])("don’t open %s when it isn’t possible", async (action) => {
    serve({ ...networkUpgrade, isForced: true, canRevert: false });
    const { path: current } = open(`${path}/${action}`);
    await currentStep();
    await vi.waitFor(() => expect(current()).toBe(path));
    expect(screen.queryByRole("alertdialog")).toBeNull();
  });
});
