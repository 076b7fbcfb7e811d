import { MOST_WORDS, ModelError } from './chat-model.ts';
import { LineReader } from './lines.ts';

/**
 * Passes a stream of JSON lines on, without blank ones, and fails at the first line that is no JSON: a reader further on
 * would only warn, and the answer would miss a piece that nobody noticed.
 */
export function jsonLinesGuard(maxLineBytes: number): TransformStream<Uint8Array, Uint8Array> {
  const reader = new LineReader(maxLineBytes);
  const encoder = new TextEncoder();
  let seen = 0;
  const check = (lines: string[], controller: TransformStreamDefaultController<Uint8Array>): void => {
    if (reader.leftOut > 0) {
      controller.error(new ModelError('failed', `a line of the answer is longer than ${maxLineBytes} bytes`));
      return;
    }
    for (const line of lines) {
      if (line.trim() === '') continue;
      seen += 1;
      try {
        JSON.parse(line);
      } catch {
        const start = line.slice(0, MOST_WORDS);
        controller.error(
          new ModelError(
            'failed',
            `the server answered with something else than Ollama does (line ${seen} is no JSON: ${start})`,
          ),
        );
        return;
      }
      controller.enqueue(encoder.encode(`${line}\n`));
    }
  };
  return new TransformStream({
    transform: (bytes, controller) => check(reader.push(bytes), controller),
    flush: (controller) => check(reader.end(), controller),
  });
}
