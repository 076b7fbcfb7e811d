import type { Answer } from './answer.ts';

export type DevDrive = 'trusted' | 'untrusted' | 'no' | 'unsupported';

export type WindowsFacts = {
  elevated: Answer<boolean>;
  devDrive: Answer<DevDrive>;
  /** Microsoft Defender scans files as they are opened. */
  defender: Answer<boolean>;
  /** Other products that scan, by name. */
  otherScanners: readonly string[];
  /** The root is on Defender's list of exclusions. */
  excluded: Answer<boolean>;
  /** The list is managed from elsewhere, so an entry of one's own has no effect. */
  managed: boolean;
  /** On a trusted Dev Drive, Defender scans after opening instead of before. */
  performanceMode: Answer<boolean>;
  longPaths: Answer<boolean>;
  gitLongPaths: Answer<boolean>;
};
