import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JobLine, Place, scripted } from './testing/headway.ts';
import { landedUngated, recordingGate } from './testing/recording-gate.ts';

let place: Place;
let gate: ReturnType<typeof recordingGate>;
let repo: string;
let from: string;
beforeEach(() => {
  place = new Place();
  gate = recordingGate(place);
  repo = place.repository('repo', {
    'src/a.ts': 'a\n',
    'src/b.ts': 'b\n',
    'src/c.ts': `${Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n')}\n`,
  });
  from = place.git(repo, 'rev-parse', 'main');
});
afterEach(async () => {
  await place.close();
});

const append = (path: string, content: string) => ({ append: { path, content } });
const told = (name: string) => writeFileSync(join(place.root, `${name}.go`), '');
const untilTold = (name: string) => ({
  run: `touch ${place.root}/${name}.there; while [ ! -e ${place.root}/${name}.go ]; do sleep 0.05; done`,
});
const there = async (name: string): Promise<void> => {
  while (!existsSync(join(place.root, `${name}.there`))) await delay(20);
};
const start = (tickets: Record<string, string>, max: number, command = gate.command) =>
  place.start(
    'run',
    '--repo',
    repo,
    '--tickets',
    place.tickets('tickets', tickets),
    '--gate',
    command,
    '--max',
    String(max),
  );

describe('a job that wrote into the paths of another one in flight', () => {
  it('merges after it, also where it was submitted first, and is verified again on top of it', async () => {
    const running = start(
      {
        A: scripted({ id: 'A', paths: ['src/a.ts'] }, [
          untilTold('A'),
          append('src/a.ts', 'A\n'),
          append('src/c.ts', 'A\n'),
        ]),
        B: scripted({ id: 'B', paths: ['src/c.ts'] }, [
          untilTold('B'),
          { run: "{ printf 'B '; cat src/c.ts; } > new && mv new src/c.ts" },
        ]),
      },
      2,
    );
    await Promise.all([there('A'), there('B')]);
    told('A');
    const waiting = (await running.line(
      (line) => line.type === 'job' && (line as JobLine).cause?.code === 'waits-for-merge',
    )) as JobLine;
    expect([waiting.ticket, waiting.reason]).toEqual(['A', 'waits for B to merge']);
    expect(place.git(repo, 'rev-parse', 'main')).toBe(from);
    told('B');
    const result = await running.finished;
    expect(result.summary.A).toMatchObject({ state: 'merged', strayed: ['src/c.ts'], attempts: 1 });
    expect(result.summary.B).toMatchObject({ state: 'merged', strayed: [] });
    const merged = result.jobs.filter((line) => line.state === 'merged').map((line) => line.ticket);
    expect(merged).toEqual(['B', 'A']);
    const text = readFileSync(join(repo, 'src/c.ts'), 'utf8');
    expect(text).toMatch(/^B line 0\n.*line 39\nA\n$/s);
    expect(landedUngated(place, repo, from, gate.seen())).toEqual([]);
  });

  it('does not wait for ever where two wrote into each other', async () => {
    const running = start(
      {
        A: scripted({ id: 'A', paths: ['src/a.ts'] }, [
          untilTold('A'),
          append('src/a.ts', 'A\n'),
          { write: { path: 'src/b/from-a.ts', content: 'A\n' } },
        ]),
        B: scripted({ id: 'B', paths: ['src/b', 'src/b.ts'] }, [
          untilTold('B'),
          append('src/b.ts', 'B\n'),
          append('src/a.ts', ''),
          { run: 'chmod +x src/a.ts' },
        ]),
      },
      2,
    );
    await Promise.all([there('A'), there('B')]);
    told('A');
    told('B');
    const result = await running.finished;
    expect(result.summary.A).toMatchObject({ state: 'merged', strayed: ['src/b/from-a.ts'] });
    expect(result.summary.B).toMatchObject({ state: 'merged', strayed: ['src/a.ts'] });
    expect(landedUngated(place, repo, from, gate.seen())).toEqual([]);
  });

  it('keeps a queued job waiting whose paths it really touched', async () => {
    const blocked = place.write(
      'blocked-gate.sh',
      `${gate.command} && if grep -q A src/a.ts; then while [ ! -e ${place.root}/gate.go ]; do sleep 0.05; done; fi\n`,
    );
    const running = start(
      {
        A: scripted({ id: 'A', paths: ['src/a.ts'] }, [append('src/a.ts', 'A\n'), append('src/b.ts', 'A\n')]),
        X: scripted({ id: 'X', paths: ['src/x.ts'] }, [
          untilTold('X'),
          { write: { path: 'src/x.ts', content: 'X\n' } },
        ]),
        B: scripted({ id: 'B', paths: ['src/b.ts'], dependsOn: ['X'] }, [append('src/b.ts', 'B\n')]),
      },
      3,
      `sh ${blocked}`,
    );
    await running.line((line) => line.type === 'job' && line.ticket === 'A' && line.stage === 'gate');
    await there('X');
    told('X');
    const waiting = (await running.line(
      (line) =>
        line.type === 'job' && line.ticket === 'B' && (line as JobLine).cause?.code === 'path-conflict',
    )) as JobLine;
    expect(waiting).toMatchObject({ state: 'queued', reason: 'behind A: src/b.ts' });
    told('gate');
    const result = await running.finished;
    expect(['A', 'X', 'B'].map((id) => result.summary[id]?.state)).toEqual(['merged', 'merged', 'merged']);
    expect(readFileSync(join(repo, 'src/b.ts'), 'utf8')).toBe('b\nA\nB\n');
  });
});
