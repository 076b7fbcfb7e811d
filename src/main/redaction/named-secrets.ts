import { LeadFinder } from './lead-finder.ts';
import { unbroken } from './line-breaks.ts';
import { judge } from './secret-judge.ts';

/** The patterns alone, without a value that is known; made with its first use. */
let finder: LeadFinder | undefined;

/** Pure: what a text holds that nothing but a credential looks like: what a person calls it, and what would be hidden. */
export function namedSecrets(text: string): { name: string; secret: string }[] {
  const view = unbroken(Buffer.from(text, 'utf8'));
  finder ??= new LeadFinder([]);
  return finder.find(view.bytes, view.isBreak).flatMap((found) => {
    const { kind, from, to, pattern } = judge(found, view, false);
    const name = kind === 'yes' ? pattern?.name : undefined;
    return name === undefined ? [] : [{ name, secret: view.text.slice(from, to) }];
  });
}
