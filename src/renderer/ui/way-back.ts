const FOCUSABLE = 'button:not(:disabled), [href], input:not(:disabled), select, textarea, [tabindex="0"]';

/**
 * Remembers where the keyboard is, and returns how it gets back. What had it may be gone by then, such as the button of
 * a finding that was accepted: the keyboard then goes on in the nearest part of the page that is left.
 */
export function wayBack(): () => void {
  const before = document.activeElement;
  const around: Element[] = [];
  for (let part = before?.parentElement; part && part !== document.body; part = part.parentElement) {
    around.push(part);
  }
  return () => {
    if (!(before instanceof HTMLElement) || before === document.body) return;
    if (before.isConnected) {
      before.focus();
      return;
    }
    // Whoever took it away may have given it to something else.
    if (document.activeElement !== document.body) return;
    const part = around.find((each) => each.isConnected && each.querySelector(FOCUSABLE) !== null);
    part?.querySelector<HTMLElement>(FOCUSABLE)?.focus();
  };
}
