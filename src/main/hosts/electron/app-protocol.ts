import { readFile } from 'node:fs/promises';
import { protocol, type Session } from 'electron';
import { contentPolicy } from '../content-policy.ts';
import { findStaticFile } from '../static-files.ts';

const SCHEME = 'app';
export const APP_ORIGIN = `${SCHEME}://headway`;
export const APP_URL = `${APP_ORIGIN}/`;

/** Before the app is ready. A scheme of our own has an origin to check, unlike file:, and reads our files only. */
export function registerAppScheme(): void {
  const privileges = { standard: true, secure: true, supportFetchAPI: true, codeCache: true };
  protocol.registerSchemesAsPrivileged([{ scheme: SCHEME, privileges }]);
}

/** Serves the interface to the session's windows, and cuts them off from everything else. */
export function serveApp(session: Session, rendererDir: string): void {
  session.protocol.handle(SCHEME, async (request) => {
    const url = new URL(request.url);
    const file =
      `${url.protocol}//${url.host}` === APP_ORIGIN
        ? await findStaticFile(rendererDir, url.pathname)
        : undefined;
    if (!file) return new Response('Nothing here.', { status: 404 });
    return new Response(new Uint8Array(await readFile(file.path)), {
      headers: {
        'content-type': file.contentType,
        'content-security-policy': contentPolicy(),
        'x-content-type-options': 'nosniff',
      },
    });
  });
  // The second fence: whatever a page of ours might be made to ask for, nothing leaves this machine.
  session.webRequest.onBeforeRequest((details, done) => {
    const allowed = details.url.startsWith(APP_URL) || /^(devtools|data|blob):/.test(details.url);
    done({ cancel: !allowed });
  });
  session.webRequest.onHeadersReceived((details, done) => {
    if (!details.url.startsWith(APP_URL)) {
      done({});
      return;
    }
    const others = Object.entries(details.responseHeaders ?? {}).filter(
      ([name]) => name.toLowerCase() !== 'content-security-policy',
    );
    done({
      responseHeaders: { ...Object.fromEntries(others), 'content-security-policy': [contentPolicy()] },
    });
  });
}

/** Copying by a click is all that a page may ask the system for. */
export function denyPermissions(session: Session): void {
  const isAllowed = (permission: string): boolean => permission === 'clipboard-sanitized-write';
  session.setPermissionRequestHandler((_contents, permission, answer) => answer(isAllowed(permission)));
  session.setPermissionCheckHandler((_contents, permission) => isAllowed(permission));
}
