import { listGuarantees, listRoles } from "@lightkeeper/contract";
import { screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { renderPage, signIn } from "../testing/render.tsx";
import { role } from "../testing/samples.ts";
import { failure, page, transport } from "../testing/transport.ts";
import { AccessTabs } from "./access-tabs.tsx";

beforeEach(signIn);

const tabs = () =>
  screen.getAllByRole("link").map((link) => ({
    label: link.textContent,
    to: link.getAttribute("href"),
    isCurrent: link.getAttribute("aria-current") === "page",
  }));

it("counts roles and guarantees, and marks the tab of the page", async () => {
  transport()
    .on(listRoles, () => page([role], { totalCount: 1204 }))
    .on(listGuarantees, () => page([], { totalCount: 6 }));
  renderPage(<AccessTabs />, { route: "/access/matrix" });
  await waitFor(() =>
    expect(tabs()).toEqual([
      { label: "Roles 1,204", to: "/roles", isCurrent: false },
      { label: "Access", to: "/access", isCurrent: true },
      { label: "Guarantees 6", to: "/guarantees", isCurrent: false },
      { label: "Review", to: "/access/rules", isCurrent: false },
    ]),
  );
});

it("marks only one tab on the page of rules to review", () => {
  transport().on(listRoles, () => page([role]));
  renderPage(<AccessTabs />, { route: "/access/rules" });
  expect(tabs().filter(({ isCurrent }) => isCurrent)).toMatchObject([{ to: "/access/rules" }]);
});

it("shows the tabs without counts if they can’t be loaded", async () => {
  const api = transport()
    .on(listRoles, () => Promise.reject(failure("ERR_UNAVAILABLE")))
    .on(listGuarantees, () => Promise.reject(failure("ERR_UNAVAILABLE")));
  renderPage(<AccessTabs />, { route: "/roles" });
  await waitFor(() => expect(api.calls(listGuarantees)).toHaveLength(4));
  expect(tabs().map(({ label }) => label)).toEqual(["Roles", "Access", "Guarantees", "Review"]);
});
