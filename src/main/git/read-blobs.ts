import { run } from '../processes/run.ts';
import { gitEnvironment } from './git.ts';
import { namedDirectory } from './named-directory.ts';

/**
 * Texts of files in one go, by what names them: an object id, or `commit:path`. What there is not, or is
 * no file, is not in the answer. Throws where git does not answer.
 */
export async function readBlobs(cwd: string, names: readonly string[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  // A name of two lines would be two questions.
  const asked = [...new Set(names)].filter((name) => !/[\n\r]/.test(name));
  if (asked.length === 0) return texts;
  const chunks: Uint8Array[] = [];
  const { status, exit, stderr, error } = await run({
    command: { file: 'git', args: ['cat-file', '--batch'] },
    cwd,
    env: gitEnvironment(await namedDirectory(cwd)),
    ownTree: false,
    input: asked.map((name) => `${name}\n`).join(''),
    onOutput: (bytes, stream) => {
      if (stream === 'stdout') chunks.push(bytes);
    },
  });
  const output = Buffer.concat(chunks);
  let at = 0;
  for (const name of asked) {
    const end = output.indexOf(10, at);
    const head = end < 0 ? '' : output.toString('utf8', at, end);
    at = end + 1;
    if (head.endsWith(' missing')) continue;
    const [, type, size] = /^[0-9a-f]+ (\w+) (\d+)$/.exec(head) ?? [];
    if (type === undefined) {
      const said = [error, stderr.trim()].filter((part) => part).join(': ');
      throw new Error(
        `git object ${name} can not be read: git ${status} (${exit}) after ${output.length} bytes ${said}`,
      );
    }
    if (type === 'blob') texts.set(name, output.toString('utf8', at, at + Number(size)));
    at += Number(size) + 1;
  }
  return texts;
}
