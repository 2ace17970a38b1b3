/** The address comes from the organization's settings: anything but the web could run as script. */
export function webAddress(text: string): string {
  if (/^https?:\/\//i.test(text)) return text;
  throw new Error("The identity provider’s address is not a web address. Please contact your administrator.");
}
