/** Bodies of requests to Stripe. */
export type Form = { [key: string]: string | Form };

/** Parses nested names such as `a[b][0][c]=d`. */
export function parseForm(text: string): Form {
  const form: Form = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/[[\]]+/).filter((part) => part !== "");
    let target = form;
    for (const part of path.slice(0, -1)) target = (target[part] ??= {}) as Form;
    target[path.at(-1) ?? ""] = value;
  }
  return form;
}

export const toText = (value: string | Form | undefined) => (typeof value === "string" ? value : "");
export const toForm = (value: string | Form | undefined) => (typeof value === "object" ? value : {});
