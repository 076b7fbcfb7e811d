import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '../../shared/domain.ts';
import type { SessionAttachment, SessionSink } from '../../shared/rpc/server.ts';
import { childEnvironment } from '../processes/environment.ts';
import { secretSamples } from '../redaction/testing/secret-samples.ts';
import { createSessionHub, type PtySession, type SessionHub } from './session-hub.ts';

const base = { kind: 'job' as const, repoId: 'r', title: 'a title' };

/** A reader that keeps what it gets, in a page of its own. `acks`: it acknowledges at once. */
function reader(hub: SessionHub, id: string, options: { acks: boolean }) {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let skipped = 0;
  let unacknowledged = 0;
  const ended = Promise.withResolvers<number | undefined>();
  let waiting: { needle: string; resolve(): void } | undefined;
  const text = (): string => Buffer.concat(chunks).toString('utf8');
  // The session writes before `attach` has returned.
  let attachment: SessionAttachment | undefined;
  const acknowledge = (): void => {
    if (!attachment) return;
    const count = unacknowledged;
    unacknowledged = 0;
    attachment.ack(count);
  };
  const sink: SessionSink = {
    data(piece, missing) {
      chunks.push(piece);
      bytes += piece.length;
      skipped += missing;
      unacknowledged += piece.length;
      if (waiting && text().includes(waiting.needle)) waiting.resolve();
      if (options.acks) acknowledge();
    },
    end: (exitCode) => ended.resolve(exitCode),
  };
  attachment = hub.attach(id, sink, {});
  if (options.acks) acknowledge();
  return {
    detach: () => attachment.detach(),
    text,
    ended: ended.promise,
    acknowledge,
    bytes: () => bytes,
    skipped: () => skipped,
    chunks,
    until: (needle: string): Promise<void> =>
      text().includes(needle)
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting = { needle, resolve };
          }),
  };
}

describe('createSessionHub', () => {
  let dir: string;
  let hub: SessionHub;
  let changes: Session[];
  let secrets: string[];
  const create = (): SessionHub =>
    createSessionHub({
      dir: join(dir, 'transcripts'),
      clock: { now: () => 1000 },
      onChange: (session) => changes.push(session),
      secrets: () => secrets,
    });
  const transcript = (id: string): Promise<Buffer> => readFile(join(dir, 'transcripts', `${id}.log`));

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'headway-hub-'));
    changes = [];
    secrets = [];
    hub = create();
  });
  afterEach(async () => {
    await hub.close();
    await rm(dir, { recursive: true, force: true });
  });

  it('shows a headless program live, to whoever comes in the middle from the beginning, and its end', async () => {
    const writer = hub.open({ ...base, id: 's1', jobId: 'j' });
    const first = reader(hub, 's1', { acks: true });
    writer.write(Buffer.from('one\n'));
    const second = reader(hub, 's1', { acks: true });
    writer.write(Buffer.from('two\n'));
    writer.title('another title');
    await writer.end(3);
    expect(await first.ended).toBe(3);
    expect(await second.ended).toBe(3);
    expect(first.text()).toBe('one\ntwo\n');
    expect(second.text()).toBe('one\ntwo\n');
    expect(changes.at(-1)).toMatchObject({
      state: 'exited',
      exitCode: 3,
      title: 'another title',
      jobId: 'j',
    });
    expect((await transcript('s1')).toString()).toBe('one\ntwo\n');
  });

  it('never waits for a slow reader of a headless program; the reader is told what it missed', async () => {
    const writer = hub.open({ ...base, id: 's1' });
    const slow = reader(hub, 's1', { acks: false });
    const line = Buffer.from(`${'é'.repeat(500)}\n`);
    for (let row = 0; row < 5000; row += 1) writer.write(line);
    await writer.end(0);
    const given = slow.bytes();
    expect(given).toBeLessThan(300_000);
    while (slow.bytes() + slow.skipped() < 5000 * line.length) slow.acknowledge();
    expect(await slow.ended).toBe(0);
    expect(slow.skipped()).toBeGreaterThan(0);
    expect(slow.chunks.every((chunk) => !Buffer.from(chunk).toString('utf8').includes('\ufffd'))).toBe(true);
    expect((await transcript('s1')).length).toBe(5000 * line.length);
  });

  it('replays the transcript of an earlier run, and says that what was live has ended', async () => {
    const writer = hub.open({ ...base, id: 's1' });
    writer.write(Buffer.from('kept\n'));
    await writer.end(4);
    const ended = hub.get('s1') as Session;
    const live: Session = { ...ended, id: 's2', state: 'live', exitCode: undefined };
    await hub.close();
    hub = create();
    hub.restore([ended, live]);
    const replayed = reader(hub, 's1', { acks: true });
    expect(await replayed.ended).toBe(4);
    expect(replayed.text()).toBe('kept\n');
    expect(await reader(hub, 's2', { acks: true }).ended).toBeUndefined();
    expect(hub.get('s2')?.state).toBe('exited');
  });

  it('refuses what does not exist and takes no input for what is no terminal', () => {
    hub.open({ ...base, id: 's1' });
    expect(() => hub.attach('nope', { data: () => undefined, end: () => undefined }, {})).toThrow(
      /no session 'nope'/,
    );
    expect(() => hub.input('s1', Buffer.from('x'))).toThrow(/takes no input/);
    expect(() => hub.open({ ...base, id: 's1' })).toThrow(/exists already/);
    expect(() => hub.open({ ...base, id: '../x' })).toThrow(/not usable/);
  });

  it('stores and shows no secret, however it is cut', async () => {
    const samples = secretSamples();
    secrets = ['a-very-secret-value'];
    const writer = hub.open({ ...base, id: 's1' });
    const open = reader(hub, 's1', { acks: true });
    const lines = [...samples.map((sample) => sample.line), 'say a-very-secret-value now'];
    for (const line of lines) {
      for (let cut = 1; cut < line.length; cut += 7) {
        writer.write(Buffer.from(line.slice(0, cut)));
        await new Promise((resolve) => setImmediate(resolve));
        writer.write(Buffer.from(`${line.slice(cut)}\n`));
      }
    }
    await writer.end(0);
    const stored = (await transcript('s1')).toString();
    expect(open.text()).toBe(stored);
    for (const { body } of samples) expect(stored).not.toContain(body.slice(0, 10));
    expect(stored).not.toContain('secret-value');
    expect(stored).toContain('say a-v[redacted] now');
  });
});

describe.runIf(process.platform !== 'win32')('a terminal in the hub', () => {
  let dir: string;
  let hub: SessionHub;
  const pty = (id: string, text: string, size = { cols: 80, rows: 24 }): Promise<PtySession> =>
    hub.openPty({
      ...base,
      ...size,
      id,
      kind: 'shell',
      command: { file: '/bin/sh', args: ['-c', text] },
      cwd: dir,
      env: childEnvironment(),
    });
  const transcript = (id: string): Promise<Buffer> => readFile(join(dir, 'transcripts', `${id}.log`));

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'headway-hub-'));
    hub = createSessionHub({
      dir: join(dir, 'transcripts'),
      clock: { now: () => 1000 },
      onChange: () => undefined,
      secrets: () => [],
    });
  });
  afterEach(async () => {
    await hub.close();
    await rm(dir, { recursive: true, force: true });
  });

  it('never cuts a character, live, in the transcript and on replay', async () => {
    const script = `
      const fs = require('node:fs'), hash = require('node:crypto').createHash('sha256');
      const put = (bytes) => { hash.update(bytes); fs.writeSync(1, bytes); };
      for (const byte of Buffer.from('┌─┐ 漢字 é (e\\u0301) 😀 👩‍👩‍👧 🇳🇴 |')) put(Buffer.from([byte]));
      for (let row = 0; row < 20; row += 1) put(Buffer.from('a'.repeat(65535) + '😀'));
      fs.writeSync(1, '\\nSHA ' + hash.digest('hex') + '\\n');`;
    const session = await hub.openPty({
      ...base,
      id: 's1',
      kind: 'shell',
      command: { file: process.execPath, args: ['-e', script] },
      cwd: dir,
      env: childEnvironment(),
      cols: 80,
      rows: 24,
    });
    const live = reader(hub, 's1', { acks: true });
    expect(await session.exited).toEqual({ exit: 0 });
    await live.ended;
    const stored = (await transcript('s1')).toString('utf8').replaceAll('\r\n', '\n');
    const [, content = '', sha] = /^([\s\S]*)\nSHA ([0-9a-f]{64})\n$/.exec(stored) ?? [];
    expect(createHash('sha256').update(content).digest('hex')).toBe(sha);
    for (const chunk of live.chunks) expect(Buffer.from(chunk).toString('utf8')).not.toContain('\ufffd');
    expect(live.text().match(/😀/gu)?.length).toBe(21);
    const replay = reader(hub, 's1', { acks: true });
    await replay.ended;
    expect(replay.text()).not.toContain('\ufffd');
    expect(replay.text().endsWith(`SHA ${sha}\r\n`)).toBe(true);
    expect(replay.skipped() + replay.bytes()).toBe((await transcript('s1')).length);
  });

  it('holds a flooding terminal while its reader is slow, loses no byte, and lets others run on', async () => {
    const flood = await pty(
      'flood',
      'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); echo "$i xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"; done; echo END $i',
    );
    const slow = reader(hub, 'flood', { acks: false });
    const quiet = await pty('quiet', 'read line; echo "got $line"');
    const other = reader(hub, 'quiet', { acks: true });
    await slow.until('100 xxx');
    hub.input('quiet', Buffer.from('hello\n'));
    expect((await quiet.exited).exit).toBe(0);
    expect(other.text()).toContain('got hello');
    expect(slow.bytes()).toBeLessThan(300_000);
    const pump = setInterval(() => slow.acknowledge(), 1);
    expect((await flood.exited).exit).toBe(0);
    await slow.ended;
    clearInterval(pump);
    expect(slow.skipped()).toBe(0);
    const lines = slow.text().split('\r\n');
    expect(lines.length).toBe(60_002);
    expect(lines.every((line, at) => at >= 60_000 || line.startsWith(`${at + 1} x`))).toBe(true);
    expect(lines[60_000]).toBe('END 60000');
    expect((await transcript('flood')).toString()).toBe(slow.text());
  });

  it('lets no window that stays silent slow down another one of the same terminal', async () => {
    const flood = await pty(
      'flood',
      `read go; i=0; while [ $i -lt 4000 ]; do echo $i ${'x'.repeat(200)}; i=$((i+1)); done`,
    );
    const silent = reader(hub, 'flood', { acks: false });
    const quick = reader(hub, 'flood', { acks: true });
    hub.input('flood', Buffer.from('\n'));
    expect((await flood.exited).exit).toBe(0);
    expect(await quick.ended).toBe(0);
    expect(quick.skipped()).toBe(0);
    expect(quick.text()).toContain('3999 xxx');
    expect(silent.bytes()).toBeLessThan(300_000);
  });

  it('takes input and sizes, and ends on Ctrl-C while it floods', async () => {
    const session = await pty('s1', 'stty size; while :; do echo flood; done');
    const open = reader(hub, 's1', { acks: true });
    hub.resize('s1', Number.NaN, 0);
    await open.until('24 80');
    hub.input('s1', Buffer.from('\u0003'));
    expect((await session.exited).exit).toBe(130);
    hub.resize('s1', 100, 30);
    expect(() => hub.input('s1', Buffer.from('x'))).toThrow(/takes no input/);
    open.detach();
  });

  it('marks for one page what a program asks, and nothing of a replay', async () => {
    const opener = {};
    const asking = await hub.openPty({
      ...base,
      id: 'asking',
      kind: 'shell',
      command: { file: '/bin/sh', args: ['-c', 'for n in 1 2 3 4; do echo "ask$n;"; read go; done'] },
      cwd: dir,
      env: childEnvironment(),
      cols: 80,
      rows: 24,
      opener,
    });
    /** What a page is to answer. */
    const look = (page: object) => {
      const [shown, asked] = [[] as Uint8Array[], [] as Uint8Array[]];
      let attachment: SessionAttachment | undefined;
      const seen = (): string => Buffer.concat(shown).toString();
      let wait: (() => void) | undefined;
      const sink: SessionSink = {
        data(bytes, _skipped, _passedOver, answers) {
          shown.push(bytes);
          if (answers) asked.push(bytes);
          attachment?.ack(bytes.length);
          wait?.();
        },
        end: () => undefined,
      };
      attachment = hub.attach('asking', sink, page);
      return {
        asked: () => Buffer.concat(asked).toString().match(/ask\d/g) ?? [],
        until: async (text: string): Promise<void> => {
          while (!seen().includes(text)) {
            await new Promise<void>((resolve) => {
              wait = resolve;
            });
          }
        },
        close: () => attachment?.detach(),
      };
    };
    // The one that came first did not open it.
    const other = look({});
    await other.until('ask1');
    const first = look(opener);
    await first.until('ask1');
    const again = {};
    hub.input('asking', Buffer.from('\n'), opener);
    await Promise.all([first.until('ask2'), other.until('ask2')]);
    const second = look(again);
    hub.input('asking', Buffer.from('\n'), again);
    await Promise.all([first.until('ask3'), second.until('ask3'), other.until('ask3')]);
    second.close();
    first.close();
    const reloaded = look(opener);
    await reloaded.until('ask3');
    hub.input('asking', Buffer.from('\n'), opener);
    await Promise.all([reloaded.until('ask4'), other.until('ask4')]);
    hub.input('asking', Buffer.from('\n'), opener);
    await asking.exited;
    expect(second.asked()).toEqual(['ask3']);
    expect(reloaded.asked()).toEqual(['ask4']);
    // The first line was printed before or while the other looked: it belongs to one of the two.
    expect([...other.asked(), ...first.asked()].toSorted()).toEqual(['ask1', 'ask2']);
    expect(first.asked()).toContain('ask2');
  });

  it('has the exit code of a killed program, and ends what is open when it closes', async () => {
    const killed = await pty('s1', 'sleep 300');
    expect(await killed.kill()).toEqual([]);
    expect((await killed.exited).exit).toBe(143);
    const open = await pty('s2', 'sleep 300');
    await hub.close();
    expect((await open.exited).exit).toBeGreaterThan(128);
    expect(hub.list().every((session) => session.state === 'exited')).toBe(true);
  });
});
