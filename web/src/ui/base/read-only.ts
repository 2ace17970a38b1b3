import { createContext, use } from "react";

/** True for auditors: controls that write are hidden. */
export const ReadOnly = createContext(false);

export const useReadOnly = (): boolean => use(ReadOnly);
