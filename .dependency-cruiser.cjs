// Dependencies point one way: domain <- application <- adapters <- server.
// Checked on imports as written, types included: a type of `pg` in the domain is a dependency as well.

const testCode = '\\.(spec|fixture)\\.ts$';
/** Writes a lib's documents; a program of its own, which nothing imports. */
const generator = '/src/generate-main\\.ts$';
const layers = ['domain', 'application', 'contracts', 'config', 'observability'];
/** Everything in libs that is no layer and no test kit is an adapter, also one that does not exist yet. */
const adapter = `^libs/(?!(?:${[...layers, 'testing'].join('|')})/)([^/]+)/`;

/** `name` may import its own files and `allowed`, and nothing else: no package, no Node module. */
function allowOnly(name, allowed, comment) {
  return {
    name: `${name}-imports`,
    comment,
    severity: 'error',
    from: { path: `^libs/${name}/`, pathNot: [testCode, generator] },
    to: { pathNot: [`^libs/${name}/`, ...allowed] },
  };
}

module.exports = {
  forbidden: [
    allowOnly('domain', [], 'The domain imports only itself: no package, no Node module, no other lib.'),
    allowOnly(
      'contracts',
      ['^libs/domain/', '(^|/)node_modules/(typebox|rfc6902)/', '^(node:)?crypto$'],
      'Contracts are schemas, hashes and patches over the words of the domain; everyone may import them.',
    ),
    allowOnly(
      'application',
      ['^libs/(domain|contracts)/'],
      'Use cases and ports know the domain and the contract; whatever does I/O stands behind a port.',
    ),
    {
      name: 'config-and-observability-imports',
      comment: 'Configuration and the list of metric names serve every adapter, so they import none.',
      severity: 'error',
      from: { path: '^libs/(config|observability)/', pathNot: testCode },
      to: { path: '^libs/', pathNot: ['^libs/$1/', '^libs/(domain|application|contracts)/'] },
    },
    {
      name: 'no-adapter-to-adapter',
      comment: 'An adapter can be replaced only while no other one imports it.',
      severity: 'error',
      from: { path: adapter, pathNot: testCode },
      to: { path: adapter, pathNot: '^libs/$1/' },
    },
    {
      name: 'no-deep-import',
      comment: 'A lib is what its src/index.ts exports; the rest is free to change.',
      severity: 'error',
      from: { path: '^libs/([^/]+)/' },
      to: { path: '^libs/', pathNot: ['^libs/$1/', '^libs/[^/]+/src/index\\.ts$'] },
    },
    {
      name: 'no-deep-import-from-outside',
      comment: 'A lib is what its src/index.ts exports; the rest is free to change.',
      severity: 'error',
      from: { pathNot: '^libs/' },
      to: { path: '^libs/', pathNot: '^libs/[^/]+/src/index\\.ts$' },
    },
    {
      name: 'libs-below-apps',
      comment: 'Apps wire libs together; a lib that knows an app can serve only that one.',
      severity: 'error',
      from: { path: '^(libs|migrations)/' },
      to: { path: '^apps/' },
    },
    {
      name: 'packages-stand-alone',
      comment: 'A package is installed without this repository: it imports other packages by their names, and nothing of libs or apps.',
      severity: 'error',
      from: { path: '^packages/', pathNot: testCode },
      to: { path: '^(libs|apps|migrations|test|examples)/' },
    },
    {
      name: 'no-deep-import-of-a-package',
      comment: 'A package is what its exports name; the rest is free to change.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: { path: '^packages/', pathNot: ['^packages/$1/', '^packages/[^/]+/src/[^/]+\\.ts$'] },
    },
    {
      name: 'migrations-by-postgres-only',
      comment: 'The schema belongs to one adapter.',
      severity: 'error',
      from: { pathNot: '^(migrations|libs/postgres)/' },
      to: { path: '^migrations/' },
    },
    {
      name: 'no-test-kit-in-production',
      comment: 'What is shipped runs without the test kit and without the tests.',
      severity: 'error',
      from: { path: '^(apps|libs|packages|migrations)/', pathNot: ['^libs/testing/', testCode] },
      to: { path: ['^libs/testing/', '^test/', testCode] },
    },
    {
      name: 'dashboard-stands-alone',
      comment: 'It runs in a browser and knows the service by its API alone.',
      severity: 'error',
      from: { path: '^apps/dashboard/' },
      to: { path: '^(libs|migrations|test|packages|examples|apps/(?!dashboard/))', dependencyTypesNot: ['npm-dev', 'npm'] },
    },
    {
      name: 'nobody-imports-the-dashboard',
      comment: 'It is built by itself; the service serves its files.',
      severity: 'error',
      from: { pathNot: '^apps/dashboard/' },
      to: { path: '^apps/dashboard/' },
    },
    {
      name: 'no-dev-package-in-production',
      comment: 'What is shipped is installed without devDependencies. The dashboard brings its own along, built into it.',
      severity: 'error',
      from: { path: '^(apps|libs|migrations)/', pathNot: ['^libs/testing/', '^apps/dashboard/', testCode] },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-import-of-a-generator',
      comment: 'It runs when it is loaded.',
      severity: 'error',
      from: {},
      to: { path: generator },
    },
    {
      name: 'no-undeclared-package',
      comment: 'A package that only another one brings can vanish with any update.',
      severity: 'error',
      // The specs of what users install run in this repository alone, by what the root brings; the examples by what the user has.
      from: { pathNot: `^packages/[^/]+/(?:examples/|src/.*${testCode})` },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'histories-stand-alone',
      comment: 'That test feeds the shipped process like a stranger; code of ours would share our mistakes.',
      severity: 'error',
      from: { path: '^test/e2e/histories' },
      to: { path: '^libs/' },
    },
    {
      name: 'no-circular',
      comment: 'A cycle has no layer and no order of loading. Types alone may refer to each other.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-unresolvable',
      comment: 'What cannot be resolved cannot be checked by the rules above.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|packages/[^/]+/dist|test/architecture/fixtures)/' },
    // Without `source` it follows `#libs/*` into dist, or finds nothing.
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', '@jobwarden/source', 'import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
    },
  },
};
