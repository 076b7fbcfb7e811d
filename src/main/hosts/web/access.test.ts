import { describe, expect, test } from 'vitest';
import { findRefusal, isOwnHost, isOwnOrigin, tokenOf } from './access.ts';

describe('who may talk to the web host', () => {
  test.each(['127.0.0.1:8787', 'localhost', 'LOCALHOST:1', '[::1]:8787'])(
    '%s is its own address',
    (header) => {
      expect(isOwnHost(header, '127.0.0.1')).toBe(true);
    },
  );

  test.each([
    undefined,
    '',
    'evil.example',
    'localhost.evil.example:8787',
    '127.0.0.1.evil.example',
    'evil.example@127.0.0.1',
    '127.0.0.1:8787/x',
    '10.0.0.5:8787',
    '[::2]',
    ':8787',
  ])('%s is not, on loopback', (header) => {
    expect(isOwnHost(header, '127.0.0.1')).toBe(false);
  });

  test('bound beyond loopback, address literals and the bound name are its own, other names are not', () => {
    expect(isOwnHost('10.0.0.5:8787', '0.0.0.0')).toBe(true);
    expect(isOwnHost('[fd00::5]:8787', '::')).toBe(true);
    expect(isOwnHost('builder.lan:8787', 'builder.lan')).toBe(true);
    expect(isOwnHost('evil.example', '0.0.0.0')).toBe(false);
  });

  test('a page must come from the very address that it talks to; programs send no origin', () => {
    expect(isOwnOrigin(undefined, 'localhost:1')).toBe(true);
    expect(isOwnOrigin('http://localhost:1', 'localhost:1')).toBe(true);
    for (const origin of ['http://localhost:2', 'http://127.0.0.1:1', 'https://localhost:1', 'null', '']) {
      expect(isOwnOrigin(origin, 'localhost:1')).toBe(false);
    }
  });

  test('a wrong Bearer token is not saved by a right one in the query', () => {
    const claims = {
      hostHeader: 'localhost',
      origin: undefined,
      authorization: 'Bearer no',
      queryToken: 'yes',
    };
    expect(tokenOf(claims)).toBe('no');
    expect(tokenOf({ ...claims, authorization: undefined })).toBe('yes');
    expect(tokenOf({ ...claims, authorization: 'bearer Yes' })).toBe('Yes');
  });

  test('an unknown token is refused, and where none is needed its own address is enough', () => {
    const claims = {
      hostHeader: 'localhost',
      origin: undefined,
      authorization: undefined,
      queryToken: undefined,
    };
    expect(findRefusal(claims, '127.0.0.1', 'unknown')?.status).toBe(401);
    expect(findRefusal(claims, '127.0.0.1', 'known')).toBeUndefined();
    expect(findRefusal(claims, '127.0.0.1', 'not needed')).toBeUndefined();
    expect(findRefusal({ ...claims, hostHeader: 'evil' }, '127.0.0.1', 'known')?.status).toBe(403);
  });
});
