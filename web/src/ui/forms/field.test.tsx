import { fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useForm } from "react-hook-form";
import { expect, it, vi } from "vitest";
import { Button } from "../controls/button.tsx";
import { Checkbox } from "./checkbox.tsx";
import { CodeInput } from "./code-input.tsx";
import { Field, NumberInput, TextInput } from "./field.tsx";
import { RadioCard, RadioGroup } from "./radio-group.tsx";

function describedBy(element: HTMLElement) {
  return document.getElementById(element.getAttribute("aria-describedby") ?? "");
}

it("labels its control and describes it with the hint", () => {
  render(
    <Field label="Name" hint="Unique.">
      <TextInput />
    </Field>,
  );
  const input = screen.getByLabelText("Name");
  expect(describedBy(input)?.textContent).toBe("Unique.");
  expect(input.hasAttribute("aria-invalid")).toBe(false);
});

it("replaces the hint with the error, announces it and marks the control", () => {
  render(
    <Field label="Name" hint="Unique." error="Already taken">
      <TextInput />
    </Field>,
  );
  const input = screen.getByLabelText("Name");
  expect(describedBy(input)).toBe(screen.getByRole("alert"));
  expect(screen.getByRole("alert").textContent).toBe("Already taken");
  expect(screen.queryByText("Unique.")).toBeNull();
  expect(input.getAttribute("aria-invalid")).toBe("true");
});

it("connects the errors of checkboxes and radio groups as well", () => {
  render(
    <>
      <Checkbox label="Saved" error="Please confirm" />
      <RadioGroup label="Plan" error="Choose a plan">
        <RadioCard name="plan" value="free" label="Free" description="Up to 100" />
      </RadioGroup>
    </>,
  );
  expect(describedBy(screen.getByRole("checkbox", { name: "Saved" }))?.textContent).toBe("Please confirm");
  expect(describedBy(screen.getByRole("group", { name: "Plan" }))?.textContent).toBe("Choose a plan");
  const radio = screen.getByRole("radio", { name: "Free" });
  expect(describedBy(radio)?.textContent).toBe("Up to 100");
});

it("removes the focus from a number input on scroll [S5.9]", async () => {
  render(
    <Field label="Port">
      <NumberInput defaultValue={4242} />
    </Field>,
  );
  const input = screen.getByLabelText("Port");
  await userEvent.click(input);
  expect(document.activeElement).toBe(input);
  fireEvent.wheel(input, { deltaY: 100 });
  expect(document.activeElement).not.toBe(input);
});

it("keeps the six digits of a pasted code and reports when it is complete", async () => {
  const complete = vi.fn<(code: string) => void>();
  render(
    <Field label="Code">
      <CodeInput onComplete={complete} />
    </Field>,
  );
  const input = screen.getByLabelText<HTMLInputElement>("Code");
  await userEvent.click(input);
  await userEvent.paste(" 123 4567");
  expect(input.value).toBe("123456");
  expect(complete).toHaveBeenCalledWith("123456");
  expect(input.autocomplete).toBe("one-time-code");
  expect(input.inputMode).toBe("numeric");
});

interface Values {
  name: string;
  port: number;
  code: string;
  saved: boolean;
  plan: string;
}

function SampleForm({ onSubmit }: { onSubmit: (values: Values) => void }) {
  const { register, handleSubmit, formState } = useForm<Values>();
  return (
    <form onSubmit={(event) => void handleSubmit(onSubmit)(event)}>
      <Field label="Name" error={formState.errors.name?.message}>
        <TextInput {...register("name", { required: "A name is needed" })} />
      </Field>
      <Field label="Port">
        <NumberInput {...register("port", { valueAsNumber: true })} />
      </Field>
      <Field label="Code">
        <CodeInput {...register("code")} />
      </Field>
      <Checkbox label="Saved" {...register("saved")} />
      <RadioGroup label="Plan">
        <RadioCard value="free" label="Free" {...register("plan")} />
        <RadioCard value="pro" label="Pro" {...register("plan")} />
      </RadioGroup>
      <Button type="submit">Send</Button>
    </form>
  );
}

it("works with react-hook-form, which focuses the first field in error", async () => {
  const user = userEvent.setup();
  const submit = vi.fn<(values: Values) => void>();
  render(<SampleForm onSubmit={(values) => submit(values)} />);
  await user.click(screen.getByRole("button", { name: "Send" }));
  expect((await screen.findByRole("alert")).textContent).toBe("A name is needed");
  expect(document.activeElement).toBe(screen.getByLabelText("Name"));

  await user.type(screen.getByLabelText("Name"), "production");
  await user.type(screen.getByLabelText("Port"), "4242");
  await user.type(screen.getByLabelText("Code"), "12 34-56");
  await user.click(screen.getByLabelText("Saved"));
  await user.click(screen.getByRole("radio", { name: "Pro" }));
  await user.click(screen.getByRole("button", { name: "Send" }));
  expect(submit).toHaveBeenCalledWith({
    name: "production",
    port: 4242,
    code: "123456",
    saved: true,
    plan: "pro",
  });
});
