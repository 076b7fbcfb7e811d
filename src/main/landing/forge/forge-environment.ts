import { childEnvironment, type Environment } from '../../processes/environment.ts';
import { secretsOf } from '../../redaction/known-secrets.ts';
import { createTextRedactor } from '../../redaction/redaction.ts';

/** By which the user's own `gh` and git helpers find their credentials. Nothing that an agent runs sees them. */
const CREDENTIALS = [
  'GH_TOKEN',
  'GITHUB_TOKEN',
  'GH_ENTERPRISE_TOKEN',
  'GITHUB_ENTERPRISE_TOKEN',
  'GH_HOST',
  'GH_CONFIG_DIR',
  'SSH_AUTH_SOCK',
  'DBUS_SESSION_BUS_ADDRESS',
];

/** What a call to a source-control service may see: the user's own access, no prompts, no colours. */
export function forgeEnvironment(extra: Environment = {}): Environment {
  return childEnvironment(
    {
      GH_PROMPT_DISABLED: '1',
      GH_NO_UPDATE_NOTIFIER: '1',
      NO_COLOR: '1',
      GIT_TERMINAL_PROMPT: '0',
      ...extra,
    },
    { also: CREDENTIALS },
  );
}

/** Words of a program for a person: no credentials, one line, not long. Redacted before they are cut. */
export function forgeWords(text: string): string {
  const plain = createTextRedactor(secretsOf(process.env))
    .text(text)
    .replace(/\/\/[^/@\s]+@/g, '//')
    .replace(/\s*\n\s*/g, ' · ')
    .trim();
  return plain.length > 400 ? `${plain.slice(0, 399)}…` : plain;
}
