import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SessionSink } from '../../shared/rpc/server.ts';
import { FlowBudget } from './flow-budget.ts';
import { SessionOutput } from './session-output.ts';
import { TranscriptWriter } from './transcript.ts';

describe('SessionOutput', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'headway-output-'));
  });
  afterEach(async () => {
    await rm(dir, { recursive: true, force: true });
  });

  it('keeps nothing in memory once it has ended and nobody looks, whoever still holds it', async () => {
    let released = 0;
    const transcript = new TranscriptWriter(join(dir, 's.log'), () => undefined);
    const output = new SessionOutput({
      transcript,
      secrets: [],
      convertEol: true,
      onReleased: () => {
        released += 1;
      },
    });
    output.write(Buffer.from('text'));
    const attachment = output.attach({ data: () => undefined, end: () => undefined }, new FlowBudget());
    await output.end(0);
    expect(output.ring).toBeDefined();
    attachment.detach();
    expect(output.ring).toBeUndefined();
    expect(released).toBe(1);
  });

  it('shows a prompt at once, and what may begin a secret a quarter of a second later at the latest', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const transcript = new TranscriptWriter(join(dir, 's.log'), () => undefined);
      const output = new SessionOutput({
        transcript,
        secrets: ['correct horse battery'],
        convertEol: true,
        onReleased: () => undefined,
      });
      let seen = '';
      const sink: SessionSink = {
        data: (bytes) => {
          seen += Buffer.from(bytes).toString();
        },
        end: () => undefined,
      };
      output.attach(sink, new FlowBudget());
      output.write(Buffer.from('Password: '));
      vi.advanceTimersByTime(10);
      expect(seen).toBe('Password: ');
      output.write(Buffer.from('say corre'));
      vi.advanceTimersByTime(10);
      expect(seen).toBe('Password: say cor');
      vi.advanceTimersByTime(240);
      expect(seen).toBe('Password: say corre');
      // So much of it is no coincidence: it goes out in time, and hidden.
      output.write(Buffer.from(' or correct horse b'));
      vi.advanceTimersByTime(250);
      expect(seen).toBe('Password: say corre or cor[redacted]');
      output.write(Buffer.from('attery\n'));
      vi.advanceTimersByTime(250);
      expect(seen).toBe('Password: say corre or cor[redacted]\n');
      await output.end(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
