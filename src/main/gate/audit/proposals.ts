import type { Facts } from './facts.ts';

type Step = { name: string; run: string };

/** Pure: sensible checks for what is not JavaScript, as far as the gate does not run them. */
export function proposedSteps({ files, read, policy }: Pick<Facts, 'files' | 'read' | 'policy'>): Step[] {
  const steps: Step[] = [];
  const lines = policy.gate.map(({ command }) => command).join('\n');
  const has = (path: string): boolean => files.includes(path);
  const add = (name: string, run: string, there: RegExp): void => {
    if (!there.test(lines)) steps.push({ name, run });
  };
  if (has('go.mod')) {
    add('go vet', 'go vet ./...', /\bgo vet\b|golangci-lint/);
    add('go test', 'go test ./...', /\bgo test\b/);
    add('go build', 'go build ./...', /\bgo build\b/);
  }
  if (has('Cargo.toml')) {
    add('clippy', 'cargo clippy --all-targets -- -D warnings', /\bcargo clippy\b/);
    add('cargo test', 'cargo test', /\bcargo (nextest|test)\b/);
  }
  const project = [read('pyproject.toml'), read('setup.cfg'), read('tox.ini')].join('\n');
  if (['pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt'].some(has)) {
    const python = files.some((path) => /(^|\/)(test_[^/]*|[^/]*_test)\.py$/.test(path));
    if (python) add('pytest', 'python -m pytest', /\bpytest\b|\btox\b|\bnox\b|unittest/);
    if (/\bruff\b/.test(project) || has('ruff.toml') || has('.ruff.toml'))
      add('ruff', 'ruff check .', /\bruff\b/);
    if (/\bmypy\b/.test(project) || has('mypy.ini')) add('mypy', 'mypy .', /\bmypy\b/);
    if (/\bpyright\b/.test(project) || has('pyrightconfig.json')) add('pyright', 'pyright', /\bpyright\b/);
  }
  const notes = files.filter((path) => /\.(md|markdown)$/i.test(path)).length;
  // Of code, the notes are a small part; of a vault they are what there is.
  if (notes >= 3 && notes * 2 >= files.length) add('markdown', 'builtin:markdown', /builtin: ?markdown/);
  if (policy.gate.length === 0 && files.some((path) => /\.(json|ya?ml|toml)$/i.test(path))) {
    add('data-files', 'builtin:data-files', /builtin: ?data-files/);
  }
  return steps;
}
