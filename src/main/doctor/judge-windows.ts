import type { Judge } from './finding.ts';
import { exclusionProblem } from './windows-exclusions.ts';

/** Of the 260 that Windows allows, what nested packages take. */
const LONG_ROOT = 60;
const WINDOWS_LIMIT = 260;

export const judgeDevDrive: Judge = ({ windows, root }) => {
  if (!windows) return undefined;
  const id = 'dev-drive';
  const title = 'Dev Drive';
  const { devDrive } = windows;
  if (!devDrive.known) return { id, title, status: 'unknown', found: devDrive.why };
  const drive = root.slice(0, 2);
  switch (devDrive.value) {
    case 'trusted':
      return { id, title, status: 'ok', found: 'the slots are on a trusted Dev Drive' };
    case 'unsupported':
      return { id, title, status: 'ok', found: 'this version of Windows has none' };
    case 'untrusted':
      return {
        id,
        title,
        status: 'problem',
        found: 'the slots are on a Dev Drive that this machine does not trust',
        cost: 'It is scanned like any other volume, so most of its gain is lost.',
        remedy:
          'Trust it as an administrator. It may take effect only when the volume is mounted again; programs that use it must be closed before.',
        fix: { kind: 'command', file: 'fsutil', args: ['devdrv', 'trust', drive], elevated: true },
      };
    case 'no': {
      const found = 'the slots are on an ordinary volume';
      // Without a scanner in the way there is too little to gain for calling it a problem.
      const scanned = windows.defender.known && windows.defender.value;
      const spared = windows.excluded.known && windows.excluded.value;
      if (!scanned || spared) return { id, title, status: 'ok', found };
      return {
        id,
        title,
        status: 'problem',
        found,
        cost: 'Installs usually take 10 to 45 % longer; published measurements go from nothing to twice as long.',
        remedy:
          'Make a Dev Drive (Settings → System → Storage → Disks & volumes; at least 50 GB, Windows 11) and set HEADWAY_HOME to a folder on it; or exclude the slots from Defender. Docker bind mounts on a Dev Drive need two more filters allowed.',
      };
    }
  }
};

export const judgeDefender: Judge = ({ windows }) => {
  if (!windows) return undefined;
  const id = 'defender';
  const title = 'Virus scanner';
  const others = windows.otherScanners.join(', ');
  if (others !== '') {
    return {
      id,
      title,
      status: 'unknown',
      found: `${others} scans; Headway can't read its exclusions`,
      cost: 'Each file of an install may be scanned before it can be opened.',
      remedy: `Exclude the folder of the slots in the settings of ${others}, if your rules allow it.`,
    };
  }
  const { defender } = windows;
  if (!defender.known) return { id, title, status: 'unknown', found: defender.why };
  const found = defender.value
    ? 'Microsoft Defender scans files as they are opened'
    : 'Microsoft Defender is not scanning';
  return { id, title, status: 'ok', found };
};

export const judgeExclusion: Judge = ({ windows, root }) => {
  if (!windows) return undefined;
  const id = 'defender-exclusion';
  const title = 'Slots excluded from Defender';
  const { defender, excluded, performanceMode, devDrive } = windows;
  if (windows.otherScanners.length > 0) {
    return { id, title, status: 'unknown', found: 'another scanner is in charge' };
  }
  if (defender.known && !defender.value) {
    return { id, title, status: 'ok', found: 'not needed: Microsoft Defender is not scanning' };
  }
  if (excluded.known && excluded.value) {
    return { id, title, status: 'ok', found: 'yes; links that lead out of a slot are not covered' };
  }
  const background =
    devDrive.known && devDrive.value === 'trusted' && performanceMode.known && performanceMode.value;
  const cost = background
    ? 'On this Dev Drive Defender seems to scan in the background; what is left to gain is less than elsewhere.'
    : 'Each file of an install, a checkout or a build is scanned before it can be opened.';
  const base = { id, title, cost };
  if (windows.managed) {
    const found = 'the list is managed by your organisation';
    return {
      ...base,
      status: 'unknown',
      found,
      remedy: 'Ask who manages this machine to exclude the folder.',
    };
  }
  const refused = exclusionProblem(root);
  const offer = refused
    ? { remedy: `Set HEADWAY_HOME to a folder of its own first: ${refused}.` }
    : {
        remedy:
          'Let Headway exclude the folder: Windows asks for an administrator, and the list is read, added to and read again. What agents download there is then not scanned on opening.',
        fix: { kind: 'helper', request: { exclude: root } } as const,
      };
  if (!excluded.known) return { ...base, status: 'unknown', found: excluded.why, ...offer };
  return { ...base, status: 'problem', found: 'no', ...offer };
};

export const judgeLongPaths: Judge = ({ windows, root, repository }) => {
  if (!windows) return undefined;
  const id = 'long-paths';
  const title = 'Long paths';
  const { longPaths, gitLongPaths } = windows;
  if (!longPaths.known) return { id, title, status: 'unknown', found: longPaths.why };
  const longest = repository ? root.length + repository.longestPath + '\\0123456789\\s99\\'.length : 0;
  const cost =
    'Deep packages and long file names fail with "Filename too long" or "path not found", in git, in installs or only in some tools.';
  if (!longPaths.value) {
    return {
      id,
      title,
      status: 'problem',
      found: 'Windows stops at 260 characters',
      cost,
      remedy: 'Switch long paths on as an administrator, and start Headway and terminals anew.',
      fix: { kind: 'helper', request: { longPaths: true } },
    };
  }
  if (gitLongPaths.known && !gitLongPaths.value) {
    return {
      id,
      title,
      status: 'problem',
      found: 'on in Windows, off in git',
      cost,
      remedy: 'Switch them on for git.',
      fix: {
        kind: 'command',
        file: 'git',
        args: ['config', '--global', 'core.longPaths', 'true'],
        elevated: false,
      },
    };
  }
  if (root.length > LONG_ROOT || longest > WINDOWS_LIMIT) {
    return {
      id,
      title,
      status: 'problem',
      found: `on, but the slots' own path takes ${root.length} characters already`,
      cost: 'Tools that do not know long paths (cmd, MSBuild, some installers) fail in deep packages.',
      remedy: 'Set HEADWAY_HOME to a short path such as D:\\hw.',
    };
  }
  return {
    id,
    title,
    status: 'ok',
    found: gitLongPaths.known ? 'on, in git too' : `on; git: ${gitLongPaths.why}`,
  };
};
