import { describe, expect, it } from "vitest";
import { SettingsIcon } from "../ui/base/icons.tsx";
import {
  entries,
  group,
  groupAt,
  hrefOf,
  isCurrent,
  visibleEntries,
  type Entry,
  type ExternalEntry,
  type GroupEntry,
  type PageEntry,
} from "./navigation.ts";

const everyPath = new Set(
  entries
    .flatMap((entry) => (entry.kind === "group" ? entry.children : [entry]))
    .flatMap((entry) => ("path" in entry ? [entry.path] : [])),
);
const labels = (list: readonly Entry[]) => list.map(({ label }) => label);
const groupNamed = (list: readonly Entry[], label: string) =>
  list.find((entry): entry is GroupEntry => entry.kind === "group" && entry.label === label);
const pageAt = (path: string) =>
  entries.find((entry): entry is PageEntry => entry.kind === "page" && entry.path === path)!;

/** The label and the link of an entry; a group has only a label. */
function describeEntry(entry: Entry | ExternalEntry): string {
  if (entry.kind === "group") return entry.label;
  return `${entry.label} ${entry.kind === "page" ? entry.path : entry.url}`;
}

/** Ignores further entries, so that a new page needs no change here. */
function expectInOrder(list: readonly (Entry | ExternalEntry)[], expected: readonly string[]): void {
  expect(list.map(describeEntry).filter((entry) => expected.includes(entry))).toEqual(expected);
}

describe("the list", () => {
  it("has the entries of the specification in its order [S2.25]", () => {
    const all = visibleEntries(entries, { registered: everyPath, flags: { LIST_CERT_AUTHORITIES: true } });
    expectInOrder(all, [
      "Hosts /hosts",
      "Lighthouses /lighthouses",
      "Relays /relays",
      "Routes /routes",
      "Roles /roles",
      "Certificate Authorities /certificate-authorities",
      "Tags /tags",
      "Logs /logs/audit",
      "Settings",
      "Support",
    ]);
  });

  it("groups settings and support [S2.27]", () => {
    expectInOrder(groupNamed(entries, "Settings")!.children, [
      "Billing /settings/billing",
      "Networks /settings/networks",
      "API keys /settings/api-keys",
      "Single sign-on /settings/sso",
      // Beyond the specification, and therefore after its entries.
      "Members /settings/members",
      "Organization /settings/organization",
    ]);
    expectInOrder(groupNamed(entries, "Support")!.children, [
      "Documentation /docs/",
      "Contact us /support/contact",
      "Downloads /downloads",
    ]);
  });

  it.each([{}, { LIST_CERT_AUTHORITIES: false }, { LIST_CERT_AUTHORITIES: "yes" }])(
    "leaves certificate authorities out unless their flag is on [S2.25]",
    (flags) => {
      expect(labels(visibleEntries(entries, { registered: everyPath, flags }))).not.toContain(
        "Certificate Authorities",
      );
    },
  );

  it("shows only pages that exist, and no empty group", () => {
    const some = visibleEntries(entries, { registered: new Set(["/hosts"]), flags: {} });
    expect(labels(some)).toEqual(["Hosts", "Support"]);
    expect(groupNamed(some, "Support")?.children.map(({ label }) => label)).toEqual(["Documentation"]);
  });
});

describe("a link", () => {
  it.each(["/hosts", "/lighthouses", "/relays"])(
    "to %s carries the network last filtered by [S2.26]",
    (path) => {
      expect(hrefOf(pageAt(path), "network-A")).toBe(`${path}?filter.networkID=network-A`);
      expect(hrefOf(pageAt(path), null)).toBe(path);
    },
  );

  it("to another page has no filter [S2.26]", () => {
    expect(hrefOf(pageAt("/roles"), "network-A")).toBe("/roles");
  });
});

describe("a group", () => {
  const child = (label: string) => ({ kind: "external", label, url: "https://example.com" }) as const;

  it.each([0, 7])("with %i children throws [S2.28]", (count) => {
    const children = Array.from({ length: count }, (_, index) => child(String(index)));
    expect(() => group("Settings", SettingsIcon, children)).toThrow(
      "The group Settings needs 1 to 6 children",
    );
  });

  it.each([1, 6])("may have %i children [S2.28]", (count) => {
    const children = Array.from({ length: count }, (_, index) => child(String(index)));
    expect(group("Settings", SettingsIcon, children).children).toHaveLength(count);
  });

  it.each([
    ["/settings/networks", "Settings"],
    ["/settings/networks/add", "Settings"],
    ["/settings/networksque", undefined],
    ["/settings/members/invite", "Settings"],
    ["/settings/organization", "Settings"],
    ["/settings/user", undefined],
    ["/downloads", "Support"],
    ["/hosts", undefined],
  ])("at %s is %s [S2.28]", (pathname, label) => {
    expect(groupAt(entries, pathname)).toBe(label);
  });
});

it("highlights Roles on the pages of its tabs, and on no other page", () => {
  const highlighted = (pathname: string) => isCurrent(pageAt("/roles"), pathname);
  expect(["/roles", "/roles/role-A", "/access", "/access/matrix", "/guarantees"].every(highlighted)).toBe(
    true,
  );
  expect(["/routes", "/accessories", "/"].some(highlighted)).toBe(false);
});
