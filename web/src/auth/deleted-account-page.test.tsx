import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderPage } from "../testing/render.tsx";
import { DeletedAccountPage } from "./deleted-account-page.tsx";

it("shows that the account is deleted and links to sign-up [S2.1]", () => {
  renderPage(<DeletedAccountPage />, { route: "/deleted-account" });
  expect(document.title).toBe("Account deleted - Lightkeeper");
  expect(screen.getByRole("heading", { name: "Your account was deleted" })).toBeDefined();
  expect(screen.getByRole("link", { name: "Sign up again" }).getAttribute("href")).toBe("/signup");
});
