import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HeadwayError } from '../../../shared/errors.ts';
import { findStaticFile } from '../static-files.ts';
import { notFound, sendError } from './responses.ts';

/** Answers GET and HEAD for the interface's files. */
export async function serveStatic(
  request: IncomingMessage,
  response: ServerResponse,
  options: { directory: string; urlPath: string },
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    sendError(response, new HeadwayError('not-allowed', 'Only GET is possible here.'), 405);
    return;
  }
  const file = await findStaticFile(options.directory, options.urlPath);
  if (!file) {
    const error =
      options.urlPath === '/'
        ? new HeadwayError('unavailable', 'The interface is not built: run `npm run build`.')
        : notFound(options.urlPath);
    sendError(response, error);
    return;
  }
  response.writeHead(200, {
    'content-type': file.contentType,
    'content-length': file.sizeBytes,
    'cache-control': file.cacheControl,
  });
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  const content = createReadStream(file.path);
  content.on('error', () => response.destroy());
  response.on('close', () => content.destroy());
  content.pipe(response);
}
