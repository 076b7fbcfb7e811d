/** The architecture rule: arrows run one way, shared ← features ← engine ← hosts (docs/architecture.md). */
const FEATURES =
  '^src/main/(audit|processes|git|repositories|tickets|scheduling|slots|agents|terminals|gate|merge|hardware|store|telemetry|limits)/';

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-unresolved',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^electron$' },
    },
    {
      name: 'shared-is-plain',
      comment: 'src/shared knows no Node, DOM, Electron, React and nothing of the other sides.',
      severity: 'error',
      from: { path: '^src/shared/', pathNot: '\\.test\\.ts$' },
      to: { pathNot: '^(src/shared/|node_modules/zod/)' },
    },
    {
      name: 'renderer-knows-shared-only',
      severity: 'error',
      from: { path: '^src/renderer/' },
      to: { path: '^(src/(main|preload)/|e2e/|bench/)' },
    },
    {
      name: 'main-never-renderer',
      severity: 'error',
      from: { path: '^src/main/' },
      to: { path: '^(src/(renderer|preload)/|e2e/|bench/)' },
    },
    {
      name: 'preload-knows-shared-only',
      severity: 'error',
      from: { path: '^src/preload/' },
      to: { path: '^src/(main|renderer)/' },
    },
    {
      name: 'electron-at-the-edge',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(main/hosts/electron|preload)/' },
      to: { path: '^(electron|node_modules/electron/)' },
    },
    {
      name: 'features-below-engine',
      comment: 'A feature never reaches up to the pipeline, the engine or a host.',
      severity: 'error',
      from: { path: FEATURES },
      to: { path: '^src/main/(jobs|hosts)/|^src/main/engine' },
    },
    {
      name: 'pipeline-below-engine',
      severity: 'error',
      from: { path: '^src/main/jobs/' },
      to: { path: '^src/main/hosts/|^src/main/engine' },
    },
    {
      name: 'engine-below-hosts',
      severity: 'error',
      from: { path: '^src/main/engine' },
      to: { path: '^src/main/hosts/' },
    },
    {
      name: 'decisions-are-pure',
      comment: 'Modules that decide take data and return data: no files, processes or clocks.',
      severity: 'error',
      from: {
        path: '^src/main/scheduling/',
        pathNot: '^src/main/scheduling/(runner|scheduler)|\\.test\\.ts$',
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'no-dev-dependencies-in-main',
      severity: 'error',
      from: { path: '^src/(main|shared|preload)/', pathNot: '\\.test\\.ts$|/testing/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        pathNot: 'node_modules/(electron|@types)/',
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'src/main/tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
