/**
 * Chromium knows no schemes of ours, so `app://headway/x` is `http://headway.app.localhost/x` in the page. All its
 * requests are answered by the stand-in, so nothing is ever looked up.
 */
export function toPageUrl(url: string): string {
  const match = /^([a-z]+):\/\/([^/]+)(\/.*)?$/.exec(url);
  const [, scheme, host, path = '/'] = match ?? [];
  return scheme && scheme !== 'http' && scheme !== 'https'
    ? `http://${host}.${scheme}.localhost${path}`
    : url;
}

export function toAppUrl(url: string): string {
  return url.replace(/^http:\/\/([^./]+)\.([a-z]+)\.localhost\//, '$2://$1/');
}
