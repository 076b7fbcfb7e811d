import { FitAddon } from '@xterm/addon-fit';
import { SearchAddon } from '@xterm/addon-search';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { Terminal } from '@xterm/xterm';
import type { Session } from '../../shared/domain.ts';
import { toError } from '../../shared/errors.ts';
import { keptLinesOf } from '../../shared/kept-lines.ts';
import type { SessionStream } from '../../shared/rpc/client.ts';
import { formatBytes } from '../../shared/sizes.ts';
import { engine } from '../state/engine.ts';
import { preferencesStore } from '../state/preferences.ts';
import { currentModel } from '../state/store.ts';
import { openDialog, showToast } from '../state/ui-store.ts';
import { createAckBatcher } from './ack-batcher.ts';
import { AnswerGate } from './answer-gate.ts';
import type { Backlog } from './backlog.ts';
import { terminalKeyGoesToApp } from './key-gate.ts';
import { safeTarget } from './links.ts';
import { ParseQueue, whenIdle } from './parse-queue.ts';
import { pastedText, removedText } from './pasted-text.ts';
import { searchOptions, terminalTheme } from './terminal-theme.ts';
import { acquireWebgl, releaseWebgl } from './webgl-budget.ts';

const SCROLLBACK_LINES = 5000;
const MONO =
  'ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';

/** The page has one thread for all of them. */
const queue = new ParseQueue({ later: whenIdle(), visible: () => !document.hidden });

const NOTHING_KEPT =
  'No output: nothing was printed, or it is older than what the settings keep (transcripts).';

export type TerminalView = {
  /** Something is on the screen. */
  printed(): void;
  linkHovered(target: string | undefined): void;
  linkChosen(target: string): void;
  searched(index: number, count: number): void;
};

/** One session's terminal. It outlives the pane that shows it; its bytes never touch React. */
export class SessionTerminal {
  readonly sessionId: string;
  readonly #terminal: Terminal;
  readonly #host = document.createElement('div');
  readonly #fit = new FitAddon();
  readonly #search = new SearchAddon();
  readonly #interactive: boolean;
  readonly #gate: AnswerGate;
  readonly #backlog: Backlog;
  readonly #keptLines: () => number | undefined;
  #stream: SessionStream | undefined;
  #view: TerminalView | undefined;
  #resizer: ResizeObserver | undefined;
  #sight: IntersectionObserver | undefined;
  #frame = 0;
  #sentSize = '';
  #hasPrinted = false;
  /** When it was last taken off the screen; the registry disposes the oldest. */
  hiddenAt = 0;

  constructor(session: Session) {
    this.sessionId = session.id;
    this.#interactive = session.interactive;
    const { fontSizePx, screenReader } = preferencesStore.getState();
    const choose = (_event: MouseEvent, text: string): void => {
      const target = safeTarget(text);
      if (target) this.#view?.linkChosen(target);
    };
    const hover = (_event: MouseEvent, text: string): void => this.#view?.linkHovered(safeTarget(text));
    const leave = (): void => this.#view?.linkHovered(undefined);
    this.#terminal = new Terminal({
      allowProposedApi: true,
      scrollback: SCROLLBACK_LINES,
      overviewRuler: { width: 8 },
      fontFamily: MONO,
      fontSize: fontSizePx,
      lineHeight: 1.25,
      theme: terminalTheme(),
      // Pipes end lines with a bare line feed; a pty translates it itself.
      convertEol: !session.interactive,
      cursorBlink: false,
      cursorInactiveStyle: session.interactive ? 'outline' : 'none',
      cursorStyle: 'block',
      screenReaderMode: screenReader,
      minimumContrastRatio: 4.5,
      linkHandler: { activate: choose, hover, leave },
    });
    this.#gate = this.#takeInput();
    this.#backlog = queue.backlog(this.#gate);
    this.#keptLines = keptLinesOf(this.#terminal);
    this.#terminal.loadAddon(this.#fit);
    this.#terminal.loadAddon(this.#search);
    this.#terminal.loadAddon(new WebLinksAddon(choose, { hover, leave }));
    this.#host.style.cssText = 'width:100%;height:100%';
    this.#search.onDidChangeResults(({ resultIndex, resultCount }) =>
      this.#view?.searched(resultIndex, resultCount),
    );
    this.#open(session);
  }

  /** Shows the terminal in `container` until `detach`. */
  attach(container: HTMLElement, view: TerminalView): void {
    this.#view = view;
    if (this.#hasPrinted) view.printed();
    container.append(this.#host);
    if (!this.#terminal.element) {
      this.#terminal.open(this.#host);
      if (!this.#interactive) this.#gate.write('\x1b[?25l');
    }
    this.#sight = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) acquireWebgl(this.#terminal);
      else releaseWebgl(this.#terminal);
    });
    this.#sight.observe(container);
    this.#resizer = new ResizeObserver(() => this.#fitSoon());
    this.#resizer.observe(container);
    this.#fitSoon();
  }

  detach(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#resizer?.disconnect();
    this.#resizer = undefined;
    this.#sight?.disconnect();
    this.#view = undefined;
    releaseWebgl(this.#terminal);
    this.#host.remove();
    this.hiddenAt = Date.now();
  }

  get attached(): boolean {
    return this.#resizer !== undefined;
  }

  focus(): void {
    this.#terminal.focus();
  }

  find(text: string, direction: 'next' | 'previous', incremental = false): void {
    if (text === '') this.#search.clearDecorations();
    else if (direction === 'next') this.#search.findNext(text, { ...searchOptions(), incremental });
    else this.#search.findPrevious(text, searchOptions());
  }

  endSearch(): void {
    this.#search.clearDecorations();
    this.#terminal.clearSelection();
  }

  selection(): string {
    return this.#terminal.getSelection();
  }

  /**
   * All that is pasted comes through here, whether by key, palette, menu, middle click or drop. Where the program does not know
   * a paste from typing, what would be run is shown first.
   */
  paste(given: string): void {
    const { text, removed, endsLine } = pastedText(given);
    if (this.#terminal.options.disableStdin || given === '') return;
    if (endsLine && !this.#terminal.modes.bracketedPasteMode) {
      openDialog({ kind: 'paste', sessionId: this.sessionId, text, removed });
      return;
    }
    if (removed > 0) showToast('info', `Pasted. ${removedText(removed)}`);
    this.pasteConfirmed(text);
  }

  /** A person has seen what is pasted, or need not. */
  pasteConfirmed(text: string): void {
    this.#terminal.paste(pastedText(text).text);
  }

  restyle(): void {
    const { fontSizePx, screenReader } = preferencesStore.getState();
    this.#terminal.options.theme = terminalTheme();
    this.#terminal.options.fontSize = fontSizePx;
    this.#terminal.options.screenReaderMode = screenReader;
    this.#fitSoon();
  }

  /** After a lost connection: the old stream is gone, the replay starts on an empty screen. */
  reopen(): void {
    const session = currentModel()?.sessions.get(this.sessionId);
    this.#stream?.close();
    this.#backlog.clear();
    this.#gate.forget();
    this.#terminal.reset();
    if (!this.#interactive) this.#gate.write('\x1b[?25l');
    this.#sentSize = '';
    if (session) this.#open(session);
    this.#fitSoon();
  }

  dispose(): void {
    this.detach();
    this.#stream?.close();
    this.#backlog.clear();
    this.#terminal.dispose();
  }

  #open(session: Session): void {
    this.#takesInput(this.#interactive && session.state === 'live');
    let stream: SessionStream | undefined;
    const acks = createAckBatcher((bytes) => stream?.ack(bytes, this.#keptLines()));
    stream = engine().openSession(session.id, {
      data: (bytes, skipped, passedOver, answers) => {
        if (skipped > 0) {
          this.#note(`… ${formatBytes(skipped)} of earlier output are not kept`);
        }
        if (!this.#hasPrinted) {
          this.#hasPrinted = true;
          this.#view?.printed();
        }
        acks.received(bytes.byteLength);
        this.#backlog.write(bytes, {
          outruns: passedOver !== undefined,
          answers,
          parsed: () => acks.taken(bytes.byteLength),
        });
      },
      end: (exitCode, error) => {
        this.#takesInput(false);
        if (!this.#hasPrinted) this.#note(NOTHING_KEPT);
        const why =
          error ??
          (exitCode === undefined || exitCode === 0 ? undefined : `ended with exit code ${exitCode}`);
        if (why !== undefined) this.#note(why, '\r\n');
      },
    });
    this.#stream = stream;
  }

  /** Headway's own words, behind what waits to be shown. */
  #note(text: string, before = ''): void {
    const bytes = new TextEncoder().encode(`${before}\x1b[2m${text}\x1b[0m\r\n`);
    this.#backlog.write(bytes, { outruns: false, parsed: () => undefined });
  }

  /** Where nothing can be typed, keys are the window's: Tab leads on, Escape back. */
  #takesInput(takes: boolean): void {
    this.#terminal.options.disableStdin = !takes;
    this.#host.dataset.readOnly = `${!takes}`;
  }

  #takeInput(): AnswerGate {
    const encoder = new TextEncoder();
    const send = (bytes: Uint8Array): void => {
      if (this.#interactive) engine().input(this.sessionId, bytes);
    };
    const typed = (bytes: Uint8Array): void => {
      queue.typed();
      send(bytes);
    };
    // Of the mouse; it does not come from what is parsed.
    this.#terminal.onBinary((text) => typed(Uint8Array.from(text, (char) => char.charCodeAt(0) & 0xff)));
    this.#terminal.attachCustomKeyEventHandler((event) => {
      // Where nothing can be typed, Ctrl+C can only mean copy.
      const copies = !this.#interactive && event.ctrlKey && event.code === 'KeyC';
      if (copies && event.type === 'keydown') this.#copy();
      return !copies && !terminalKeyGoesToApp(event, this.#terminal.options.disableStdin === true);
    });
    this.#takePastes();
    this.#host.addEventListener('mouseup', () => {
      if (currentModel()?.settings.copyOnSelect) this.#copy();
    });
    return new AnswerGate(this.#terminal, {
      typed: (text) => typed(encoder.encode(text)),
      answered: (text) => send(encoder.encode(text)),
    });
  }

  /** xterm.js would send what is pasted as it is: it never hears of it. */
  #takePastes(): void {
    const takeOver = (event: Event, text: string | undefined): void => {
      event.preventDefault();
      event.stopImmediatePropagation();
      this.paste(text ?? '');
    };
    const capture = { capture: true };
    this.#host.addEventListener(
      'paste',
      (event) => takeOver(event, event.clipboardData?.getData('text/plain')),
      capture,
    );
    this.#host.addEventListener(
      'drop',
      (event) => {
        // Files become tickets.
        if (event.dataTransfer?.files.length) return;
        takeOver(event, event.dataTransfer?.getData('text/plain'));
      },
      capture,
    );
    // Whatever else puts text that nobody typed into the field behind the terminal: another paste, a drop, a yank.
    this.#host.addEventListener(
      'beforeinput',
      (event) => {
        if (!/^insert(From|Replacement)/.test(event.inputType)) return;
        takeOver(event, event.dataTransfer?.getData('text/plain') ?? event.data ?? undefined);
      },
      capture,
    );
  }

  #copy(): void {
    const text = this.#terminal.getSelection();
    if (text === '') return;
    navigator.clipboard?.writeText(text).catch((thrown: unknown) => {
      showToast('error', `The browser refused to copy: ${toError(thrown).message}`);
    });
  }

  /** At most one fit, and one request, per frame; a pane without a size is not fitted. */
  #fitSoon(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      const size = this.#fit.proposeDimensions();
      if (!size || !(size.cols >= 2) || !(size.rows >= 1)) return;
      const cols = Math.min(1000, size.cols);
      const rows = Math.min(1000, size.rows);
      this.#terminal.resize(cols, rows);
      const key = `${cols}x${rows}`;
      if (key === this.#sentSize) return;
      this.#sentSize = key;
      if (!this.#interactive || currentModel()?.sessions.get(this.sessionId)?.state !== 'live') return;
      engine()
        .request('session.resize', { sessionId: this.sessionId, cols, rows })
        .catch(() => {
          // The session ended or the connection was lost meanwhile; the next fit says the size again.
          this.#sentSize = '';
        });
    });
  }
}
