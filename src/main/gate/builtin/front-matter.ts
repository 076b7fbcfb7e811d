import { LineCounter, parseDocument, parse as parseYaml } from 'yaml';
// Reading JSON Schema needs all of zod: by this name it is no part of the bundle, and a start does not load it.
import { z } from 'zod/v4';
import type { GateStep } from '../../../shared/domain.ts';
import { toError } from '../../../shared/errors.ts';
import { matchesAny } from '../../paths/globs.ts';
import { nodeOffset } from '../policy/yaml-places.ts';
import { frontMatterOf } from './markdown-text.ts';
import type { Problem } from './problems.ts';

export type FrontMatterRule = { glob: string; schema: z.ZodType };

/** A JSON Schema as a check of front matter. Throws where it can't be used. */
export const schemaOf = (json: Readonly<Record<string, unknown>>): z.ZodType =>
  z.fromJSONSchema(json as never);

/** The files that hold schemas: who changes them decides what is right. */
export const schemaFiles = ({ frontMatter = {} }: Pick<GateStep, 'frontMatter'>): string[] =>
  Object.values(frontMatter).flatMap((schema) =>
    typeof schema === 'string' ? schema.replace(/^\.\//, '') : [],
  );

/** The rules of a step; `read` gives the text of a schema's file at the base. Throws, with words, where one can't be used. */
export async function frontMatterRules(
  step: Pick<GateStep, 'frontMatter'>,
  read: (path: string) => Promise<string | undefined>,
): Promise<FrontMatterRule[]> {
  const rules: FrontMatterRule[] = [];
  for (const [glob, given] of Object.entries(step.frontMatter ?? {})) {
    const named = typeof given === 'string' ? given : 'the schema';
    try {
      const text = typeof given === 'string' ? await read(given.replace(/^\.\//, '')) : undefined;
      if (typeof given === 'string' && text === undefined)
        throw new Error('there is no such file on the base');
      const json: unknown = typeof given === 'string' ? parseYaml(text ?? '') : given;
      rules.push({ glob, schema: schemaOf(z.record(z.string(), z.unknown()).parse(json)) });
    } catch (thrown) {
      throw new Error(
        `front matter of ${glob}: ${named} can not be used: ${toError(thrown).message.split('\n')[0]}`,
      );
    }
  }
  return rules;
}

function words(issue: z.core.$ZodIssue): string {
  const missing = issue.code === 'invalid_type' && /received undefined/.test(issue.message);
  if (missing) return 'is missing';
  if (issue.code === 'unrecognized_keys') return `has a key that nobody knows: ${issue.keys.join(', ')}`;
  return `${issue.path.length === 0 ? '' : 'is wrong: '}${issue.message.charAt(0).toLowerCase()}${issue.message.slice(1)}`;
}

/** Pure: what of a note's front matter is not as the rules for its path want it, with the line in the note. */
export function wrongFrontMatter(path: string, text: string, rules: readonly FrontMatterRule[]): Problem[] {
  const mine = rules.filter(({ glob }) => matchesAny(path, [glob]));
  if (mine.length === 0) return [];
  const counter = new LineCounter();
  const document = parseDocument(frontMatterOf(text)?.yaml ?? '', {
    lineCounter: counter,
    prettyErrors: false,
  });
  if (document.errors.length > 0) return []; // told already
  const value: unknown = document.toJS({ maxAliasCount: 50 }) ?? {};
  if (typeof value !== 'object' || Array.isArray(value)) return []; // told already
  return mine.flatMap(({ schema }) => {
    const checked = schema.safeParse(value);
    return (checked.error?.issues ?? []).map((issue) => {
      const place = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
      const keys = issue.code === 'unrecognized_keys' ? [...place, issue.keys[0] ?? ''] : place;
      const offset = keys.length === 0 ? undefined : nodeOffset(document.contents, keys);
      // Behind the line that opens it.
      const line = offset === undefined ? 1 : counter.linePos(offset).line + 1;
      const name = place.length === 0 ? '' : ` ${place.join('.')}`;
      return { path, line, message: `front matter:${name} ${words(issue)}` };
    });
  });
}
