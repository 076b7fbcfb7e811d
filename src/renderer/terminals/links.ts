/** Only web links leave the window; a program's output may name any scheme. */
export function safeTarget(text: string): string | undefined {
  try {
    const url = new URL(text);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : undefined;
  } catch {
    return undefined;
  }
}

export function openOutside(target: string): void {
  window.open(target, '_blank', 'noopener,noreferrer');
}
