import { type Engine, openEngine } from '../../engine/engine.ts';

/** Opens the engine without executing any job: to look, or to say something. */
export async function looking<T>(use: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await openEngine({ watchOnly: true });
  try {
    return await use(engine);
  } finally {
    await engine.stop();
  }
}
