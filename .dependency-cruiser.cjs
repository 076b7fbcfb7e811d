/**
 * The architecture rule: arrows run one way, shared ← features ← pipeline ← engine ← hosts (docs/architecture.md).
 * Each feature is a room of src/main; beside it stand the features that its code may know. Tests may know more.
 */
const KNOWS = {
  agents: ['git', 'limits', 'processes'],
  audit: ['redaction', 'store'],
  disk: [],
  doctor: ['git', 'processes'],
  gate: ['git', 'limits', 'paths', 'processes', 'redaction', 'slots'],
  git: ['disk', 'paths', 'processes'],
  hardware: [],
  landing: ['git', 'limits', 'processes', 'redaction', 'slots'],
  limits: ['git', 'store'],
  'own-home': ['git', 'processes', 'slots'],
  paths: [],
  processes: [],
  redaction: [],
  repositories: ['gate', 'git', 'landing', 'store'],
  runners: ['processes', 'store'],
  sample: ['git'],
  scheduling: ['paths', 'runners', 'store'],
  settings: ['agents', 'processes', 'store'],
  slots: ['disk', 'git', 'limits', 'paths', 'processes', 'store'],
  store: ['processes', 'redaction'],
  terminals: ['processes', 'redaction'],
  tickets: ['paths', 'scheduling'],
};
/** Above the features: what an attempt goes through, and gates that run outside one. */
const PIPELINE = '(jobs|gate-runs)';
const FEATURES = `^src/main/(${Object.keys(KNOWS).join('|')})/`;

const featureRules = Object.entries(KNOWS).map(([room, knows]) => ({
  name: `${room}-knows`,
  severity: 'error',
  from: { path: `^src/main/${room}/`, pathNot: '\\.test\\.ts$|/testing/' },
  to: { path: '^src/main/', pathNot: `^src/main/(${[room, ...knows].join('|')})/` },
}));

module.exports = {
  forbidden: [
    ...featureRules,
    {
      name: 'rooms-are-known',
      comment: 'Each room of src/main is a feature above, the pipeline, the engine or a host.',
      severity: 'error',
      from: { path: '^src/main/', pathNot: `${FEATURES}|^src/main/(${PIPELINE}|engine|hosts|testing)/` },
      to: {},
    },
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
      to: { path: `^src/main/(${PIPELINE}|engine|hosts)/` },
    },
    {
      name: 'pipeline-below-engine',
      severity: 'error',
      from: { path: `^src/main/${PIPELINE}/` },
      to: { path: '^src/main/(engine|hosts)/' },
    },
    {
      name: 'engine-below-hosts',
      severity: 'error',
      from: { path: '^src/main/engine/' },
      to: { path: '^src/main/hosts/' },
    },
    {
      name: 'decisions-are-pure',
      comment: 'Modules that decide take data and return data: no files, processes or clocks.',
      severity: 'error',
      from: {
        path: '^src/main/scheduling/',
        pathNot: '^src/main/scheduling/scheduler|\\.test\\.ts$',
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
