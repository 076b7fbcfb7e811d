/** A browser of the Chromium family; undefined where none is installed. */
export function findBrowser(): string | undefined;
/** Finds a browser or installs one; throws an error that says what to do where neither is possible. */
export function ensureBrowser(): string;
