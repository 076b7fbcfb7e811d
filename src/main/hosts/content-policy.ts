/**
 * Content-Security-Policy of the interface: it runs its own scripts and talks to its own host, nothing else.
 * Styles may be inline since xterm writes style elements of its own.
 */
export function contentPolicy(connectTo: readonly string[] = []): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    ["connect-src 'self'", ...connectTo].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
