import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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
    const output = new SessionOutput(transcript, [], new FlowBudget(), () => {
      released += 1;
    });
    output.write(Buffer.from('text'));
    const attachment = output.attach({ data: () => undefined, end: () => undefined });
    await output.end(0);
    expect(output.ring).toBeDefined();
    attachment.detach();
    expect(output.ring).toBeUndefined();
    expect(released).toBe(1);
  });
});
