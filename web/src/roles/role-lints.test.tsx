/** Hints about rules that are probably not what their author intended. */
import {
  getRole,
  lintRules,
  listRoles,
  listTags,
  updateRole,
  type Role,
  type RuleLint,
} from "@lightkeeper/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { ReadOnly } from "../ui/base/read-only.ts";
import { renderPage, signIn } from "../testing/render.tsx";
import { role, tag } from "../testing/samples.ts";
import { failure, page, transport } from "../testing/transport.ts";
import { RoleEditPage } from "./role-edit-page.tsx";

vi.setConfig({ testTimeout: 60_000 });
beforeEach(signIn);

const ops: Role = { ...role, id: `role-${"O".repeat(26)}`, name: "Ops" };
const served = (lints: RuleLint[], saved = role) =>
  transport()
    .on(listRoles, () => page([saved, ops]))
    .on(listTags, () => page([tag]))
    .on(getRole, () => saved)
    .on(lintRules, () => ({ lints }));

const open = async (isReadOnly = false) => {
  const result = renderPage(
    <ReadOnly value={isReadOnly}>
      <RoleEditPage />
    </ReadOnly>,
    { route: "/roles/:roleID", at: `/roles/${role.id}` },
  );
  await screen.findByDisplayValue("Web");
  return result;
};

const covered: RuleLint = { index: 0, kind: "covered", by: [2], fix: { type: "remove" } };
const COVERED = "Rule 3 (everything) already allows this.";
const ruleNamed = (name: RegExp) => screen.getByRole("button", { name });
const descriptionsOf = (element: Element | undefined) =>
  (element?.getAttribute("aria-describedby") ?? "")
    .split(" ")
    .map((id) => document.getElementById(id)?.textContent);

describe("a hint", () => {
  it("appears when the form opens, and describes its rule", async () => {
    const api = served([covered]);
    await open();
    await screen.findByText(COVERED);
    expect(descriptionsOf(ruleNamed(/^Allow TCP 22/))).toEqual([COVERED]);
    expect(ruleNamed(/^Allow UDP/).hasAttribute("aria-describedby")).toBe(false);
    expect(api.calls(lintRules).map(({ body }) => body)).toEqual([
      { type: "role", firewallRules: role.firewallRules },
    ]);
  });

  it.each<[string, RuleLint, Partial<Role["firewallRules"][number]>]>([
    [
      "No host has role Ops and tags env:prod and tier:db, so this rule never matches.",
      { index: 0, kind: "neverMatches", reason: "noHost", fix: null },
      { allowedRoleID: ops.id, allowedTags: ["env:prod", "tier:db"] },
    ],
    [
      "No host has tag env:prod, so this rule never matches.",
      { index: 0, kind: "neverMatches", reason: "noHost", fix: null },
      { allowedTags: ["env:prod"] },
    ],
    [
      "Rules 2 and 3 together already allow this.",
      { index: 0, kind: "covered", by: [1, 2], fix: { type: "remove" } },
      {},
    ],
    [
      "Adding tag env:prod to a host lets it reach every port.",
      { index: 0, kind: "anyWithTags", tags: ["env:prod"], fix: null },
      { protocol: "ANY", portRange: null, allowedTags: ["env:prod"] },
    ],
    [
      "Adding tag env:prod to a host with role Ops lets it reach every port.",
      { index: 0, kind: "anyWithTags", tags: ["env:prod"], fix: null },
      { protocol: "ANY", portRange: null, allowedRoleID: ops.id, allowedTags: ["env:prod"] },
    ],
    [
      "Nebula stores each of these 65,535 ports separately, which uses memory on every host.",
      { index: 0, kind: "manyPorts", portCount: 65_535, fix: null },
      { portRange: { from: 1, to: 65_535 } },
    ],
    [
      "The description says HTTP and port 8444, but this rule allows TCP 1-9000.",
      {
        index: 0,
        kind: "broaderThanDescription",
        named: [
          { protocol: "TCP", portRange: { from: 80, to: 80 } },
          { protocol: "ANY", portRange: { from: 8444, to: 8444 } },
        ],
        fix: null,
      },
      { portRange: { from: 1, to: 9000 } },
    ],
  ])("says: %s", async (text, lint, change) => {
    const [first, ...others] = role.firewallRules;
    served([lint], { ...role, firewallRules: [{ ...first!, ...change }, ...others] });
    await open();
    const firstRule = screen.getAllByRole("button", { name: /^Allow/ })[0];
    await waitFor(() => expect(descriptionsOf(firstRule)).toEqual([text]));
  });

  it("removes the rule from the draft, and Undo brings both back", async () => {
    const api = served([covered]).on(updateRole, () => role);
    const { user } = await open();
    await screen.findByText(COVERED);
    api.on(lintRules, () => ({ lints: [] }));
    await user.click(screen.getByRole("button", { name: "Remove rule" }));
    expect(screen.queryByText(COVERED)).toBeNull();
    const undo = screen.getByRole("button", { name: "Undo removing rule TCP 22" });
    await waitFor(() => expect(document.activeElement).toBe(undo));
    expect(api.calls(updateRole)).toEqual([]);
    await waitFor(() =>
      expect(api.calls(lintRules).at(-1)?.body.firewallRules).toEqual(role.firewallRules.slice(1)),
    );
    await user.click(undo);
    expect(await screen.findByText(COVERED)).toBeDefined();
  });

  it("limits the rule to what its description says", async () => {
    const rule = { ...role.firewallRules[0]!, portRange: null, description: "SSH" };
    const saved = { ...role, firewallRules: [rule] };
    const limited = { ...rule, portRange: { from: 22, to: 22 } };
    const api = served(
      [
        {
          index: 0,
          kind: "broaderThanDescription",
          named: [{ protocol: "TCP", portRange: limited.portRange }],
          fix: { type: "replace", rule: limited },
        },
      ],
      saved,
    ).on(updateRole, () => saved);
    const { user } = await open();
    const text = "The description says SSH, but this rule allows all TCP ports.";
    expect(await screen.findByText(text)).toBeDefined();
    await user.click(screen.getByRole("button", { name: "Limit to port 22" }));
    expect(screen.queryByText(text)).toBeNull();
    const changed = ruleNamed(/^Allow TCP 22/);
    await waitFor(() => expect(document.activeElement).toBe(changed));
    const preview = () => within(screen.getByRole("region", { name: "Preview changes" }));
    await waitFor(() => expect(preview().getByText("1 rule changed")).toBeDefined());
    expect(api.calls(updateRole)).toEqual([]);
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(api.calls(updateRole)[0]?.body.firewallRules).toEqual([limited]));
  });

  it("disappears when its rule or the rule that covers it changes, and others stay", async () => {
    const many: RuleLint = { index: 1, kind: "manyPorts", portCount: 2000, fix: null };
    served([covered, many]);
    const { user } = await open();
    await screen.findByText(COVERED);
    await user.click(ruleNamed(/^Allow everything/));
    await user.selectOptions(await screen.findByLabelText("Protocol"), "UDP");
    expect(screen.queryByText(COVERED)).toBeNull();
    expect(screen.getByText(/^Nebula stores/)).toBeDefined();
  });
});

describe("a form", () => {
  it("leaves out rules that are still being typed", async () => {
    const api = served([]);
    const { user } = await open();
    await user.click(screen.getByRole("button", { name: "Add rule" }));
    const before = api.calls(lintRules).length;
    await user.selectOptions(await screen.findByLabelText("Protocol"), "UDP");
    await waitFor(() => expect(api.calls(lintRules).length).toBeGreaterThan(before));
    expect(api.calls(lintRules).at(-1)?.body.firewallRules).toEqual(role.firewallRules);
  });

  it("works without hints if the check fails", async () => {
    const api = served([covered])
      .on(updateRole, () => role)
      .on(lintRules, () => Promise.reject(failure("ERR_INVALID_VALUE")));
    const { user, path } = await open();
    await waitFor(() => expect(api.calls(lintRules)).toHaveLength(1));
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(path()).toBe("/roles"));
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("shows hints without actions to auditors", async () => {
    served([covered]);
    await open(true);
    expect(await screen.findByText(COVERED)).toBeDefined();
    expect(screen.queryByRole("button", { name: "Remove rule" })).toBeNull();
  });
});
