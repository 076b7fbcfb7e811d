/** As much of Node's test runner as the tests use, so that nothing has to be downloaded for its types. */
declare module 'node:test' {
  export function test(name: string, body: () => void | Promise<void>): Promise<void>;
}

declare module 'node:assert/strict' {
  export function equal<T>(actual: unknown, expected: T, message?: string): asserts actual is T;
  export function deepEqual(actual: unknown, expected: unknown, message?: string): void;
  export function ok(value: unknown, message?: string): asserts value;
  export function throws(body: () => unknown, expected?: RegExp): void;
}
