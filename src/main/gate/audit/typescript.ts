import type * as Typescript from 'typescript';
import { HeadwayError } from '../../../shared/errors.ts';

export type TypescriptApi = typeof Typescript;

let loading: Promise<TypescriptApi> | undefined;

/** The compiler's API, loaded when it is first needed: it is large. Error `unavailable` where it is not installed. */
export function loadTypescript(): Promise<TypescriptApi> {
  loading ??= import('typescript').then(
    (module) => module.default,
    (thrown: unknown) => {
      throw new HeadwayError(
        'unavailable',
        'the package typescript is not installed beside Headway; install Headway again',
        {
          cause: thrown,
        },
      );
    },
  );
  return loading;
}
