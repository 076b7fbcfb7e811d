import type { Settings } from '../../../shared/domain.ts';
import { settingsSchema } from '../../../shared/domain.ts';
import { HeadwayError } from '../../../shared/errors.ts';
import { nearestNames } from '../../../shared/nearest-names.ts';
import { parseRequest } from '../../../shared/rpc/server.ts';
import { formatBytes, parseBytes } from '../../../shared/sizes.ts';
import { formatDuration, parseDuration } from '../../../shared/time.ts';
import { DEFAULT_SETTINGS } from '../../settings/defaults.ts';
import { EXIT } from './exit-codes.ts';
import { looking } from './looking.ts';
import { type Output, table } from './output.ts';

type Name = keyof Settings;

/** What takes a setting without a default away again. */
const NONE = 'none';

const names = (): Name[] => Object.keys(settingsSchema.shape) as Name[];

function known(word: string): Name {
  const name = names().find((one) => one === word);
  if (name) return name;
  const near = nearestNames(word, names());
  throw new HeadwayError(
    'bad-input',
    `There is no setting ${word}; ${near.length > 0 ? `did you mean ${near.join(' or ')}?` : '`headway settings` lists them.'}`,
  );
}

function inWords(name: Name, value: Settings[Name]): string {
  if (value === undefined) return NONE;
  if (typeof value !== 'number') return String(value);
  if (name.endsWith('Bytes')) return formatBytes(value);
  return name.endsWith('Ms') ? formatDuration(value) : String(value);
}

/** Pure: what a person typed as the value that the setting takes; what it does not understand is left to the schema. */
export function readValue(name: Name, text: string): unknown {
  if (name === 'maxJobsPerUser' && text === NONE) return null;
  if (typeof DEFAULT_SETTINGS[name] === 'string') return text;
  if (text === 'true' || text === 'false') return text === 'true';
  const unit = name.endsWith('Ms')
    ? parseDuration(text)
    : name.endsWith('Bytes')
      ? parseBytes(text)
      : undefined;
  return unit ?? (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text);
}

function say(name: Name, settings: Settings, output: Output): number {
  const value = settings[name] ?? null;
  output.data({ type: 'setting', name, value, default: DEFAULT_SETTINGS[name] ?? null });
  output.say(`${name}  ${inWords(name, settings[name])}`);
  return EXIT.ok;
}

/** `headway settings`: all of them, and which differ from the default. */
export function settingsCommand(output: Output): Promise<number> {
  return looking(async ({ parts }) => {
    const settings = parts.settings.get();
    output.data({ type: 'settings', settings });
    output.say(
      table(
        names().map((name) => {
          const usual = inWords(name, DEFAULT_SETTINGS[name]);
          const now = inWords(name, settings[name]);
          return [name, now, now === usual ? '' : `default: ${usual}`];
        }),
      ),
    );
    return EXIT.ok;
  });
}

export function getSettingCommand(word: string, output: Output): Promise<number> {
  const name = known(word);
  return looking(async ({ parts }) => say(name, parts.settings.get(), output));
}

/** Takes and refuses what the API's `settings.set` does, in the same words. */
export function setSettingCommand(word: string, text: string, output: Output): Promise<number> {
  const name = known(word);
  const change = parseRequest('settings.set', { [name]: readValue(name, text) });
  return looking(async ({ parts }) => say(name, await parts.settings.set(change), output));
}
