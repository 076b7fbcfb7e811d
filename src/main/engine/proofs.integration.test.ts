import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProofState } from '../../shared/contract.ts';
import { resolveHome } from '../settings/home.ts';
import { written } from '../testing/written.ts';
import { type Engine, openEngine } from './engine.ts';

let root: string;
let engine: Engine;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'headway-proofs-'));
  engine = await openEngine({ home: resolveHome({ HEADWAY_HOME: join(root, 'home') }) });
});
afterEach(async () => {
  await engine.stop();
  rmSync(root, { recursive: true, force: true });
});

const CONTEXT = { kind: 'in-process' } as const;

async function repository(files: Record<string, string>): Promise<string> {
  const dir = join(root, 'repo');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '-A'],
    ['-c', 'user.name=T', '-c', 'user.email=t@example.invalid', 'commit', '-q', '-m', 'x'],
  ]) {
    execFileSync('git', ['-C', dir, ...args]);
  }
  return (await engine.api.handlers['repository.add']({ path: dir }, CONTEXT)).id;
}

const FILES = {
  'package.json':
    '{"name":"x","private":true,"type":"module","scripts":{"test":"node --test src","test:more":"node --test more"}}',
  'src/a.js': 'export const bigger = (a, b) => a > b;\n',
  'src/a.test.js':
    "import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { bigger } from './a.js';\ntest('a', () => assert.ok(bigger(2, 1)));\n",
  'more/b.test.js': "import { test } from 'node:test';\ntest('b', () => {});\n",
};

describe.runIf(process.platform !== 'win32')('the gate behind the contract', () => {
  it('audits, wires a script with one request and keeps the agreement, and accepts with a reason', async () => {
    const repoId = await repository(FILES);
    const { handlers } = engine.api;
    const before = await handlers['gate.audit']({ repoId }, CONTEXT);
    expect(before.findings.map(({ kind }) => kind)).toEqual(['script-not-wired']);
    // TypeScript reads whole repositories without pause: not on the thread that everybody waits for.
    const loaded = Object.keys(createRequire(import.meta.url).cache);
    expect(loaded.filter((path) => /node_modules.typescript./.test(path))).toEqual([]);
    const fixed = await handlers['gate.fix']({ repoId }, CONTEXT);
    expect(fixed.added).toEqual([{ name: 'test:more', run: 'npm run test:more' }]);
    expect(fixed.audit.findings).toEqual([]);
    expect(readFileSync(fixed.file, 'utf8')).toContain('npm run test:more');
    const [known] = engine.parts.repositories.list();
    const inspected = await handlers['repository.inspect']({ path: known?.path ?? '' }, CONTEXT);
    expect(inspected).toMatchObject({ trusted: true, gateSource: 'user' });

    const reason = 'kept for later';
    await handlers['gate.accept']({ repoId, finding: 'focused-tests', reason }, CONTEXT);
    expect(readFileSync(fixed.file, 'utf8')).toContain(reason);
  });

  it('proves in the background, tells its course, and knows when the proof no longer holds', async () => {
    const repoId = await repository(FILES);
    const { handlers, onEvent } = engine.api;
    const ended = Promise.withResolvers<ProofState>();
    const states: ProofState[] = [];
    onEvent((event) => {
      if (event.name !== 'proof.changed') return;
      states.push(event.payload);
      if (!event.payload.running) ended.resolve(event.payload);
    });
    expect(await handlers['gate.proof']({ repoId }, CONTEXT)).toEqual({
      repoId,
      running: false,
      fresh: false,
    });
    expect((await handlers['gate.prove']({ repoId }, CONTEXT)).running).toBe(true);
    const state = await ended.promise;
    expect(state.error).toBeUndefined();
    expect(state).toMatchObject({ fresh: true, proof: { provable: true, restored: true } });
    expect(states.some(({ progress }) => progress === 'the gate as it is')).toBe(true);
    // One area alone is told beside the whole, and changes nothing about it.
    const part = Promise.withResolvers<ProofState>();
    const stop = onEvent((event) => {
      if (event.name === 'proof.changed' && !event.payload.running) part.resolve(event.payload);
    });
    expect(await handlers['gate.prove']({ repoId, area: 'src' }, CONTEXT)).toMatchObject({ area: 'src' });
    expect(await part.promise).toMatchObject({
      fresh: true,
      proof: { at: state.proof?.at },
      part: { area: 'src', proof: { provable: true } },
    });
    stop();
    await handlers['gate.fix']({ repoId }, CONTEXT);
    expect(await handlers['gate.proof']({ repoId }, CONTEXT)).toMatchObject({
      fresh: false,
      proof: { provable: true },
    });
  });

  it('is cancelled by a request, whose answer comes when the tree is put back', async () => {
    const begun = join(root, 'begun');
    // Waits only where something is broken.
    const wait = `import { readFileSync, writeFileSync } from 'node:fs';
if (readFileSync('src/a.js', 'utf8') !== ${JSON.stringify(FILES['src/a.js'])}) {
  writeFileSync(${JSON.stringify(begun)}, process.cwd());
  setInterval(() => {}, 1000);
}
console.log('looked at 1 file');
`;
    const repoId = await repository({
      ...FILES,
      'wait.mjs': wait,
      'headway.yaml': 'gate: [npm test, node wait.mjs]\n',
    });
    const { handlers } = engine.api;
    await handlers['gate.prove']({ repoId }, CONTEXT);
    const slot = await written(begun);
    expect(readFileSync(join(slot, 'src/a.js'), 'utf8')).not.toBe(FILES['src/a.js']);
    expect(await handlers['gate.cancelProof']({ repoId }, CONTEXT)).toEqual({
      repoId,
      running: false,
      fresh: false,
      error: 'The proof was cancelled; the tree is as it was.',
    });
    expect(readFileSync(join(slot, 'src/a.js'), 'utf8')).toBe(FILES['src/a.js']);
    expect(execFileSync('git', ['-C', slot, 'status', '--porcelain'], { encoding: 'utf8' })).toBe('');
    expect(await handlers['gate.cancelProof']({ repoId }, CONTEXT)).toMatchObject({ running: false });
  });

  it('runs by itself when a job waits for nothing else, and the job lands', async () => {
    const repoId = await repository({
      ...FILES,
      'more/b.test.js': '',
      'headway.yaml':
        'gate: [npm test]\nmerge: { proof: fresh }\naccept: [{ finding: unseen-break, files: [more], reason: x }, { finding: tests-never-run, reason: x }]\n',
    });
    const { handlers, onEvent } = engine.api;
    const causes: string[] = [];
    const merged = Promise.withResolvers<void>();
    onEvent((event) => {
      if (event.name !== 'job.changed') return;
      const { state, cause } = event.payload;
      if (state === 'held' && cause) causes.push(cause.code);
      if (state === 'merged') merged.resolve();
      if (state === 'failed') merged.reject(new Error(JSON.stringify(cause)));
    });
    const text =
      '---\nid: A\nagent: scripted\npaths: [src]\n---\nDo it.\n\n```headway\n- append: { path: src/a.js, content: "// A\\n" }\n```\n';
    await handlers['tickets.submit']({ repoId, files: [{ name: 'A.md', text }] }, CONTEXT);
    await merged.promise;
    expect(causes).toContain('needs-proof');
    expect(await engine.parts.store.proofs.latest(repoId)).toMatchObject({ provable: true });
    const [job] = engine.parts.scheduler.jobs();
    expect(job).toMatchObject({ attempts: 2 });
    expect(job?.approved).toBeUndefined();
  });
});
