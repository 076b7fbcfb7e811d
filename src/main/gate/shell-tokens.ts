/** One word or operator of a POSIX command line. */
export type Token =
  | {
      kind: 'word';
      text: string /** Holds a substitution: its text is not known. */;
      dynamic: boolean;
      quoted: boolean;
    }
  | { kind: 'operator'; text: '&&' | '||' | ';' | '|' | '&' | '(' | ')' };

const OPERATORS = ['&&', '||', ';;', ';', '|&', '|', '&', '(', ')'] as const;

/** Index after the closing of `$(…)`, `${…}` or a backtick that opens at `start`; undefined where it stays open. */
function skipSubstitution(line: string, start: number): number | undefined {
  if (line[start] === '`') {
    const end = line.indexOf('`', start + 1);
    return end < 0 ? undefined : end + 1;
  }
  const [open, close] = line[start + 1] === '(' ? ['(', ')'] : ['{', '}'];
  let depth = 0;
  for (let index = start + 1; index < line.length; index += 1) {
    if (line[index] === open) depth += 1;
    else if (line[index] === close && --depth === 0) return index + 1;
  }
  return undefined;
}

/** Splits a command line; redirections are dropped. Undefined: syntax that this reader does not follow. */
export function shellTokens(line: string): Token[] | undefined {
  const tokens: Token[] = [];
  let index = 0;
  while (index < line.length) {
    const char = line[index] ?? '';
    if (char === '\n') {
      tokens.push({ kind: 'operator', text: ';' });
      index += 1;
    } else if (/\s/.test(char)) index += 1;
    else if (char === '\\' && line[index + 1] === '\n') index += 2;
    else if (char === '#') {
      const end = line.indexOf('\n', index);
      index = end < 0 ? line.length : end;
    } else {
      const redirect = /^(?:\d*(?:<<<|<<|>>|>\||>&|<&|<>|>|<)|&>>?)\s*/.exec(line.slice(index));
      if (redirect) {
        if (redirect[0].includes('<<')) return undefined;
        const word = readWord(line, index + redirect[0].length);
        if (!word) return undefined;
        index = word.next;
        continue;
      }
      const operator = OPERATORS.find((text) => line.startsWith(text, index));
      if (operator !== undefined) {
        if (operator === ';;') return undefined;
        tokens.push({ kind: 'operator', text: operator === '|&' ? '|' : operator });
        index += operator.length;
        continue;
      }
      const word = readWord(line, index);
      if (!word || word.next === index) return undefined;
      tokens.push(word.token);
      index = word.next;
    }
  }
  return tokens;
}

function readWord(
  line: string,
  start: number,
): { token: Token & { kind: 'word' }; next: number } | undefined {
  let text = '';
  let dynamic = false;
  let quoted = false;
  let index = start;
  while (index < line.length) {
    const char = line[index] ?? '';
    if (/[\s;&|()<>]/.test(char)) break;
    if (char === "'") {
      const end = line.indexOf("'", index + 1);
      if (end < 0) return undefined;
      text += line.slice(index + 1, end);
      quoted = true;
      index = end + 1;
    } else if (char === '"') {
      quoted = true;
      index += 1;
      while (line[index] !== '"') {
        if (index >= line.length) return undefined;
        const inner = line[index] ?? '';
        if (inner === '\\' && /["\\$`]/.test(line[index + 1] ?? '')) {
          text += line[index + 1];
          index += 2;
        } else if (inner === '`' || (inner === '$' && /[({]/.test(line[index + 1] ?? ''))) {
          const end = skipSubstitution(line, index);
          if (end === undefined) return undefined;
          dynamic = true;
          index = end;
        } else {
          if (inner === '$') dynamic = true;
          text += inner;
          index += 1;
        }
      }
      index += 1;
    } else if (char === '\\') {
      text += line[index + 1] ?? '';
      quoted = true;
      index += 2;
    } else if (char === '`' || (char === '$' && /[({]/.test(line[index + 1] ?? ''))) {
      const end = skipSubstitution(line, index);
      if (end === undefined) return undefined;
      dynamic = true;
      index = end;
    } else {
      if (char === '$') dynamic = true;
      text += char;
      index += 1;
    }
  }
  return { token: { kind: 'word', text, dynamic, quoted }, next: index };
}
