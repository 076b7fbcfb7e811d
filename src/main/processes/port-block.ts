import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Below what systems hand out by themselves (from 32768 on Linux, 49152 elsewhere). */
const FIRST_PORT = 21_000;
const BLOCK_PORTS = 10;
const BLOCKS = 1_000;

/** Ports next to each other on 127.0.0.1, for one holder alone until it lets them go. */
export type PortBlock = { first: number; last: number; release(): void };

/**
 * Holds ten ports: the first by a socket of our own, which keeps every other Headway of the machine away and goes with the
 * process whatever happens to it; the nine behind it are free now and for the holder to use. Undefined where no block is
 * free.
 */
export async function holdPorts(seed: string): Promise<PortBlock | undefined> {
  const start = startOf(seed);
  for (let tried = 0; tried < BLOCKS; tried += 1) {
    const guardPort = FIRST_PORT + ((start + tried) % BLOCKS) * BLOCK_PORTS;
    const guard = await listen(guardPort);
    if (!guard) continue;
    const first = guardPort + 1;
    const last = guardPort + BLOCK_PORTS - 1;
    if (await allFree(first, last)) return { first, last, release: () => void guard.close() };
    guard.close();
  }
  return undefined;
}

/** Spread, so that those who come at once do not all try the same. */
function startOf(seed: string): number {
  let sum = 0;
  for (const char of seed) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % BLOCKS;
  return sum;
}

/** Undefined where somebody else has the port. */
async function listen(port: number): Promise<Server | undefined> {
  // Whoever connects by mistake is sent away at once.
  const server = createServer((socket) => socket.destroy()).unref();
  server.listen({ port, host: '127.0.0.1', exclusive: true });
  return once(server, 'listening').then(
    () => server,
    () => undefined,
  );
}

async function allFree(first: number, last: number): Promise<boolean> {
  for (let port = first; port <= last; port += 1) {
    const server = await listen(port);
    if (!server) return false;
    server.close();
    await once(server, 'close');
  }
  return true;
}
