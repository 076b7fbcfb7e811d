/* Runs in the browser: shows sessions in xterm.js, times the echo of an idle one, counts what arrives. */
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import { createAckBatcher } from '../../src/renderer/terminals/ack-batcher.ts';
import { ParseQueue, whenIdle } from '../../src/renderer/terminals/parse-queue.ts';
import { keptLinesOf } from '../../src/shared/kept-lines.ts';
import { createClient } from '../../src/shared/rpc/client.ts';
import { openClientSocket } from '../../src/shared/rpc/web-socket.ts';

const KEY_EVERY_MS = 30;
/** As the window has it. */
const SCROLLBACK_LINES = 5000;
const tail = new TextDecoder();

function pane(hidden) {
  const host = document.createElement('div');
  host.style.cssText = 'float:left;width:620px;height:380px;overflow:hidden';
  document.body.append(host);
  const terminal = new Terminal({ cols: 80, rows: 24, scrollback: SCROLLBACK_LINES });
  terminal.open(host);
  if (hidden) host.remove();
  return {
    terminal,
    dispose() {
      terminal.dispose();
      host.remove();
    },
  };
}

/** Both ways of getting at a session look the same: bytes come, `done(n)` says that n of them were parsed. */
function headwayWay() {
  const queue = new ParseQueue({ later: whenIdle(), visible: () => !document.hidden });
  const url = `${location.origin.replace('http', 'ws')}/rpc`;
  const client = createClient(() => openClientSocket(new WebSocket(url)));
  return {
    open(id, keptLines, onData) {
      let stream;
      const acks = createAckBatcher((bytes) => stream?.ack(bytes, keptLines()));
      stream = client.openSession(id, {
        data(bytes, _skipped, passedOver) {
          acks.received(bytes.byteLength);
          onData(bytes, () => acks.taken(bytes.byteLength), passedOver);
        },
        end: () => {},
      });
      const ready = new Promise((resolve) => {
        const remove = client.onStatus(
          (status) => status === 'open' && setTimeout(() => resolve(remove?.())),
        );
      });
      const input = (text) => {
        queue.typed();
        client.input(id, new TextEncoder().encode(text));
      };
      return { ready, input };
    },
    writer(terminal) {
      const backlog = queue.backlog(terminal);
      return (bytes, passedOver, parsed) =>
        backlog.write(bytes, { outruns: passedOver !== undefined, parsed });
    },
    close: () => client.close(),
  };
}

function naiveWay(origin) {
  const sockets = [];
  return {
    open(id, _keptLines, onData) {
      const socket = new WebSocket(`${origin}/?naive=${id}`);
      socket.binaryType = 'arraybuffer';
      sockets.push(socket);
      socket.onmessage = (event) => onData(new Uint8Array(event.data), () => {});
      const ready = new Promise((resolve) => {
        socket.onopen = () => resolve();
      });
      return { ready, input: (text) => socket.send(new TextEncoder().encode(text)) };
    },
    writer: (terminal) => (bytes, _passedOver, parsed) => terminal.write(bytes, parsed),
    close() {
      for (const socket of sockets) socket.close();
    },
  };
}

/** Shows the sessions, lets the floods go, types into the idle one until the floods are parsed, or for `idleMs` without floods. */
async function runRound({ mode, origin, floods, idle, hidden, idleMs }) {
  const way = mode === 'headway' ? headwayWay() : naiveWay(origin);
  const panes = [];
  const show = (isHidden) => {
    const created = pane(isHidden);
    panes.push(created);
    return created.terminal;
  };
  const counts = floods.map(() => ({ bytes: 0, passedOver: 0 }));
  const finished = floods.map((id, index) => {
    const terminal = show(hidden);
    let end = '';
    let link;
    const done = new Promise((resolve) => {
      const write = way.writer(terminal);
      link = way.open(id, keptLinesOf(terminal), (bytes, taken, passedOver) => {
        counts[index].bytes += bytes.byteLength;
        counts[index].passedOver += passedOver ?? 0;
        end = (end + tail.decode(bytes.subarray(-64))).slice(-64);
        const last = /END \d+\r\n$/.test(end);
        write(bytes, passedOver, () => {
          taken();
          if (last) resolve();
        });
      });
    });
    return { link, done };
  });
  let echoed;
  const idleTerminal = show(false);
  // As a person types: through the terminal, which then shows what comes next without a pause of its own.
  idleTerminal.onData((text) => idleLink.input(text));
  const writeIdle = way.writer(idleTerminal);
  const idleLink = way.open(idle, keptLinesOf(idleTerminal), (bytes, taken) =>
    writeIdle(bytes, undefined, () => {
      taken();
      echoed?.();
    }),
  );
  await Promise.all([idleLink.ready, ...finished.map((each) => each.link.ready)]);

  const startedAt = performance.now();
  for (const { link } of finished) link.input('\n');
  let running = true;
  const over = (
    floods.length > 0
      ? Promise.all(finished.map((each) => each.done))
      : new Promise((resolve) => setTimeout(resolve, idleMs))
  ).then(() => {
    running = false;
    return performance.now() - startedAt;
  });
  const echoMs = [];
  while (running) {
    const sentAt = performance.now();
    const answer = new Promise((resolve) => {
      echoed = () => resolve(true);
    });
    idleTerminal.input('k', true);
    await answer;
    echoed = undefined;
    const tookMs = performance.now() - sentAt;
    echoMs.push(tookMs);
    await new Promise((resolve) => setTimeout(resolve, Math.max(1, KEY_EVERY_MS - tookMs)));
  }
  const floodMs = await over;
  for (const each of panes) each.dispose();
  way.close();
  return { floodMs, echoMs, counts };
}

const driver = new WebSocket(`${location.origin.replace('http', 'ws')}/driver`);
const say = (answer) => driver.send(JSON.stringify(answer));
driver.onopen = () => say({ type: 'ready' });
driver.onmessage = ({ data }) => {
  runRound(JSON.parse(data)).then(
    (result) => say({ type: 'shown', result }),
    (error) => say({ type: 'failed', why: String(error?.stack ?? error) }),
  );
};
