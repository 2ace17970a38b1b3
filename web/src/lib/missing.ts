import { MissingEntityError, NotFoundError } from "@lightkeeper/contract";
import { isRouteErrorResponse } from "react-router";

/** Whether the error means that a page or its object doesn't exist. */
export const isMissing = (error: unknown): boolean =>
  error instanceof NotFoundError ||
  error instanceof MissingEntityError ||
  (isRouteErrorResponse(error) && error.status === 404);
