export type Files = Readonly<Record<string, string>>;

/** A way to look green: what stands in the repository, and what is run. */
export type FakeGreen = {
  name: string;
  /** The base commit. */
  files: Files;
  /** Commands of --gate; default: what the base commit's policy and scripts say. */
  gate?: readonly string[];
  /** What an agent commits on top; undefined as a text deletes the file. */
  change?: Readonly<Record<string, string | { link: string } | undefined>>;
};

export const manifest = (scripts: Readonly<Record<string, string>>, more: object = {}): string =>
  JSON.stringify({ name: 'fake', private: true, type: 'module', scripts, ...more });

export const FAILING_TEST =
  "import { test } from 'node:test';\ntest('fails', () => { throw new Error('wrong'); });\n";
export const PASSING_TEST = "import { test } from 'node:test';\ntest('passes', () => {});\n";
export const TYPE_ERROR = "export const wrong: number = 'text';\n";
export const TSCONFIG = JSON.stringify({
  compilerOptions: { strict: true, noEmit: true, skipLibCheck: true, types: [] },
  include: ['src'],
});

/** A test script over a failing test. */
export const script = (
  test: string,
  more: Files = {},
  scripts: Readonly<Record<string, string>> = {},
): Omit<FakeGreen, 'name'> => ({
  files: { 'package.json': manifest({ test, ...scripts }), 'a.test.js': FAILING_TEST, ...more },
});
/** A gate of one command over a type error. */
export const typed = (command: string, more: Files = {}): Omit<FakeGreen, 'name'> => ({
  files: { 'package.json': manifest({}), 'tsconfig.json': TSCONFIG, 'src/a.ts': TYPE_ERROR, ...more },
  gate: [command],
});
/** A sound gate, and what an agent does about it. */
export const attacked = (
  change: NonNullable<FakeGreen['change']>,
  more: Files = {},
): Omit<FakeGreen, 'name'> => ({
  files: {
    'package.json': manifest({ test: 'node --test' }),
    'a.js': 'export const one = () => 1;\n',
    'a.test.js': PASSING_TEST,
    ...more,
  },
  change,
});

export const named = (cases: Readonly<Record<string, Omit<FakeGreen, 'name'>>>): FakeGreen[] =>
  Object.entries(cases).map(([name, rest]) => ({ name, ...rest }));
