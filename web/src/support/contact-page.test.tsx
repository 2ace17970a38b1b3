import { contactSupport, whoami } from "@lightkeeper/contract";
import { screen } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { renderPage, signIn } from "../testing/render.tsx";
import { auditor, organization } from "../testing/samples.ts";
import { failure, transport } from "../testing/transport.ts";
import { ReadOnly } from "../ui/base/read-only.ts";
import { ContactPage } from "./contact-page.tsx";

beforeEach(signIn);

/** As an auditor, who can contact support, too. */
const open = () =>
  renderPage(
    <ReadOnly value>
      <ContactPage />
    </ReadOnly>,
    { route: "/support/contact" },
  );
const support = () => transport().on(whoami, () => auditor);
const send = () => screen.getByRole("button", { name: "Send" });

it("shows what is included with the message, and confirms it [S2.17]", async () => {
  const api = support().on(contactSupport, () => ({}));
  const { user } = open();
  expect(document.title).toBe("Contact us - Lightkeeper");
  for (const text of ["ada@example.com, auditor, logged in by magic link", organization.id, "Free", "dev"])
    expect(await screen.findByText(text)).toBeDefined();
  await user.type(screen.getByLabelText("Subject"), " Tunnels ");
  await user.type(screen.getByLabelText("Message"), "They are slow.{Control>}{Enter}{/Control}");
  expect(await screen.findByRole("heading", { name: "Message sent" })).toBeDefined();
  expect(screen.getByText(/to ada@example\.com\.$/)).toBeDefined();
  expect(api.calls(contactSupport)[0]?.body).toEqual({ subject: "Tunnels", message: "They are slow." });
  await user.click(screen.getByRole("button", { name: "Send another message" }));
  expect(screen.getByLabelText<HTMLInputElement>("Subject").value).toBe("");
});

it("shows what is missing and that there were too many requests, and keeps the typed text [S8.7]", async () => {
  support().on(contactSupport, () => {
    throw failure("ERR_TOO_MANY_REQUESTS");
  });
  const { user } = open();
  await user.click(send());
  expect(await screen.findByText("Enter a subject (up to 200 characters).")).toBeDefined();
  expect(screen.getByText("Enter a message (up to 10,000 characters).")).toBeDefined();
  await user.type(screen.getByLabelText("Subject"), "Tunnels");
  await user.type(screen.getByLabelText("Message"), "They are slow.");
  await user.click(send());
  expect(await screen.findByText("Too many requests, please try again later.")).toBeDefined();
  expect(screen.getByLabelText<HTMLTextAreaElement>("Message").value).toBe("They are slow.");
});
