/** What programs of the system really printed, on several machines and in several languages. Windows ends lines with CR LF. */

const crlf = (...lines: string[]): string => lines.map((line) => `${line}\r\n`).join('');

/** `fsutil devdrv query X:`, and without a volume. Its exit code is 0 in all but the refused ones. */
export const FSUTIL = {
  enabled: crlf('Developer volumes are enabled.', '', 'Developer volumes are protected by antivirus filter.'),
  enabledByPolicy: crlf(
    'Developer volumes are enabled. ',
    'Developer volumes are protected by antivirus filter, by group policy. ',
    'Filters allowed on any developer volume, by group policy: ',
    '    MsSecFlt ',
    'Filters allowed on any developer volume: ',
    '    FileInfo ',
  ),
  trustedByPolicy: crlf(
    'This is a trusted developer volume. ',
    'Developer volumes are protected by antivirus filter, by group policy. ',
    'Filters allowed on any developer volume, by group policy: ',
    '    MsSecFlt ',
    'Filters allowed on any developer volume: ',
    '    FileInfo ',
    'Filters currently attached to this developer volume: ',
    '    MsSecFlt, WdFilter, FileInfo ',
  ),
  trustedBare: crlf(
    'This is a trusted developer volume.',
    'No filters are currently attached to this developer volume.',
    'Developer volumes are enabled.',
  ),
  trustedScanned: crlf(
    'This is a trusted developer volume.',
    '',
    'Developer volumes are protected by antivirus filter.',
    '',
    'Filters currently attached to this developer volume:',
    '    WdFilter',
  ),
  ordinary: crlf('This is not a developer volume.'),
  refused: crlf('Failed to open the volume.', 'Error 5: Access is denied.'),
  /** As a Chinese Windows prints it, in its own code page. */
  refusedChinese: Buffer.from(
    'cedeb7a8b4f2bfaabeeda1a30d0ab4edcef320353a20bedcbef8b7c3cecaa1a30d0a',
    'hex',
  ).toString('utf8'),
  unsupported: crlf('---- Commands Supported ----', '8dot3name       8dot3name management'),
  trustedGerman: crlf('Dies ist ein vertrauenswürdiges Entwicklervolume.'),
};
/** Nobody has recorded what it says of an untrusted one: none of these may be taken for an answer. */
export const FSUTIL_GUESSES = [
  'This is an untrusted developer volume.',
  'This is a developer volume, but it is not trusted.',
  'This is a developer volume.',
  'This is not a trusted developer volume.',
];

/** The volume's own answer: flags, mask, version, reserved. */
export const VOLUME_STATE = {
  trusted: '00600000 00600000 01000000 00000000',
  untrusted: '00200000 00600000 01000000 00000000',
  ordinary: '00000000 00600000 01000000 00000000',
};

/** One a machine: a user, an administrator, another product in charge, no Defender at all. */
export const PROBES = {
  user: '{"v":1,"mp":{"ok":true,"mode":"Normal","av":true,"rtp":true,"tamper":true,"ver":"4.18.25080.5"},"pref":{"ok":true,"hide":true,"perf":1,"paths":["N/A: Must be an administrator to view exclusions"],"procs":["N/A: Must be an administrator to view exclusions"]},"av":[{"name":"Windows Defender","state":397568}],"vol":{"fs":"ReFS","fsType":15,"size":322122547200,"free":214748364800,"driveType":3},"elevated":false}',
  administrator:
    '{"v":1,"mp":{"ok":true,"mode":"Normal","av":true,"rtp":true,"tamper":false,"ver":"4.18.25080.5"},"pref":{"ok":true,"hide":true,"perf":1,"paths":["d:\\\\Slots\\\\","C:\\\\Users\\\\*\\\\AppData\\\\Local\\\\x\\\\:{Process:\\"C:\\\\x\\\\y.exe\\"}","%USERPROFILE%\\\\src"],"procs":[]},"av":[{"name":"Windows Defender","state":397568}],"vol":{"fs":"NTFS","fsType":14,"size":1000186310656,"free":21474836480,"driveType":3},"elevated":true}',
  otherProduct:
    '{"v":1,"mp":{"ok":false,"hr":"0x800106ba"},"pref":{"ok":false,"hr":"0x800106ba"},"av":[{"name":"Windows Defender","state":393472},{"name":"Norton Security","state":266240}],"vol":{"fs":"NTFS","fsType":14,"size":1,"free":1,"driveType":3},"elevated":false}',
  none: '{"v":1,"mp":{"ok":false,"err":"CommandNotFoundException"},"pref":{"ok":false,"err":"CommandNotFoundException"},"av":null,"vol":null,"elevated":false}',
};

/** What stands in place of the list of exclusions, one for each age of Defender; the middle one is as it was shipped. */
export const PLACEHOLDERS = [
  'N/A: Must be admin to view exclusions',
  'N/A: Must be and administrator to view exclusions',
  'N/A: Must be an administrator to view exclusions',
];

/** PowerShell's errors where Defender is off: the sentence differs and wraps, the id does not. */
export const NOT_RUNNING_ERRORS = [
  crlf(
    'Get-MpComputerStatus : A general error occurred that is not covered by a more specific error code.',
    '    + CategoryInfo          : NotSpecified: (MSFT_MpComputerStatus:ROOT\\Microsoft\\...pComputerStatus) [Get-MpComputerS ',
    '   tatus], CimException',
    '    + FullyQualifiedErrorId : HRESULT 0x800106ba,Get-MpComputerStatus',
  ),
  crlf(
    'Get-MpPreference : Operation failed with the following error: 0x%1!x!',
    '    + FullyQualifiedErrorId : HRESULT 0x800106ba,Get-MpPreference',
  ),
  crlf(
    'Add-MpPreference : Operation failed with the following error: 0x800106ba. Operation: MpPreference. Target: ',
    'ConfigListExtension.',
    '    + FullyQualifiedErrorId : HRESULT 0x800106ba,Add-MpPreference',
  ),
];

export const FINDMNT_STACKED =
  '{"filesystems":[{"target":"/dev/shm","source":"tmpfs","fstype":"tmpfs","options":"rw,relatime,size=24684084k"},{"target":"/dev/shm","source":"tmpfs","fstype":"tmpfs","options":"rw,relatime,size=24684084k,noexec"}]}';

export const TMUTIL = {
  excluded: '[Excluded]    /Users/a/slots\n',
  included: '[Included]    /Users/a/slots\n',
};
export const MDUTIL = {
  disabled: '/Volumes/X:\n\tIndexing disabled.\n',
  enabled: '/:\n\tIndexing enabled. \n',
  other: '/Volumes/X:\n\tDie Indexierung ist deaktiviert.\n',
};
