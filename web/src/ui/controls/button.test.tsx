import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { expect, it, vi } from "vitest";
import { Button, LinkButton } from "./button.tsx";

it("is a button that doesn't submit by default", async () => {
  const submit = vi.fn<(event: Event) => void>((event) => event.preventDefault());
  render(
    <form onSubmit={(event) => submit(event.nativeEvent)}>
      <Button>Plain</Button>
      <Button type="submit">Send</Button>
    </form>,
  );
  await userEvent.click(screen.getByRole("button", { name: "Plain" }));
  expect(submit).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole("button", { name: "Send" }));
  expect(submit).toHaveBeenCalledTimes(1);
});

it("keeps its label and its focus while pending, and ignores clicks and Enter", async () => {
  const click = vi.fn<() => void>();
  const submit = vi.fn<() => void>();
  render(
    <form onSubmit={submit}>
      <input aria-label="Name" />
      <Button type="submit" pending onClick={click}>
        Save
      </Button>
    </form>,
  );
  const button = screen.getByRole("button", { name: "Save" });
  expect(button.getAttribute("aria-disabled")).toBe("true");
  expect(button.getAttribute("aria-busy")).toBe("true");
  await userEvent.click(button);
  expect(document.activeElement).toBe(button);
  await userEvent.type(screen.getByRole("textbox"), "x{Enter}");
  expect(click).not.toHaveBeenCalled();
  expect(submit).not.toHaveBeenCalled();
});

it("is a real link if it has a target", () => {
  render(
    <MemoryRouter>
      <LinkButton to="/add" variant="primary">
        Add
      </LinkButton>
    </MemoryRouter>,
  );
  expect(screen.getByRole("link", { name: "Add" }).getAttribute("href")).toBe("/add");
});
