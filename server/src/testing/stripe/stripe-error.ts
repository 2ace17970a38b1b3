export class StripeError extends Error {
  readonly status: number;
  readonly type: string;
  readonly code: string | undefined;

  constructor(status: number, type: string, code?: string) {
    super(`${type} ${code ?? ""}`);
    this.status = status;
    this.type = type;
    this.code = code;
  }
}

export const missing = () => new StripeError(404, "invalid_request_error", "resource_missing");

export function getObject<T>(objects: Map<string, T>, id: string | undefined): T {
  const object = objects.get(id ?? "");
  if (!object) throw missing();
  return object;
}
