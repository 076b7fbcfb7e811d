import { inspect } from 'node:util';
import { secretsOf } from '../redaction/known-secrets.ts';
import { createTextRedactor } from '../redaction/redaction.ts';

/** An error as Node would print it, causes included, with secrets taken out. */
export function crashText(thrown: unknown): string {
  return createTextRedactor(secretsOf(process.env)).text(inspect(thrown));
}

/**
 * Says what nobody caught, and ends the process as Node would have done. Node itself prints such an error as it is, with whatever
 * a program or a remote had said in it.
 */
export function endOnCrash(say: (text: string) => void): void {
  process.on('uncaughtException', (thrown) => {
    try {
      // Whoever read the output has gone: there is nobody to tell.
      if ((thrown as NodeJS.ErrnoException).code !== 'EPIPE') say(crashText(thrown));
    } finally {
      process.exit(1);
    }
  });
}
