import { afterEach, beforeEach, expect, it } from 'vitest';
import { startScriptedMessagesApi } from '../../agents/testing/scripted-messages-api.ts';
import { Place } from './testing/headway.ts';

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(async () => {
  await place.close();
});

it("takes a ticket to a merge through a model's tools, and keeps the key from what it runs", async () => {
  await using api = await startScriptedMessagesApi([
    { text: 'I look.', tools: [{ name: 'read', input: { path: 'a.txt' } }] },
    {
      tools: [
        { name: 'edit', input: { path: 'a.txt', old: 'one', new: 'two' } },
        { name: 'run', input: { command: 'env | grep -c ANTHROPIC_' } },
      ],
    },
    { text: 'Done.' },
  ]);
  Object.assign(place.env, { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: api.url, ANTHROPIC_AUTH_TOKEN: '' });
  const repo = place.repository('repo', { 'a.txt': 'one\n' });
  const tickets = place.tickets('tickets', { T1: '---\nid: T1\npaths: [a.txt]\n---\n# Two\nMake it two.\n' });
  const gate = 'grep -q two a.txt';
  const { exit, summary } = await place.run(
    ...['run', '--repo', repo, '--tickets', tickets, '--agent', 'claude', '--gate', gate],
  );
  expect(summary.T1).toMatchObject({ state: 'merged', verdict: 'green', files: ['a.txt'] });
  expect(exit).toBe(0);
  expect(place.git(repo, 'show', 'main:a.txt')).toBe('two');
  expect(JSON.stringify(api.requests.at(-1)?.body.messages?.at(-1))).toContain('exit 1\\n0\\n');
});
