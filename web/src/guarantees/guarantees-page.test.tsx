import {
  checkGuarantee,
  deleteGuarantee,
  listGuarantees,
  listNetworksV2,
  listRoles,
  resumeGuarantee,
  suspendGuarantee,
} from "@lightkeeper/contract";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { listenForShortcuts } from "../lib/shortcuts.ts";
import {
  ciRunner,
  database,
  failingGuarantee,
  guarantee,
  suspendedGuarantee,
} from "../testing/guarantee-samples.ts";
import { renderPage, signIn } from "../testing/render.tsx";
import { network, role } from "../testing/samples.ts";
import { failure, page, transport } from "../testing/transport.ts";
import { ReadOnly } from "../ui/base/read-only.ts";
import { GuaranteesPage } from "./guarantees-page.tsx";
import { dayAfter } from "./suspension-days.ts";

vi.setConfig({ testTimeout: 60_000 });
beforeEach(signIn);

const NEVER = "Role CI runner must never reach role Database";
const ALWAYS = "Every host must always reach subnet 10.0.8.0/22";

const serve = (guarantees = [failingGuarantee, suspendedGuarantee]) =>
  transport()
    .on(listRoles, () => page([role, ciRunner, database]))
    .on(listNetworksV2, () => page([network]))
    .on(listGuarantees, () => page(guarantees));

const open = (at = "/guarantees") => renderPage(<GuaranteesPage />, { route: "/guarantees", at });
const row = async (name: string) => (await screen.findByRole("link", { name })).closest("tr")!;

it("shows each guarantee as a sentence with its state, pairs and rejected changes", async () => {
  serve([{ ...guarantee, networkID: network.id }, suspendedGuarantee]);
  open();
  const holding = within(await row(NEVER));
  expect(holding.getByRole("link", { name: NEVER }).getAttribute("href")).toBe(
    `/guarantees/${guarantee.id}/edit`,
  );
  expect(holding.getByText("Holds")).toBeDefined();
  expect(holding.getByText("144")).toBeDefined();
  expect(await holding.findByText("All TCP ports · Production")).toBeDefined();
  const suspended = within(await row(ALWAYS));
  expect(
    suspended.getByText(
      /^TCP 443 \(HTTPS\) · All networks · Suspended until November 20: “Cache migration”$/,
    ),
  ).toBeDefined();
  expect(suspended.getByText(/^Suspended, \d+ (day|hour)s? left$/)).toBeDefined();
  expect(suspended.getByRole("link", { name: "2 rejected changes" }).getAttribute("href")).toBe(
    `/logs/audit?filter.targetID=${suspendedGuarantee.id}&filter.action=REJECTED_CHANGE&filter.time=30d`,
  );
  expect(document.title).toBe("Guarantees - Lightkeeper");
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Guarantees · 2");
});

it("opens a failing guarantee with one pair that breaks it", async () => {
  serve();
  open();
  await row(NEVER);
  expect(screen.getByText(/^Failing for \d+ (day|hour)s?$/)).toBeDefined();
  const broken = (await screen.findByText("ci-1")).closest("tr")!;
  expect(broken.textContent).toContain(
    "1 of 144 pairs breaks the guarantee: ci-1 can reach db-1 on TCP 5432 (PostgreSQL), allowed by tag debug:verbose, rule 1.",
  );
  expect(within(broken).getByRole("link", { name: "Review rule" }).getAttribute("href")).toBe(
    "/tags/debug%3Averbose",
  );
});

it("says which connection is missing if no rule allows it", async () => {
  const { counterexample } = failingGuarantee;
  serve([{ ...failingGuarantee, counterexample: { ...counterexample!, rule: null } }]);
  open();
  await row(NEVER);
  const broken = (await screen.findByText("ci-1")).closest("tr")!;
  expect(broken.textContent).toContain(
    "ci-1 can’t reach db-1 on TCP 5432 (PostgreSQL). No rule allows the connection.",
  );
  const { href } = within(broken).getByRole<HTMLAnchorElement>("link", { name: "Check access" });
  expect(href).toMatch(/\/access\?source=host-C+&destination=host-D+&protocol=TCP&port=5432$/);
});

it("keeps search and filters in the URL", async () => {
  const api = serve();
  const { user, path } = open();
  await row(NEVER);
  await user.type(screen.getByRole("searchbox"), "data");
  await waitFor(() => expect(path()).toBe("/guarantees?filter.search=data"));
  await user.click(screen.getByRole("button", { name: "State" }));
  await user.click(await screen.findByRole("option", { name: "Failing" }));
  await waitFor(() => expect(path()).toBe("/guarantees?filter.search=data&filter.state=failing"));
  await waitFor(() =>
    expect(api.calls(listGuarantees).at(-1)?.query).toMatchObject({
      "filter.search": "data",
      "filter.state": "failing",
    }),
  );
});

it("says that nothing matches and clears the filters", async () => {
  serve().on(listGuarantees, ({ query }) => page(query["filter.state"] ? [] : [guarantee]));
  const { user, path } = open("/guarantees?filter.state=noHosts");
  expect(await screen.findByText("No guarantee matches the filters.")).toBeDefined();
  await user.click(screen.getAllByRole("button", { name: "Clear" }).at(-1)!);
  expect(await row(NEVER)).toBeDefined();
  expect(path()).toBe("/guarantees");
});

it("shows what failed and retries", async () => {
  const api = serve().on(listGuarantees, () => {
    throw failure("ERR_UNAVAILABLE", {}, "request-9");
  });
  const { user } = open();
  expect((await screen.findByRole("alert")).textContent).toContain("request-9");
  api.on(listGuarantees, () => page([guarantee]));
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(await row(NEVER)).toBeDefined();
});

it("moves between guarantees by keyboard and skips the pairs below them", async () => {
  serve();
  const stopListening = listenForShortcuts();
  const { user, path } = open();
  await row(NEVER);
  await user.keyboard("jj");
  expect(document.activeElement?.textContent).toBe(ALWAYS);
  await user.keyboard("k");
  expect(document.activeElement?.textContent).toBe(NEVER);
  await user.keyboard("e");
  expect(path()).toBe(`/guarantees/${failingGuarantee.id}/edit`);
  stopListening();
});

async function chooseAction(sentence: string, action: string) {
  const rendered = open();
  await row(sentence);
  await rendered.user.click(screen.getByRole("button", { name: `Actions for ${sentence}` }));
  await rendered.user.click(await screen.findByRole("menuitem", { name: action }));
  return rendered;
}

it("suspends a guarantee with a reason until the end of a day", async () => {
  const api = serve().on(suspendGuarantee, () => suspendedGuarantee);
  const { user } = await chooseAction(NEVER, "Suspend…");
  const dialog = within(await screen.findByRole("dialog"));
  await user.click(dialog.getByRole("button", { name: "Suspend" }));
  expect(await dialog.findByText(/^Enter a reason/)).toBeDefined();
  await user.type(dialog.getByLabelText("Reason"), " Migration ");
  fireEvent.change(dialog.getByLabelText("Until the end of"), { target: { value: dayAfter(90) } });
  await user.click(dialog.getByRole("button", { name: "Suspend" }));
  expect(await dialog.findByText("Choose a date in the next 90 days.")).toBeDefined();
  fireEvent.change(dialog.getByLabelText("Until the end of"), { target: { value: dayAfter(3) } });
  await user.click(dialog.getByRole("button", { name: "Suspend" }));
  expect(await screen.findByText(/^Guarantee suspended until /)).toBeDefined();
  const [call] = api.calls(suspendGuarantee);
  expect(call?.params).toEqual({ guaranteeID: failingGuarantee.id });
  expect(call?.body.reason).toBe("Migration");
  expect(new Date(call!.body.until).getHours()).toBe(23);
});

it("resumes a suspended guarantee", async () => {
  const api = serve().on(resumeGuarantee, () => guarantee);
  await chooseAction(ALWAYS, "Resume");
  expect(await screen.findByText("Guarantee resumed")).toBeDefined();
  expect(api.calls(resumeGuarantee)[0]?.params).toEqual({ guaranteeID: suspendedGuarantee.id });
});

it("deletes a guarantee after a confirmation", async () => {
  const api = serve().on(deleteGuarantee, () => ({}));
  const { user } = await chooseAction(NEVER, "Delete…");
  const dialog = within(await screen.findByRole("alertdialog"));
  expect(dialog.getByText(new RegExp(`^${NEVER}\\.`))).toBeDefined();
  await user.click(dialog.getByRole("button", { name: "Delete guarantee" }));
  expect(await screen.findByText("Guarantee deleted")).toBeDefined();
  expect(api.calls(deleteGuarantee)[0]?.params).toEqual({ guaranteeID: failingGuarantee.id });
});

it("suggests guarantees from the roles, with whether they hold today", async () => {
  serve([]).on(checkGuarantee, ({ body }) => ({
    state: body.type === "MUST_REACH" ? ("holds" as const) : ("failing" as const),
    pairCount: 1,
    brokenPairCount: 0,
    counterexample: null,
  }));
  const { user, path } = open();
  expect(await screen.findByRole("heading", { name: "No guarantees yet" })).toBeDefined();
  const never = await screen.findByRole("link", { name: NEVER });
  expect(screen.getByRole("link", { name: "Role Web must always reach role Database" })).toBeDefined();
  expect(await screen.findByText("Holds today")).toBeDefined();
  expect(await screen.findByText("Doesn’t hold today")).toBeDefined();
  await user.click(never);
  expect(path()).toBe(
    `/guarantees/add?type=MUST_NEVER_REACH&source=role%3A${ciRunner.id}&destination=role%3A${database.id}&protocol=TCP&ports=any`,
  );
});

it("shows auditors everything without actions", async () => {
  serve();
  renderPage(
    <ReadOnly value>
      <GuaranteesPage />
    </ReadOnly>,
    { route: "/guarantees" },
  );
  await row(NEVER);
  expect(await screen.findByText("ci-1")).toBeDefined();
  expect(screen.getByRole("link", { name: "Review rule" })).toBeDefined();
  expect(screen.queryByRole("link", { name: "Add guarantee" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Suspend…" })).toBeNull();
  expect(screen.queryByRole("button", { name: /^Actions for/ })).toBeNull();
});
