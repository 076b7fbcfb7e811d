import { expect, it } from 'vitest';
import { secretsOf } from './known-secrets.ts';

it.each([
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'GITHUB_TOKEN',
  'GH_TOKEN',
  'NPM_TOKEN',
  'NODE_AUTH_TOKEN',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'PGPASSWORD_TOKEN',
  'DB_PASSWORD',
  'npm_config__authToken',
])('the value of %s is a secret', (name) => {
  expect(secretsOf({ [name]: 'value-of-it' })).toEqual(['value-of-it']);
});

it.each([
  ['PATH', '/usr/bin:/bin'],
  ['TOKENIZERS_PARALLELISM', 'false-or-true'],
  ['SSH_PRIVATE_KEY', '/home/ada/.ssh/id_ed25519'],
  ['CI_TOKEN', 'short'],
  ['KEYBOARD', 'de-latin1-nodeadkeys'],
])('%s is none: %s', (name, value) => {
  expect(secretsOf({ [name]: value })).toEqual([]);
});
