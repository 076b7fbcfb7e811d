import { Copy } from 'lucide-react';
import { showToast } from '../state/ui-store.ts';
import { Button } from './button.tsx';

/** Puts a text on the clipboard; `name` tells it from others for screen readers. */
export function CopyButton({ text, what, name }: { text: string; what: string; name?: string }) {
  return (
    <Button icon={Copy} aria-label={name} onClick={() => void copy(text)}>
      {what}
    </Button>
  );
}

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showToast('info', 'Copied.');
  } catch {
    showToast('error', 'The browser refused to copy. Allow the clipboard for this page, or select the text.');
  }
}
