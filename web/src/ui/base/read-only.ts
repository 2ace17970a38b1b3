import { createContext, use } from "react";

/** Around pages of somebody who only reads: what writes is not offered. */
export const ReadOnly = createContext(false);

export const useReadOnly = (): boolean => use(ReadOnly);
