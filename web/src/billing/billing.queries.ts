import { getBilling, listInvoices } from "@lightkeeper/contract";
import { read } from "../lib/query.ts";

export const billingQuery = read(getBilling);
export const invoicesQuery = read(listInvoices);
