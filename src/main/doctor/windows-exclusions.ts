import { type Answer, known, unknown } from './answer.ts';

/** Defender reads variables as the system account does: those of a user lead somewhere else and protect nothing. */
const SYSTEM_VARIABLES: Record<string, string> = {
  SYSTEMDRIVE: 'C:',
  SYSTEMROOT: 'C:\\Windows',
  WINDIR: 'C:\\Windows',
  PROGRAMFILES: 'C:\\Program Files',
  'PROGRAMFILES(X86)': 'C:\\Program Files (x86)',
  PROGRAMDATA: 'C:\\ProgramData',
  ALLUSERSPROFILE: 'C:\\ProgramData',
  PUBLIC: 'C:\\Users\\Public',
};
const MAX_WILDCARDS = 6;

/** Pure: the sentence that stands in place of a list that may not be read. By its shape, since wordings differ. */
export function isPlaceholder(entry: string): boolean {
  const text = entry.trim();
  if (/^N\/A\b/i.test(text)) return true;
  return !/[\\/%]/.test(text) && text[1] !== ':';
}

/** Pure: a path with backslashes and no separator at its end, or an entry with its variables; undefined: matches nothing. */
function normalise(path: string): string | undefined {
  let lost = false;
  const expanded = path.trim().replace(/%([^%]+)%/g, (_, name: string) => {
    const value = SYSTEM_VARIABLES[name.toUpperCase()];
    if (value === undefined) lost = true;
    return value ?? '';
  });
  if (lost || expanded.startsWith('$')) return undefined;
  return expanded
    .replaceAll('/', '\\')
    .replace(/^\\\\\?\\(?=[A-Za-z]:)/, '')
    .replace(/\\+$/, '')
    .toLowerCase();
}

const segmentFits = (pattern: string, name: string): boolean => {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`).test(name);
};

/** Pure: whether an entry of the list covers everything below `path`. */
export function covers(entry: string, path: string): 'yes' | 'no' | 'unknown' {
  // Only for one process, or one kind of scan.
  if (entry.includes(':{')) return 'no';
  const pattern = normalise(entry);
  const target = normalise(path);
  if (!pattern || target === undefined) return 'no';
  const wildcards = pattern.match(/[*?]/g)?.length ?? 0;
  if (wildcards > MAX_WILDCARDS) return 'unknown';
  const wanted = pattern.split('\\');
  const names = target.split('\\');
  if (wanted.length > names.length) return 'no';
  if (!wanted.every((each, index) => segmentFits(each, names[index] ?? ''))) return 'no';
  // At the end it stands for files of that folder alone, unless a separator follows.
  return /[*?]/.test(wanted.at(-1) ?? '') && !/[\\/]\s*$/.test(entry) ? 'unknown' : 'yes';
}

/** Pure: whether a list covers `path`, as three values. `elevated`: it was read by an administrator. */
export function exclusionAnswer(
  entries: readonly string[],
  path: string,
  read: { elevated: boolean; hidden: boolean | undefined },
): Answer<boolean> {
  if (entries.some(isPlaceholder)) {
    return unknown(
      read.elevated
        ? 'a policy hides the list of exclusions even from administrators'
        : 'Windows shows the list of exclusions to administrators only',
    );
  }
  const answers = entries.map((entry) => covers(entry, path));
  if (answers.includes('yes')) return known(true);
  if (answers.includes('unknown')) return unknown('an entry with wildcards may cover the slots or not');
  if (read.elevated || entries.length > 0 || read.hidden === false) return known(false);
  return unknown('the list looks empty, as it does to those who may not read it');
}

/** Pure: why a folder must never be excluded from scanning; undefined where it may. `path` is a real path. */
export function exclusionProblem(path: string): string | undefined {
  const target = normalise(path);
  if (target === undefined || !/^[a-z]:\\|^\\\\/.test(`${target}\\`)) return 'it is no full path';
  if (/[*?%$]/.test(target)) return 'its name has characters that an exclusion reads in its own way';
  if (/^[a-z]:$/.test(target)) return 'it is a whole drive';
  if (target.startsWith('\\\\')) return 'it is a share on a network';
  const [, first = '', second = '', ...below] = target.split('\\');
  if (first === 'windows' || first.startsWith('program files')) return 'it is a folder of the system';
  if (first === 'programdata' && second === '') return 'it is a folder of the system';
  if (first === 'users' && below.length === 0) return "it holds a person's whole home";
  return undefined;
}
