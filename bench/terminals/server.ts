import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type WebSocket, WebSocketServer } from 'ws';
import { childEnvironment } from '../../src/main/processes/environment.ts';
import { type Pty, startPty } from '../../src/main/terminals/pty.ts';
import { createSessionHub } from '../../src/main/terminals/session-hub.ts';
import { type Handlers, serveConnection } from '../../src/shared/rpc/server.ts';
import { createServerSocketTransport } from '../../src/shared/rpc/web-socket.ts';

/**
 * A server of the terminal benchmark, a process of its own so that its memory can be told from everything else's. It offers
 * programs in one of three ways: through the hub and the contract's transport; naively: one socket a session, each chunk sent as it
 * comes, nothing acknowledged; or naively with all that a flood prints but its end thrown away, which is what the machine has left for
 * an echo while so much is read and nothing is done with it. The parent commands it over IPC, and through it the page: a browser that is driven by a
 * debugger copies every frame to it, which would be measured too.
 */
export type Mode = 'headway' | 'naive' | 'thrown away';
export type RoundOptions = {
  mode: Mode;
  /** Where the programs are, if not where the page comes from. */
  origin: string;
  floods: string[];
  idle: string;
  hidden: boolean;
  idleMs: number;
};
export type Command =
  | { type: 'page'; script: string; style: string }
  | { type: 'start'; mode: Mode; floodBytes: number[]; coloured: boolean }
  | { type: 'show'; options: RoundOptions }
  | { type: 'stop' };
export type Answer =
  | { type: 'listening'; port: number }
  | { type: 'taken' }
  /** The page is there and waits for rounds. */
  | { type: 'ready' }
  | { type: 'started'; floods: string[]; idle: string }
  | {
      type: 'shown';
      result: { floodMs: number; echoMs: number[]; counts: { bytes: number; passedOver: number }[] };
    }
  | { type: 'failed'; why: string }
  /** Bytes that each flood's program wrote; growth of the resident memory meanwhile. */
  | { type: 'stopped'; bytes: number[]; grownBytes: number };

const FLOOD = fileURLToPath(new URL('./flood.mjs', import.meta.url));
const SAMPLE_MS = 50;
/** Less than this is an echo, not a flood. */
const QUIET_BYTES = 1024;

const dir = await mkdtemp(join(tmpdir(), 'headway-bench-'));
const hub = createSessionHub({
  dir,
  clock: { now: Date.now },
  onChange: () => undefined,
  secrets: () => ['a-secret-that-never-comes-1', 'another-secret-that-never-comes'],
});
const naive = new Map<string, { pty: Promise<Pty>; socket?: WebSocket }>();
let open: { mode: Mode; floods: string[]; bytes: number[]; idle: string } | undefined;
let nextId = 0;
let baseBytes = 0;
let peakBytes = 0;
let sampler: NodeJS.Timeout | undefined;

let served = { script: '', style: '' };
let driver: WebSocket | undefined;

const PAGE =
  '<!doctype html><meta charset="utf-8"><title>bench</title><link rel="stylesheet" href="/style"><body>';
const http = createServer(({ url }, response) => {
  const [type, body] =
    url === '/script'
      ? ['text/javascript', served.script]
      : url === '/style'
        ? ['text/css', served.style]
        : ['text/html', `${PAGE}<script src="/script"></script>`];
  response.writeHead(200, { 'content-type': type });
  response.end(body);
});
const sockets = new WebSocketServer({ server: http });
sockets.on('connection', (socket, request) => {
  if (request.url === '/driver') {
    driver = socket;
    socket.on('message', (data) => answer(JSON.parse(String(data)) as Answer));
    return;
  }
  const session = new URL(request.url ?? '/', 'http://x').searchParams.get('naive');
  if (session === null) {
    const api = {
      handlers: {} as Handlers,
      onEvent: () => () => undefined,
      attach: hub.attach,
      input: hub.input,
    };
    serveConnection(createServerSocketTransport(socket), api, { caller: { kind: 'page' } });
    return;
  }
  const entry = naive.get(session);
  if (!entry) return socket.close();
  entry.socket = socket;
  socket.on('message', (data) => void entry.pty.then((pty) => pty.write(data as Buffer)));
});

async function startProgram(mode: Mode, args: string[]): Promise<string> {
  nextId += 1;
  const id = `s${nextId}`;
  const [file = '', ...rest] = args;
  const options = { command: { file, args: rest }, cwd: dir, env: childEnvironment(), cols: 80, rows: 24 };
  if (mode === 'headway') await hub.openPty({ ...options, id, kind: 'shell', repoId: 'bench', title: id });
  else {
    const entry: { pty: Promise<Pty>; socket?: WebSocket } = {
      pty: startPty({
        ...options,
        onData: (bytes) => {
          if (mode === 'naive' || bytes.length < QUIET_BYTES || endsFlood(bytes)) entry.socket?.send(bytes);
        },
      }),
    };
    naive.set(id, entry);
    await entry.pty;
  }
  return id;
}

/** No line of a flood has a capital letter but the last one. */
const endsFlood = (bytes: Uint8Array): boolean => bytes.subarray(-32).includes('E'.charCodeAt(0));

/** What a flood prints: the echo of the line that sets it off, its lines, the last one. */
function printedBytes(bytes: number): number {
  const lines = Math.ceil(bytes / 100);
  return '\r\n'.length + lines * 100 + `END ${lines}\r\n`.length;
}

async function start({ mode, floodBytes, coloured }: Extract<Command, { type: 'start' }>): Promise<Answer> {
  const floods: string[] = [];
  for (const bytes of floodBytes) {
    floods.push(
      await startProgram(mode, [process.execPath, FLOOD, String(bytes), ...(coloured ? ['coloured'] : [])]),
    );
  }
  const idle = await startProgram(mode, ['cat']);
  open = { mode, floods, bytes: floodBytes.map(printedBytes), idle };
  baseBytes = process.memoryUsage.rss();
  peakBytes = baseBytes;
  sampler = setInterval(() => {
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
  }, SAMPLE_MS);
  return { type: 'started', floods, idle };
}

async function stop(): Promise<Answer> {
  clearInterval(sampler);
  for (const entry of naive.values()) {
    await (await entry.pty).kill();
    entry.socket?.close();
  }
  naive.clear();
  if (open?.mode === 'headway') hub.input(open.idle, Buffer.from('\n\u0004'));
  for (const id of open?.floods ?? []) await rm(join(dir, `${id}.log`), { force: true });
  return { type: 'stopped', bytes: open?.bytes ?? [], grownBytes: peakBytes - baseBytes };
}

async function handle(command: Command): Promise<Answer | undefined> {
  switch (command.type) {
    case 'page':
      served = command;
      return { type: 'taken' };
    case 'start':
      return start(command);
    case 'show':
      driver?.send(JSON.stringify(command.options));
      return undefined;
    case 'stop':
      return stop();
    default:
      return command satisfies never;
  }
}

const answer = (value: Answer): void => {
  process.send?.(value);
};
process.on('message', (command: Command) => void handle(command).then((said) => said && answer(said)));
process.on('disconnect', () => {
  void hub
    .close()
    .then(() => rm(dir, { recursive: true, force: true }))
    .finally(() => process.exit(0));
});
http.listen(0, '127.0.0.1', () => answer({ type: 'listening', port: (http.address() as AddressInfo).port }));
