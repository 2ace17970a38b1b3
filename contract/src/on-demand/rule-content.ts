import * as z from "zod/mini";
import { RouteFirewallRule } from "../firewall-rules.ts";

/** A rule in an answer, which omits what is the default. Only rules of routes have `localCIDR`. */
export const RuleContent = z.extend(z.partial(RouteFirewallRule), {});
