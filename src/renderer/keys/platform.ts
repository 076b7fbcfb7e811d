export const isMac = (): boolean =>
  (window.headway?.platform ?? navigator.platform).toLowerCase().startsWith('mac') ||
  window.headway?.platform === 'darwin';
