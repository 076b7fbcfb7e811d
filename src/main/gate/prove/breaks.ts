import type { BreakKind } from '../../../shared/gate-report.ts';

/** One deliberate fault: where, what, and how it will be known again in a step's output. */
export type Break = {
  id: number;
  area: string;
  kind: BreakKind;
  file: string;
  /** In words. */
  edit: string;
  /** Stands in the output of whatever stumbles over it; undefined where nothing can. */
  marker: string | undefined;
  /** The whole text of the broken file, made from the text as it is. */
  apply(text: string): string;
};

const isModule = (text: string): boolean => /^\s*(import\b(?!\s*\()|export\b)/m.test(text);
const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);
const isTypescript = (path: string): boolean => /\.[cm]?tsx?$/.test(path);

const markerOf = (id: number): string => `headway-break-${id}`;

/** A fault that only a type checker can see. */
export function typeBreak(id: number, area: string, file: string): Break {
  const marker = markerOf(id);
  return {
    id,
    area,
    kind: 'type',
    file,
    edit: `a constant of type '${marker}' with another value`,
    marker,
    apply: (text) =>
      `${ended(text)}${isModule(text) ? 'export ' : ''}const headwayBreak${id}: '${marker}' = 'other';\n`,
  };
}

/** A fault that the recommended rules of every common linter name. */
export function lintBreak(id: number, area: string, file: string): Break {
  return {
    id,
    area,
    kind: 'lint',
    file,
    edit: 'a debugger statement, var, == and an empty block',
    marker: undefined,
    apply: (text) =>
      `${ended(text)}${isModule(text) ? 'export ' : ''}function headwayBreak${id}() { debugger; var a = 1; if (a == 1) {} }\n`,
  };
}

export function importBreak(id: number, area: string, file: string): Break {
  const marker = markerOf(id);
  return {
    id,
    area,
    kind: 'import',
    file,
    edit: `an import of ./${marker}.js, which does not exist`,
    marker,
    apply: (text) =>
      isModule(text) || /\.m[jt]s$/.test(file) || isTypescript(file)
        ? `${ended(text)}import * as headwayBreak${id} from './${marker}.js';\nvoid headwayBreak${id};\n`
        : `${ended(text)}require('./${marker}.js');\n`,
  };
}

/** One more test that fails. */
export function assertionBreak(id: number, area: string, file: string): Break {
  const marker = markerOf(id);
  return {
    id,
    area,
    kind: 'assertion',
    file,
    edit: 'one more test, which fails',
    marker,
    apply(text) {
      const call = /(?:^|[\s;(){])(test|it)\s*\(\s*['"`]/.exec(text)?.[1];
      const fails = `throw new Error('${marker}');`;
      // Without a call to copy, the file itself fails when a runner loads it.
      return `${ended(text)}${call === undefined ? fails : `${call}('${marker}', () => { ${fails} });`}\n`;
    },
  };
}

/** Code that no builder can read. */
export function buildBreak(id: number, area: string, file: string): Break {
  const marker = markerOf(id);
  return {
    id,
    area,
    kind: 'build',
    file,
    edit: 'a line that is no JavaScript',
    marker,
    apply: (text) => `${ended(text)}const = '${marker}';\n`,
  };
}

/** A link to a note that does not exist. */
export function linkBreak(id: number, area: string, file: string): Break {
  const marker = markerOf(id);
  return {
    id,
    area,
    kind: 'import',
    file,
    edit: `a link to [[${marker}]], which does not exist`,
    marker,
    apply: (text) => `${ended(text)}\n[[${marker}]]\n`,
  };
}
