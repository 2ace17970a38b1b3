/** A trial sign-in goes on in a tab of its own, so that the form it is for stays as it is. */
const OIDC_TRIAL = "oidcTrial";

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
