import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Usage } from '../../shared/domain.ts';
import { childEnvironment } from '../processes/environment.ts';
import type { Agent, AgentContext, AgentOutcome } from './agent.ts';
import { createClaudeAgent } from './claude.ts';
import { createOllamaAgent } from './ollama.ts';
import { detectAgents, resolveAgent } from './registry.ts';
import { RETRY_POLICY } from './retry-policy.ts';
import { startFakeOllama } from './testing/fake-ollama.ts';
import { startScriptedMessagesApi } from './testing/scripted-messages-api.ts';
import type { LoopOptions } from './tool-loop.ts';

const quick: Partial<LoopOptions> = { retry: { ...RETRY_POLICY, maxTries: 3, baseMs: 1 } };

describe.runIf(process.platform !== 'win32')('the built-in agents', () => {
  let root: string;
  let dir: string;
  let shown: string;
  let usages: Usage[];

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'headway-built-in-'));
    dir = join(root, 'slot');
    await mkdir(dir);
    await writeFile(join(dir, 'sum.txt'), 'one\r\ntwo\r\n');
    shown = '';
    usages = [];
  });
  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });

  const work = (agent: Agent, more: Partial<AgentContext> = {}): Promise<AgentOutcome> =>
    agent.run({
      ticket: { id: 'T-1', title: 'T', text: 'x', dependsOn: [], related: [], priority: 'batch' },
      prompt: 'Change two to 2 in sum.txt.',
      dir,
      tempDir: root,
      env: childEnvironment(),
      timeoutMs: 60_000,
      signal: new AbortController().signal,
      output: (bytes) => {
        shown += Buffer.from(bytes).toString();
      },
      redact: (text) => text,
      onUsage: (usage) => usages.push(usage),
      ...more,
    });
  const claude = (url: string, options = quick): Agent =>
    createClaudeAgent('claude-sonnet-5-5', { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: url }, options);
  const ollama = (url: string, options = quick): Agent =>
    createOllamaAgent('small', { OLLAMA_HOST: url }, options);

  it('claude edits, runs and reports rounds, tokens and cost', async () => {
    await using api = await startScriptedMessagesApi([
      {
        text: 'I look.\nThen I edit.',
        tools: [
          { name: 'read', input: { path: 'sum.txt' } },
          { name: 'edit', input: { path: 'sum.txt', old: 'one\ntwo', new: 'one\n2' } },
          { name: 'run', input: { command: 'cat sum.txt; echo "key=$ANTHROPIC_API_KEY"; exit 3' } },
        ],
      },
      { text: 'Done.' },
    ]);
    const outcome = await work(claude(api.url));
    expect(outcome).toMatchObject({
      kind: 'finished',
      usage: { rounds: 2, toolCalls: 3, inputTokens: 200, outputTokens: 40 },
    });
    expect(usages.at(-1)?.costUsd).toBeCloseTo((200 * 2 + 40 * 10) / 1e6, 9);
    expect(await readFile(join(dir, 'sum.txt'), 'utf8')).toBe('one\r\n2\r\n');
    const results = JSON.stringify(api.requests[1]?.body.messages?.at(-1)?.content);
    expect(results).toContain('exit 3');
    // The user's key is not in what a command sees.
    expect(results).toContain('key=\\n');
    expect(api.requests[0]?.headers.authorization).toBe('Bearer k');
    for (const text of ['I look.', 'Then I edit.', 'sum.txt', 'Done.', '2 rounds'])
      expect(shown).toContain(text);
  });

  it('ollama edits and runs, whatever its chunks, with one context length throughout', async () => {
    await using server = await startFakeOllama([
      { text: 'Ich prüfe 漢字 😀', tools: [{ name: 'write', arguments: { path: 'a/b.txt', content: 'é' } }] },
      { tools: [{ name: 'run', arguments: '{"command": "cat a/b.txt"}' }] },
      { text: 'Fertig.' },
    ]);
    expect(await work(ollama(server.url))).toMatchObject({
      kind: 'finished',
      usage: { rounds: 3, toolCalls: 2, inputTokens: 150, outputTokens: 30 },
    });
    expect(await readFile(join(dir, 'a/b.txt'), 'utf8')).toBe('é');
    expect(server.requests[2]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'exit 0\né' });
    expect(new Set(server.requests.map((request) => request.options?.num_ctx)).size).toBe(1);
    expect(shown).toContain('Ich prüfe 漢字 😀');
  });

  it('answers wrong arguments, unknown tools and paths that leave the slot as errors, and goes on', async () => {
    await writeFile(join(root, 'secret.txt'), 'secret');
    await using server = await startFakeOllama([
      {
        tools: [
          { name: 'read', arguments: { file: 'sum.txt' } },
          { name: 'edit', arguments: 'not JSON' },
          { name: 'search', arguments: {} },
          { name: 'read', arguments: { path: '../secret.txt' } },
          { name: 'write', arguments: { path: join(root, 'secret.txt'), content: 'x' } },
        ],
      },
      { text: 'I give up.' },
    ]);
    expect(await work(ollama(server.url))).toMatchObject({ kind: 'finished', usage: { toolCalls: 5 } });
    const answers = server.requests[1]?.messages.filter((message) => message.role === 'tool') ?? [];
    expect(answers.map((message) => message.content)).toEqual([
      expect.stringMatching(/^error: wrong arguments for read: path: /),
      expect.stringMatching(/^error: wrong arguments for edit/),
      expect.stringMatching(/^error: there is no tool search; there are list, read/),
      expect.stringContaining('leaves the directory'),
      expect.stringContaining('is absolute'),
    ]);
    expect(await readFile(join(root, 'secret.txt'), 'utf8')).toBe('secret');
  });

  it('cuts the stream of a model when it is cancelled or its time is over', async () => {
    for (const [cut, kind] of [
      ['cancel', 'cancelled'],
      ['timeout', 'timed-out'],
    ] as const) {
      await using server = await startFakeOllama([{ stall: true }]);
      const controller = new AbortController();
      const running = work(ollama(server.url), {
        signal: controller.signal,
        ...(cut === 'timeout' ? { timeoutMs: 1_000 } : {}),
      });
      await server.stalled;
      if (cut === 'cancel') controller.abort();
      expect(await running).toEqual({ kind });
      await server.gone;
    }
  });

  it('cuts a message of claude in the middle, and a running command with it', async () => {
    let gone: Promise<unknown> | undefined;
    const controller = new AbortController();
    const server = createServer((request, response) => {
      request.resume();
      gone = new Promise((resolve) => response.once('close', () => resolve(undefined)));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const message = { id: 'm', type: 'message', role: 'assistant', content: [], model: 'm', usage: {} };
      response.write(
        `event: message_start\ndata: ${JSON.stringify({ type: 'message_start', message })}\n\n`,
        () => controller.abort(),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await work(claude(url), { signal: controller.signal })).toEqual({ kind: 'cancelled' });
    await gone;
    await new Promise((resolve) => server.close(resolve));

    await using api = await startScriptedMessagesApi([
      { tools: [{ name: 'run', input: { command: 'echo go; sleep 300' } }] },
    ]);
    const inCommand = new AbortController();
    const cut = work(claude(api.url), {
      signal: inCommand.signal,
      output: (bytes) => {
        if (Buffer.from(bytes).toString().startsWith('go')) inCommand.abort();
      },
    });
    expect(await cut).toEqual({ kind: 'cancelled' });
  });

  it('tries again when the server is busy, a bounded number of times', async () => {
    await using api = await startScriptedMessagesApi((_, index) =>
      index < 2 ? { status: index === 0 ? 429 : 529, error: 'slow down' } : { text: 'Here I am.' },
    );
    expect(await work(claude(api.url))).toMatchObject({ kind: 'finished', usage: { rounds: 1 } });
    expect(shown).toContain('429: slow down; trying again');
    await using server = await startFakeOllama([
      { status: 503, error: 'server busy', headers: { 'retry-after': '0' } },
    ]);
    expect(await work(ollama(server.url))).toMatchObject({
      kind: 'failed',
      why: '503: server busy (after 3 tries)',
    });
    expect(server.requests).toHaveLength(3);
    await using patient = await startFakeOllama([
      { status: 429, error: 'later', headers: { 'retry-after': '86400' } },
    ]);
    const before = Date.now();
    const outcome = await work(ollama(patient.url));
    expect(outcome).toMatchObject({
      kind: 'limited',
      limit: { why: expect.stringContaining('in 86400 s'), resetAt: expect.any(Number) },
    });
    const resetAt = outcome.kind === 'limited' ? outcome.limit.resetAt : undefined;
    expect((resetAt ?? 0) - before).toBeGreaterThanOrEqual(86_400_000);
  });

  it.each([
    [{ status: 429, error: 'over the limit', headers: { 'retry-after': '7200' } }, 7_200_000],
    [{ status: 429, error: 'slow down' }, undefined],
    [{ status: 400, error: 'Your credit balance is too low to access the API.' }, undefined],
    [
      {
        status: 429,
        error: 'Usage limit.',
        headers: {
          'anthropic-ratelimit-unified-status': 'rejected',
          'anthropic-ratelimit-unified-5h-status': 'rejected',
          'anthropic-ratelimit-unified-5h-reset': 'AT',
          'anthropic-ratelimit-unified-7d-status': 'allowed',
          'anthropic-ratelimit-unified-7d-reset': '4102444800',
        },
      },
      3_600_000,
    ],
  ])('is limited where the server refuses its account: %j', async (turn, leftMs) => {
    const inAnHour = String(Math.ceil(Date.now() / 1000) + 3600);
    const said = JSON.parse(JSON.stringify(turn).replace('AT', inAnHour)) as {
      status: number;
      error: string;
    };
    await using api = await startScriptedMessagesApi([said]);
    const before = Date.now();
    const outcome = await work(claude(api.url));
    expect(outcome).toMatchObject({ kind: 'limited', limit: { why: expect.stringContaining(turn.error) } });
    const resetAt = outcome.kind === 'limited' ? outcome.limit.resetAt : undefined;
    if (leftMs === undefined) expect(resetAt).toBeUndefined();
    else expect(Math.abs((resetAt ?? 0) - before - leftMs)).toBeLessThan(60_000);
  });

  it('tells all agents of its account to wait as long as the server asks, and waits itself', async () => {
    await using api = await startScriptedMessagesApi((_, index) =>
      index === 0 ? { status: 429, error: 'slow down', headers: { 'retry-after': '1' } } : { text: 'Hi.' },
    );
    const told: (number | undefined)[] = [];
    const limits = {
      pausedMs: () => undefined,
      limited: async ({ resetAt }: { resetAt?: number }) => void told.push(resetAt),
    };
    const before = Date.now();
    expect(await work(claude(api.url), { limits })).toMatchObject({ kind: 'finished' });
    expect(told).toHaveLength(1);
    expect((told[0] ?? 0) - before).toBeGreaterThanOrEqual(1_000);
    // Another agent of the account was refused: this one does not even ask.
    const asked = api.requests.length;
    const paused = { ...limits, pausedMs: () => 3_600_000 };
    expect(await work(claude(api.url), { limits: paused })).toMatchObject({ kind: 'limited' });
    let leftMs: number | undefined = 50;
    const resumed = {
      ...limits,
      pausedMs() {
        const now = leftMs;
        leftMs = undefined;
        return now;
      },
    };
    expect(api.requests).toHaveLength(asked);
    expect(await work(claude(api.url), { limits: resumed })).toMatchObject({ kind: 'finished' });
    expect(shown).toContain('its account is paused for 1 s');
  });

  const start = `event: message_start\ndata: ${JSON.stringify({ type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', content: [], model: 'm', usage: {} } })}\n\n`;
  it.each([
    [
      'a connection that is cut in the middle',
      { raw: start, cut: true },
      'the connection broke off in the middle of the answer',
      3,
    ],
    ['an answer without an end', { raw: start }, 'broke off before its end', 3],
    [
      'something else than the API',
      { raw: 'event: message_start\ndata: <html>502</html>\n\n' },
      'is a proxy between, or the address wrong?',
      1,
    ],
  ] as const)('says in words for a person what became of %s', async (_, turn, why, tries) => {
    await using api = await startScriptedMessagesApi([turn]);
    expect(await work(claude(api.url))).toMatchObject({ kind: 'failed', why: expect.stringContaining(why) });
    expect(api.requests).toHaveLength(tries);
  });

  it('does not take a wrong address for a busy server', async () => {
    for (const url of ['http://127.0.0.1:99999', 'gopher://127.0.0.1', 'no address']) {
      shown = '';
      expect(await work(claude(url))).toMatchObject({ kind: 'failed', why: expect.stringContaining(url) });
      expect(shown).not.toContain('trying again');
    }
    shown = '';
    expect(await work(ollama('http://127.0.0.1:99999'))).toMatchObject({ kind: 'failed' });
    expect(shown).not.toContain('trying again');
    const closed = await startScriptedMessagesApi([]);
    await closed.close();
    expect(await work(claude(closed.url))).toMatchObject({
      kind: 'failed',
      why: expect.stringContaining('nothing listens there (ECONNREFUSED) (after 3 tries)'),
    });
  });

  it.each([
    ['{"error":"model runner has stopped"}\n', 'model runner has stopped'],
    ['<html>502 bad gateway</html>\n', 'something else than Ollama does (line 1 is no JSON: <html>'],
    ['{"message":{"content":"half"},"done":false}\n', 'broke off before its end'],
  ])('fails with the words of a server that breaks off after 200: %s', async (raw, why) => {
    await using server = await startFakeOllama([{ raw }]);
    expect(await work(ollama(server.url))).toMatchObject({
      kind: 'failed',
      why: expect.stringContaining(why),
    });
    expect(server.requests).toHaveLength(1);
  });

  it('stops at its limit of rounds', async () => {
    await using api = await startScriptedMessagesApi([{ tools: [{ name: 'list', input: {} }] }]);
    expect(await work(claude(api.url, { ...quick, maxRounds: 3 }))).toMatchObject({
      kind: 'failed',
      why: expect.stringContaining('3 rounds'),
      usage: { rounds: 3, toolCalls: 3 },
    });
  });

  it('says what is missing: a key, a server, a model', async () => {
    expect(await work(createClaudeAgent('m', {}))).toMatchObject({
      kind: 'missing',
      hint: expect.stringContaining('ANTHROPIC_API_KEY'),
    });
    const closed = await startFakeOllama([]);
    await closed[Symbol.asyncDispose]();
    expect(await work(ollama(closed.url))).toMatchObject({
      kind: 'missing',
      hint: expect.stringContaining('ollama serve'),
    });
    await using server = await startFakeOllama([{ status: 404, error: "model 'small' not found" }]);
    expect(await work(ollama(server.url))).toMatchObject({
      kind: 'missing',
      hint: expect.stringContaining('ollama pull small'),
    });
  });

  it('never sends the key of the user to an address that an attempt names', async () => {
    await using api = await startScriptedMessagesApi([{ text: 'hello' }]);
    const env = { ...childEnvironment(), ANTHROPIC_BASE_URL: api.url };
    expect(await work(claude('http://127.0.0.1:9'), { env })).toMatchObject({ kind: 'missing' });
    const own = { ...env, ANTHROPIC_API_KEY: 'session' };
    expect(await work(claude('http://127.0.0.1:9'), { env: own })).toMatchObject({ kind: 'finished' });
    expect(api.requests.map((request) => request.headers.authorization)).toEqual(['Bearer session']);
  });

  it('are chosen by name and listed as what is there', async () => {
    expect(resolveAgent('claude').id).toBe('claude: claude-sonnet-5-5');
    expect(resolveAgent('claude: claude-opus-5-5').id).toBe('claude: claude-opus-5-5');
    expect(resolveAgent('ollama:qwen3-coder:30b').id).toBe('ollama: qwen3-coder:30b');
    expect(() => resolveAgent('ollama')).toThrow(/needs the name of one model/);
    await using server = await startFakeOllama([], ['qwen3-coder:30b']);
    const source = { OLLAMA_HOST: server.url, ANTHROPIC_API_KEY: 'k' };
    const found = await detectAgents({ PATH: join(root, 'nothing') }, source);
    expect(found.find((agent) => agent.id === 'claude')).toMatchObject({ available: true });
    expect(found.find((agent) => agent.id === 'ollama: qwen3-coder:30b')).toMatchObject({ available: true });
  });
});
