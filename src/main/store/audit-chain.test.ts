import { describe, expect, it } from 'vitest';
import { type AuditEntry, type AuditRow, chainHash, FIRST, findTampering } from './audit-chain.ts';

const entry = (subject: string): AuditEntry => ({
  at: 1,
  who: 'ada',
  via: 'command line',
  action: 'submit',
  repoId: 'r',
  subject,
  text: '',
});

function chain(...subjects: string[]): AuditRow[] {
  let previous = FIRST;
  return subjects.map((subject, index) => {
    const hash = chainHash(index + 1, previous, entry(subject));
    const row = { ...entry(subject), seq: index + 1, previous, hash };
    previous = hash;
    return row;
  });
}

describe('the chain of the audit log', () => {
  const rows = chain('A', 'B', 'C');
  const [a, b, c] = rows as [AuditRow, AuditRow, AuditRow];

  it('holds as it was written', () => {
    expect(findTampering(rows, 3)).toBeUndefined();
    expect(findTampering([], 0)).toBeUndefined();
  });

  it.each([
    ['changed text', [a, { ...b, text: 'nothing' }, c], 'entry 2 was changed'],
    ['another person', [{ ...a, who: 'eve' }, b, c], 'entry 1 was changed'],
    ['a row taken out', [a, c], 'entry 2 is missing'],
    [
      'a row taken out and numbers mended',
      [a, { ...c, seq: 2 }],
      'entry 2 does not follow the one before it',
    ],
    ['the end cut off', [a, b], '3 entries were written, and 2 are here'],
    ['everything gone', [], '3 entries were written, and 0 are here'],
    ['rows in another order', [b, a, c], 'entry 1 is missing'],
  ])('shows %s', (_, found, why) => {
    expect(findTampering(found, 3)).toBe(why);
  });

  it('shows a row that was written anew with its own hash: the next one knows better', () => {
    const forged = { ...b, text: 'forged', hash: chainHash(2, b.previous, { ...b, text: 'forged' }) };
    expect(findTampering([a, forged, c], 3)).toBe('entry 3 does not follow the one before it');
  });
});
