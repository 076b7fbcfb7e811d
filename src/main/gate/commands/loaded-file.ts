const CODE = ['.ts', '.mts', '.cts', '.tsx', '.js', '.mjs', '.cjs', '.jsx'];
const ENDINGS = ['', ...CODE, '.json', ...CODE.map((ending) => `/index${ending}`)];

/** Pure: the file that a program or a configuration loads where it names `path`, often without its ending. */
export const loadedFile = (path: string, has: (path: string) => boolean): string | undefined =>
  ENDINGS.map((ending) => path + ending).find(has);
