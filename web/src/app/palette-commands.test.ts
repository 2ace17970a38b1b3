import { expect, it } from "vitest";
import type { Person } from "../lib/current-user.ts";
import type { Command } from "../lib/palette.ts";
import { matching } from "../on-demand/palette-search.ts";
import { auditor, oidcUser, user } from "../testing/samples.ts";
import { entries, visibleEntries } from "./navigation.ts";
import { commandGroups } from "./palette-commands.ts";

const registered = new Set([
  "/hosts",
  "/tags",
  "/certificate-authorities",
  "/logs/audit",
  "/settings/networks",
  "/settings/members",
  "/settings/user",
]);

interface Options {
  flags?: Record<string, boolean>;
  person?: Person;
  networkFilter?: string | null;
}

function groups({ flags = {}, person = user, networkFilter = null }: Options = {}) {
  return commandGroups({
    entries: visibleEntries(entries, { registered, flags }),
    networkFilter,
    person,
    registered,
  });
}
const labels = (commands: readonly Command[] = []) => commands.map(({ label }) => label);

it("offers every page that the person can see, and no others", () => {
  expect(labels(groups()[0].commands)).toEqual([
    "Hosts",
    "Tags",
    "Logs",
    "Networks",
    "Members",
    "Documentation",
    "User settings",
  ]);
  expect(labels(groups({ person: oidcUser as Person })[0].commands)).not.toContain("User settings");
  const flags = { LIST_CERT_AUTHORITIES: true };
  expect(labels(groups({ flags })[0].commands)).toContain("Certificate Authorities");
});

it("contains the network filter and the shortcuts of the pages [S2.26]", () => {
  expect(groups({ networkFilter: "network-1" })[0].commands[0]).toMatchObject({
    to: "/hosts?filter.networkID=network-1",
    keys: "g h",
  });
});

it("offers to add objects, block, export and log out", () => {
  expect(labels(groups()[1].commands)).toEqual([
    "Add host",
    "Add tag",
    "Add network",
    "Add several hosts",
    "Check access",
    "Access matrix",
    "Add guarantee",
    "Guarantees",
    "Rules to review",
    "Invite member",
    "Notifications",
    "Add notification rule",
    "Add notification channel",
    "Reorder tags",
    "Block host…",
    "Export hosts",
    "Export audit log",
    "Get started",
    "Log out",
  ]);
});

it("offers CA rotation only while CAs are enabled", () => {
  const flags = { LIST_CERT_AUTHORITIES: true };
  const rotate = "Rotate certificate authority…";
  expect(labels(groups({ flags })[1].commands)).toContain(rotate);
  expect(labels(groups({ flags, person: auditor })[1].commands)).not.toContain(rotate);
  expect(labels(groups()[1].commands)).not.toContain(rotate);
});

it("offers an auditor no actions that change something", () => {
  expect(labels(groups({ person: auditor })[1].commands)).toEqual([
    "Check access",
    "Access matrix",
    "Guarantees",
    "Rules to review",
    "Notifications",
    "Export hosts",
    "Export audit log",
    "Get started",
    "Log out",
  ]);
});

it("invites members only for owners", () => {
  expect(labels(groups({ person: oidcUser as Person })[1].commands)).toContain("Add host");
  expect(labels(groups({ person: oidcUser as Person })[1].commands)).not.toContain("Invite member");
});

it("opens the documentation outside the console", () => {
  const documentation = groups()[0].commands.find(({ label }) => label === "Documentation");
  expect(documentation).toMatchObject({ href: "/docs/" });
});

it("matches every word in label and keywords, and ranks matches at the start first", () => {
  const all = groups().flatMap(({ commands }) => commands);
  expect(labels(matching(all, "HOST"))).toEqual([
    "Hosts",
    "Add host",
    "Add several hosts",
    "Block host…",
    "Export hosts",
  ]);
  expect(labels(matching(all, "export"))).toEqual(["Export hosts", "Export audit log"]);
  expect(labels(matching(all, " create  tag "))).toEqual(["Add tag"]);
  expect(labels(matching(all, "sign"))).toEqual(["Log out"]);
  expect(matching(all, "nothing of this")).toEqual([]);
  expect(matching(all, "")).toHaveLength(all.length);
});
