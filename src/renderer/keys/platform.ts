/** The interface in a page of a browser, which keeps some keys for itself. */
export const inBrowser = (): boolean => window.headway === undefined;

export const isMac = (): boolean =>
  (window.headway?.platform ?? navigator.platform).toLowerCase().startsWith('mac') ||
  window.headway?.platform === 'darwin';
