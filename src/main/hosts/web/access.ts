import { isIP } from 'node:net';

/** What a request says about itself, as far as access depends on it. */
export interface Claims {
  hostHeader: string | undefined;
  origin: string | undefined;
  authorization: string | undefined;
  queryToken: string | undefined;
}

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Pure: is the Host header one of ours? A foreign name that resolves to this machine (DNS rebinding) is not; on a
 * host bound beyond loopback any address literal is, since no name had to be resolved for it. The port is free, so
 * that a forwarded port works.
 */
export function isOwnHost(hostHeader: string | undefined, boundHost: string): boolean {
  const match = /^(\[[0-9a-f:.]+\]|[^:/@?#\s]+)(?::\d{1,5})?$/i.exec(hostHeader ?? '');
  const name = match?.[1]?.toLowerCase();
  if (!name) return false;
  if (LOOPBACK_NAMES.includes(name)) return true;
  const bound = boundHost.toLowerCase();
  if (name === bound || name === `[${bound}]`) return true;
  return !isLoopback(boundHost) && isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}

/** Pure: programs send no Origin; a page's must be the very address that it was loaded from. */
export function isOwnOrigin(origin: string | undefined, hostHeader: string | undefined): boolean {
  return origin === undefined || origin === `http://${hostHeader}`;
}

/** Pure: the token that a request brings. One in the header is the one that counts, right or wrong. */
export const tokenOf = ({ authorization, queryToken }: Claims): string | undefined =>
  /^Bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? queryToken;

/** Pure. Undefined: welcome. Otherwise the HTTP status and a sentence that says what is wrong. */
export function findRefusal(
  claims: Claims,
  boundHost: string,
  token: 'known' | 'unknown' | 'not needed',
): { status: number; message: string } | undefined {
  if (!isOwnHost(claims.hostHeader, boundHost)) {
    return { status: 403, message: 'This address is not served here: use the one that Headway printed.' };
  }
  if (!isOwnOrigin(claims.origin, claims.hostHeader)) {
    return { status: 403, message: 'Pages of other origins have no access.' };
  }
  if (token !== 'unknown') return undefined;
  return {
    status: 401,
    message: 'The token is missing or wrong: use the address that Headway printed, or a Bearer token.',
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}
