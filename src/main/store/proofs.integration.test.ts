import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { Proof } from '../../shared/gate-report.ts';
import { openSqliteStore } from './sqlite/sqlite-store.ts';

const root = mkdtempSync(join(tmpdir(), 'headway-proofs-'));
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

it('keeps a proof under what it holds for, and finds the newest of a repository', async () => {
  await using store = openSqliteStore(join(root, 'headway.db'));
  const proof = (key: string, at: number): Proof => ({
    path: '/r',
    repoId: 'r',
    commit: 'c',
    key,
    at,
    ms: 1,
    gateRuns: 1,
    provable: true,
    reason: '',
    cells: [],
    restored: true,
  });
  await store.proofs.put(proof('old', 1));
  await store.proofs.put(proof('new', 2));
  await store.proofs.put(proof('old', 3));
  expect(await store.proofs.get('r', 'old')).toEqual(proof('old', 3));
  expect(await store.proofs.get('r', 'other')).toBeUndefined();
  expect(await store.proofs.latest('r')).toEqual(proof('old', 3));
  expect(await store.proofs.latest('q')).toBeUndefined();
});
