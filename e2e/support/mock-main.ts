/*
 * Look at the window without an engine:
 *   node e2e/support/mock-main.ts [empty|busy|many] [port] [directory of the built renderer]
 */
import { resolve } from 'node:path';
import { busyScene, emptyScene, gauges } from './mock-scenes.ts';
import { startMockServer } from './mock-server.ts';

const [scene = 'busy', port = '4173', dir = 'out/renderer'] = process.argv.slice(2);
const engine =
  scene === 'empty'
    ? emptyScene()
    : busyScene(scene === 'many' ? { running: 10, extraDone: 9000, extraWaiting: 1000 } : {});
const server = await startMockServer(engine, { rendererDir: resolve(dir), port: Number(port) });
console.log(server.url);

let beat = 0;
setInterval(() => {
  beat += 1;
  engine.emit('gauges.sampled', gauges(beat, engine, scene !== 'empty'));
  for (const session of engine.sessions.values()) {
    if (session.state === 'live' && !session.interactive && beat % 3 === 0) {
      engine.print(session.id, `\x1b[2m${new Date().toISOString()}\x1b[0m still at it\r\n`);
    }
  }
}, 1000);
