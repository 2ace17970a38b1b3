import { render } from "@testing-library/react";
import { expect, it } from "vitest";
import { PageTitle } from "./title.ts";

it("titles a page with its name and the product's [S1.5]", () => {
  const { rerender } = render(<PageTitle>Networks</PageTitle>);
  expect(document.title).toBe("Networks - Lightkeeper");
  rerender(<PageTitle>Auth: Log in</PageTitle>);
  expect(document.title).toBe("Auth: Log in - Lightkeeper");
});
