import { createHash, timingSafeEqual } from 'node:crypto';
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

/** Takes the time that it takes, whatever the token: digests of one length are compared, not the tokens. */
export function isToken(given: string | undefined, token: string): boolean {
  const digest = (value: string): Buffer => createHash('sha256').update(value).digest();
  return timingSafeEqual(digest(given ?? ''), digest(token)) && given !== undefined;
}

/** Pure but for the digest. Undefined: welcome. Otherwise the HTTP status and a sentence that says what is wrong. */
export function findRefusal(
  claims: Claims,
  own: { boundHost: string; token: string },
  needs: { token: boolean },
): { status: number; message: string } | undefined {
  if (!isOwnHost(claims.hostHeader, own.boundHost)) {
    return { status: 403, message: 'This address is not served here: use the one that Headway printed.' };
  }
  if (!isOwnOrigin(claims.origin, claims.hostHeader)) {
    return { status: 403, message: 'Pages of other origins have no access.' };
  }
  if (!needs.token) return undefined;
  const bearer = /^Bearer (.+)$/i.exec(claims.authorization ?? '')?.[1];
  if (isToken(bearer ?? claims.queryToken, own.token)) return undefined;
  return {
    status: 401,
    message: 'The token is missing or wrong: use the address that Headway printed, or a Bearer token.',
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}
