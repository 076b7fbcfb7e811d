import { describe, expect, it } from 'vitest';
import { createTextRedactor } from './redaction.ts';

const TOKEN = `ghp_${'Ab1'.repeat(12)}`;
const OWN = 'not-like-any-known-kind';

describe('what is stored or sent whole', () => {
  const redact = createTextRedactor([OWN, 'short']);

  it('loses its secrets and nothing around them', () => {
    expect(redact.text(`fetch https://x:${OWN}@host/a.git: größer ${TOKEN} – end`)).toBe(
      'fetch https://x:[redacted]@host/a.git: größer ghp_[redacted] – end',
    );
    expect(redact.text('git@github.com:acme/demo.git, short and “plain”')).toBe(
      'git@github.com:acme/demo.git, short and “plain”',
    );
  });

  it('is redacted where the secret is the whole text, or its end', () => {
    expect(redact.text(TOKEN)).toBe('ghp_[redacted]');
    expect(redact.text(`say ${OWN}`)).not.toContain(OWN);
    expect(redact.text(Buffer.from(`x:${OWN}`).toString('base64'))).not.toContain(
      Buffer.from(OWN).toString('base64').slice(4, 20),
    );
  });

  it('is redacted as soon as a secret is known', () => {
    const secrets: string[] = [];
    const later = createTextRedactor(secrets);
    expect(later.text('say later-known')).toBe('say later-known');
    secrets.push('later-known');
    expect(later.text('say later-known')).not.toContain('later-known');
  });

  it('is looked through once where rows never change, and again with another secret', () => {
    const secrets = [OWN];
    const later = createTextRedactor(secrets);
    const rows = [{ why: `say ${OWN}` }, { why: 'say later-known' }];
    const [first, second] = later.rows(rows);
    expect(first).not.toBe(rows[0]);
    expect(JSON.stringify(first)).not.toContain(OWN);
    expect(second).toBe(rows[1]);
    expect(later.rows(rows)[0]).toBe(first);
    secrets.push('later-known');
    expect(later.rows(rows)[1]).not.toBe(rows[1]);
  });

  it('is redacted as deep as a value goes, and is the same value where nothing is secret', () => {
    const value = { code: 'gate-red', steps: [{ tail: `key ${TOKEN}`, ms: 3 }], at: undefined };
    expect(redact.value(value)).toEqual({
      ...value,
      steps: [{ tail: 'key ghp_[redacted]', ms: 3 }],
    });
    const plain = { a: ['x', { b: 1 }], c: null };
    expect(redact.value(plain)).toBe(plain);
  });
});
