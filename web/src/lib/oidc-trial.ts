/** A trial sign-in goes on in a tab of its own, so that the form it is for stays as it is. */
import type { Output, verifyOidcTrial } from "@lightkeeper/contract";
import { useEffect, useState } from "react";

const OIDC_TRIAL = "oidcTrial";
const OUTCOMES = "lightkeeper-oidc-trial";

interface OidcTrial {
  state: string;
  oidcRequestToken: string;
}

const stateIn = (address: string) => new URL(address).searchParams.get("state") ?? "";

export function rememberOidcTrial(oidcRequestToken: string, redirectURL: string): void {
  const trial: OidcTrial = { state: stateIn(redirectURL), oidcRequestToken };
  localStorage.setItem(OIDC_TRIAL, JSON.stringify(trial));
}

/** The token of the trial that comes back at this address, if one does. */
export function oidcTrialAt(address: string): string | undefined {
  const trial = JSON.parse(localStorage.getItem(OIDC_TRIAL) ?? "null") as OidcTrial | null;
  return trial && trial.state !== "" && trial.state === stateIn(address) ? trial.oidcRequestToken : undefined;
}

export function forgetOidcTrial(): void {
  localStorage.removeItem(OIDC_TRIAL);
}

export type OidcTrialResult = Output<typeof verifyOidcTrial>;

interface Outcome {
  oidcRequestToken: string;
  result: OidcTrialResult;
}

/** Sends the result to the tab whose form started the trial. */
export function reportOidcTrial(outcome: Outcome): void {
  if (typeof BroadcastChannel === "undefined") return;
  const otherTabs = new BroadcastChannel(OUTCOMES);
  otherTabs.postMessage(outcome);
  otherTabs.close();
}

/** The result of the trial with this token, once its tab has reported it. */
export function useOidcTrialResult(oidcRequestToken: string | undefined): OidcTrialResult | undefined {
  const [outcome, setOutcome] = useState<Outcome>();
  useEffect(() => {
    if (typeof BroadcastChannel === "undefined") return undefined;
    const otherTabs = new BroadcastChannel(OUTCOMES);
    otherTabs.addEventListener("message", ({ data }: MessageEvent<Outcome>) => setOutcome(data));
    return () => otherTabs.close();
  }, []);
  return outcome?.oidcRequestToken === oidcRequestToken ? outcome?.result : undefined;
}
