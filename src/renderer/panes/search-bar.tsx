import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { uiStore } from '../state/ui-store.ts';
import { findTerminal } from '../terminals/registry.ts';
import { IconButton } from '../ui/button.tsx';
import styles from './panes.module.css';

/** Search in a pane's scrollback; Enter goes on, Shift+Enter back, Escape closes. */
export function SearchBar(props: { sessionId: string; found: { index: number; count: number } }) {
  const { sessionId, found } = props;
  const [text, setText] = useState('');
  const ref = useRef<HTMLInputElement>(null);
  useEffect(() => {
    ref.current?.focus();
    return () => findTerminal(sessionId)?.endSearch();
  }, [sessionId]);
  const find = (direction: 'next' | 'previous'): void => findTerminal(sessionId)?.find(text, direction);
  const close = (): void => {
    uiStore.setState({ searchPaneId: undefined });
    findTerminal(sessionId)?.focus();
  };
  return (
    <search className={styles.search}>
      <input
        ref={ref}
        aria-label="Search in scrollback"
        placeholder="Search"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          findTerminal(sessionId)?.find(event.target.value, 'next', true);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') find(event.shiftKey ? 'previous' : 'next');
          else if (event.key === 'Escape') close();
          else return;
          event.preventDefault();
        }}
      />
      <span role="status">
        {text === '' ? '' : found.count === 0 ? 'none' : `${found.index + 1} of ${found.count}`}
      </span>
      <IconButton icon={ChevronUp} label="Previous match" onClick={() => find('previous')} />
      <IconButton icon={ChevronDown} label="Next match" onClick={() => find('next')} />
      <IconButton icon={X} label="Close search" onClick={close} />
    </search>
  );
}
