import { describe, expect, it } from 'vitest';
import { posixCommandLine, windowsCommandLine } from './command-line.ts';

describe('posixCommandLine', () => {
  it.each([
    ['codex exec {prompt}', 'codex exec "$HEADWAY_PROMPT"'],
    ['run --file={promptFile} {ticket}', 'run --file="$HEADWAY_PROMPT_FILE" "$HEADWAY_TICKET"'],
    ['say "do: {prompt}"', 'say "do: \u0024{HEADWAY_PROMPT}"'],
    ["say '{prompt}!'", "say ''\"$HEADWAY_PROMPT\"'!'"],
    ["sh -c 'echo {prompt}'", 'sh -c \'echo "$HEADWAY_PROMPT"\''],
    ['bash -lc "echo {prompt}"', 'bash -lc "echo \\"\\$HEADWAY_PROMPT\\""'],
    ['echo \\" {dir} it\\\'s', 'echo \\" "$HEADWAY_DIR" it\\\'s'],
    ['echo {a,b} {} \u0024{HOME} {1..3}', 'echo {a,b} {} \u0024{HOME} {1..3}'],
  ])('writes `%s` so that the shell never parses the text', (template, expected) => {
    expect(posixCommandLine(template)).toBe(expected);
  });

  it('names the placeholders there are, and quotes that are open', () => {
    expect(() => posixCommandLine('x {promt}')).toThrow(/\{promt\} is no placeholder; there are \{prompt\}/);
    expect(() => posixCommandLine("x 'y")).toThrow(/single quote is not closed/);
  });
});

describe('windowsCommandLine', () => {
  it('expands after the line was parsed', () => {
    expect(windowsCommandLine('codex exec {prompt}')).toBe(
      'cmd.exe /d /v:on /s /c "codex exec "!HEADWAY_PROMPT!""',
    );
    expect(windowsCommandLine('say "{ticket}"')).toBe('cmd.exe /d /v:on /s /c "say "!HEADWAY_TICKET!""');
  });
});
