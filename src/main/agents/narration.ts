const encoder = new TextEncoder();

const ESCAPE = '\u001b[';
const DIM = `${ESCAPE}2m`;
const BOLD = `${ESCAPE}1m`;
const RED = `${ESCAPE}31m`;
const RESET = `${ESCAPE}0m`;

/** The look of what an agent says and does, the same for every agent. Text of an agent is shown without its control codes. */
export function createNarration(output: (bytes: Uint8Array) => void) {
  const line = (text: string): void => output(encoder.encode(`${text}\n`));
  return {
    say: (text: string): void => line(plain(text)),
    /** An action: what kind, and on what. */
    act: (verb: string, object: string): void => line(`${BOLD}${verb}${RESET} ${plain(object)}`),
    /** Detail below an action. */
    detail: (text: string): void => {
      for (const row of plain(text).split('\n')) line(`${DIM}  ${row}${RESET}`);
    },
    complain: (text: string): void => line(`${RED}${plain(text)}${RESET}`),
  };
}
export type Narration = ReturnType<typeof createNarration>;

/** Text without control characters other than line feed and tab: what a model wrote can't move the cursor. */
function plain(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}

/** The first `limit` characters of the first line, with a mark where something is left out. */
export function shorten(text: string, limit = 120): string {
  const [first = '', ...rest] = plain(text).trim().split('\n');
  return first.length > limit || rest.length > 0 ? `${first.slice(0, limit)}…` : first;
}
