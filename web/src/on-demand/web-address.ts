/** Throws unless the URL is http or https: the organization's settings could contain a `javascript:` URL. */
export function webAddress(text: string): string {
  if (/^https?:\/\//i.test(text)) return text;
  throw new Error("The identity provider’s URL isn’t a web address. Contact your administrator.");
}
