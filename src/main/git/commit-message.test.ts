import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentIdentity, commitMessage, trailers } from './commit-message.ts';

const text = { jobId: 'j1', ticketId: 'T12', title: 'Parse quoted fields', agent: 'scripted' };

describe('commitMessage', () => {
  it('has a subject with the ticket, and trailers', () => {
    expect(commitMessage(text)).toBe(
      'T12: Parse quoted fields\n\nHeadway-Job: j1\nHeadway-Ticket: T12\nHeadway-Agent: scripted\n',
    );
    expect(commitMessage(text, 'Merge on a moved base.')).toContain(
      '\n\nMerge on a moved base.\n\nHeadway-Job: j1',
    );
  });

  it.each([
    ['T12: already named', 'T12: already named'],
    ['# heading', 'T12: # heading'],
    ['two\nlines\tand \u001b[31mred', 'T12: two lines and [31mred'],
    ['hidden \u202Edirection\u200B', 'T12: hidden direction'],
    ['', 'T12'],
  ])('makes one plain line of %j', (title, subject) => {
    expect(commitMessage({ ...text, title }).split('\n')[0]).toBe(subject);
  });

  it('cuts between whole characters', () => {
    const subject = commitMessage({ ...text, title: '👩‍👩‍👧 '.repeat(20) }).split('\n')[0] ?? '';
    expect(subject.length).toBeLessThanOrEqual(72);
    expect(subject).toMatch(/…$/);
    expect(subject.isWellFormed()).toBe(true);
  });

  it('keeps subject and trailers apart whatever the words are', () => {
    const any = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(any, any, any, any, (jobId, ticketId, title, agent) => {
        const lines = commitMessage({ jobId, ticketId, title, agent }).split('\n');
        expect(lines[0]?.length).toBeLessThanOrEqual(72);
        expect(lines[0]?.trim()).not.toBe('');
        expect(lines[0]).not.toMatch(/^#|[\u0000-\u001F\u007F]/);
        expect(lines.slice(1)).toEqual(['', ...trailers({ jobId, ticketId, title, agent }).split('\n'), '']);
        expect(lines).toHaveLength(6);
      }),
    );
  });
});

describe('what a policy says of commits', () => {
  it('chooses the trailers, in one order, and a cost only where it is known', () => {
    const policy = { author: 'user', trailers: ['cost', 'job'] } as const;
    expect(trailers({ ...text, costUsd: 0.25 }, policy)).toBe('Headway-Job: j1\nHeadway-Cost: 0.2500 USD');
    expect(trailers(text, policy)).toBe('Headway-Job: j1');
    expect(commitMessage(text, undefined, { ...policy, trailers: [] })).toBe('T12: Parse quoted fields\n');
  });

  it('makes an author of an agent, whatever its name holds', () => {
    expect(agentIdentity('claude-code')).toEqual({
      name: 'claude-code',
      email: 'claude-code@agents.headway.invalid',
    });
    expect(agentIdentity('ollama: qwen <x@y>').email).toBe('ollama@agents.headway.invalid');
    expect(agentIdentity('<\n>')).toEqual({ name: 'agent', email: 'agent@agents.headway.invalid' });
  });
});
