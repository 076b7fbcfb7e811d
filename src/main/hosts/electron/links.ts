/**
 * Pure: the address to hand to the user's browser, or undefined where a link is none that a browser should get:
 * other schemes start programs, and credentials in an address serve to deceive.
 */
export function toExternalUrl(link: string): string | undefined {
  const url = URL.parse(link);
  if (!url || !['http:', 'https:'].includes(url.protocol)) return undefined;
  return url.username || url.password ? undefined : url.href;
}
