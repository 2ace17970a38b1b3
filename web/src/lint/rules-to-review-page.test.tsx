import { listRoles, listRuleLints, type DataOf, type SavedRuleLint } from "@lightkeeper/contract";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { openPalette, options, signInBeforeEach } from "../testing/command-palette.tsx";
import { renderPage, signIn } from "../testing/render.tsx";
import { role } from "../testing/samples.ts";
import { failure, page, transport } from "../testing/transport.ts";
import { RulesToReviewPage } from "./rules-to-review-page.tsx";

const ssh = { protocol: "TCP", portRange: { from: 22, to: 22 }, description: "From laptops" } as const;
const lintOf = (owner: SavedRuleLint["owner"], lint: SavedRuleLint["lint"]): SavedRuleLint => ({
  owner,
  rule: ssh,
  lint,
});
const web = { type: "role", id: role.id, name: "Web" } as const;
const lints: SavedRuleLint[] = [
  lintOf(web, { index: 1, kind: "covered", by: [0], fix: { type: "remove" } }),
  lintOf(web, { index: 1, kind: "manyPorts", portCount: 2000, fix: null }),
  lintOf(web, { index: 4, kind: "manyPorts", portCount: 2000, fix: null }),
  lintOf(
    { type: "tag", id: "env:prod", name: "env:prod" },
    { index: 0, kind: "anyWithTags", tags: ["team:data"], fix: null },
  ),
  lintOf(
    { type: "route", id: "route-1", name: "Office" },
    { index: 0, kind: "covered", by: [1, 2], fix: null },
  ),
];

const served = (data: DataOf<typeof listRuleLints>) =>
  transport()
    .on(listRoles, () => page([role]))
    .on(listRuleLints, () => data);
const title = () => screen.getByRole("heading", { level: 1 }).textContent;
const open = () => renderPage(<RulesToReviewPage />, { route: "/access/rules" });

describe("the rules to review", () => {
  beforeEach(signIn);

  it("are grouped by role, tag and route, each with a link to its place in the form", async () => {
    served({ lints, lintCount: 5, ruleCount: 20 });
    open();
    await waitFor(() => expect(title()).toBe("Rules to review · 4"));
    expect(document.title).toBe("Rules to review - Lightkeeper");
    const regions = screen.getAllByRole("region", { name: /^(Role|Tag|Route) / }).map((region) => ({
      name: within(region).getByRole("heading").textContent,
      links: within(region)
        .getAllByRole("link")
        .map((link) => link.getAttribute("href")),
    }));
    expect(regions).toEqual([
      {
        name: "Role Web",
        links: [`/roles/${role.id}`, `/roles/${role.id}#rule-2`, `/roles/${role.id}#rule-5`],
      },
      { name: "Tag env:prod", links: ["/tags/env%3Aprod", "/tags/env%3Aprod#rule-1"] },
      { name: "Route Office", links: ["/routes/route-1", "/routes/route-1#rule-1"] },
    ]);
    expect(screen.getByText("Rule 1 already allows this.")).toBeDefined();
    expect(screen.getByText("Rules 2 and 3 together already allow this.")).toBeDefined();
    // Nothing else matters about a rule that can be removed.
    expect(screen.getAllByText(/^Nebula stores/)).toHaveLength(1);
  });

  it("say that there are more than shown", async () => {
    served({ lints, lintCount: 1204, ruleCount: 4000 });
    open();
    expect(await screen.findByText(/^Shows the first 5 of 1,204 hints/)).toBeDefined();
    expect(title()).toBe("Rules to review · 4+");
  });

  it("may be none", async () => {
    served({ lints: [], lintCount: 0, ruleCount: 12 });
    open();
    expect(await screen.findByRole("heading", { name: "No rule needs review" })).toBeDefined();
    expect(screen.getByText("12 rules of your roles, tags and routes checked.")).toBeDefined();
  });

  it("show why they couldn’t be loaded, and load again", async () => {
    const api = served({ lints: [], lintCount: 0, ruleCount: 0 });
    api.on(listRuleLints, () => Promise.reject(failure("ERR_FORBIDDEN", {}, "request-9")));
    const { user } = open();
    expect(await screen.findByText("request-9", {}, { timeout: 20_000 })).toBeDefined();
    api.on(listRuleLints, () => ({ lints: [], lintCount: 0, ruleCount: 0 }));
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByText("Your roles, tags and routes have no rules yet.")).toBeDefined();
  });
});

describe("the palette", () => {
  signInBeforeEach();

  it("opens the rules to review", async () => {
    const { user } = await openPalette();
    await user.keyboard("redundant");
    await waitFor(() => expect(options()).toEqual(["Rules to review"]));
  });
});
