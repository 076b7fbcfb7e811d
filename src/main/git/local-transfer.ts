import type { Environment } from '../processes/environment.ts';

/*
 * Objects move between the user's clone, the mirror and slots, all on this machine. What a person's settings say of servers is not meant
 * for that: hidden refs, protocols that are forbidden, addresses that are rewritten.
 */

/** Shown to a fetch and found by a push, whatever is hidden from others. The last entry that fits wins. */
const SHOWN = ['transfer', 'uploadpack', 'receive'].map((side) => `-c '${side}.hideRefs=!refs'`).join(' ');

/** What serves a fetch. Git runs it in a shell and passes on none of the settings that the caller was given by -c. */
export const UPLOAD_PACK = `git ${SHOWN} upload-pack`;

/** What takes a push, with further settings of its own. */
export const receivePack = (...settings: string[]): string =>
  `git ${SHOWN} ${settings.map((setting) => `-c ${setting}`).join(' ')} receive-pack`;

export const LOCAL_CONFIG = ['-c', 'protocol.version=2', '-c', 'protocol.file.allow=always'];

/** A path that is meant as it stands: of all rewritings of addresses the longest that fits counts, and that is this one. */
export const plainAddress = (path: string): Environment => ({
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_0: `url.${path}.insteadOf`,
  GIT_CONFIG_VALUE_0: path,
  GIT_CONFIG_KEY_1: `url.${path}.pushInsteadOf`,
  GIT_CONFIG_VALUE_1: path,
});
