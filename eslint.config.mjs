// @ts-check
import { defineConfig, globalIgnores } from 'eslint/config';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

const noEnum = {
  selector: 'TSEnumDeclaration',
  message: 'Use a const object and a union of its values: an enum is not erasable and not comparable with data.',
};

/** See libs/kafka/src/client/kafkajs-values.ts; only type imports are free. */
const kafkajsValue = {
  selector:
    "ImportDeclaration[source.value='kafkajs'][importKind='value'] > ImportSpecifier[importKind='value']" +
    '[imported.name!=/^(Kafka|logLevel|Partitioners|PartitionAssigners|AssignerProtocol|CompressionTypes)$/]',
  message: 'Node does not find this name in kafkajs, and the process ends at its start: take it from the default import.',
};

/** The fold must give the same row for the same events, on any machine at any time. */
const impure = [
  {
    selector: "NewExpression[callee.name='Date'][arguments.length=0]",
    message: 'The domain has no clock: take the time as an argument.',
  },
  { selector: "CallExpression[callee.name='Date']", message: 'The domain has no clock: take the time as an argument.' },
  {
    selector: "MemberExpression[object.name='Date'][property.name='now']",
    message: 'The domain has no clock: take the time as an argument.',
  },
  {
    selector: "MemberExpression[object.name='Math'][property.name='random']",
    message: 'The domain draws no lots: take the random value, or hash what identifies the case.',
  },
];

const impureGlobals = ['process', 'performance', 'crypto', 'globalThis', 'console', 'fetch', 'Temporal', 'Buffer']
  .concat(['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'])
  .map((name) => ({ name, message: 'The domain is pure: no clock, no random, no environment, no I/O.' }));

/** Every word of the dashboard stands in src/text, so that whoever rewords or translates it finds all of it. */
const words = 'Words belong into src/text: name them there, and use them here.';
const spokenOutsideOfTheCatalogue = [
  { selector: 'JSXText[value=/\\p{L}/u]', message: words },
  { selector: 'JSXAttribute[name.name=/^(aria-label|aria-description|title|label|description|placeholder|alt|text|lead)$/] > Literal[value=/\\p{L}/u]', message: words },
];

export default defineConfig(
  globalIgnores(['dist/', 'packages/*/dist/', 'node_modules/', 'coverage/', 'reports/', 'apps/dashboard/src/api/generated/', 'test/architecture/fixtures/']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  // The few plain scripts stand outside of the TypeScript project.
  { files: ['**/*.{mjs,cjs}'], extends: [tseslint.configs.strict] },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // `== null` asks for null and undefined at once.
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      'no-restricted-syntax': ['error', noEnum],
      // Nest's modules are classes with nothing but a decorator.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // Numbers in messages are the normal case; objects and null stay refused.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    },
  },
  {
    // Under vitest every name is there.
    files: ['**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: { 'no-restricted-syntax': ['error', noEnum, kafkajsValue] },
  },
  {
    files: ['libs/domain/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-syntax': ['error', noEnum, ...impure],
      'no-restricted-globals': ['error', ...impureGlobals],
    },
  },
  {
    files: ['apps/dashboard/**/*.{ts,tsx}'],
    extends: [reactHooks.configs.flat['recommended-latest']],
    rules: { 'no-restricted-syntax': ['error', noEnum, ...spokenOutsideOfTheCatalogue] },
  },
  {
    // What talks to a person on a terminal writes to it.
    files: ['apps/cli/**/*.ts', 'test/bench/**/*.ts', 'test/chaos/**/*.ts', 'test/explore/**/*.ts', 'test/causes/report/**/*.ts', 'test/gate/report/**/*.ts', 'test/rollback/report/**/*.ts', 'test/trust/**/*.ts', 'test/figures/**/*.ts', 'test/packed/**/*.ts', 'test/browser/report/**/*.ts', 'test/browser/screenshots/**/*.ts', 'examples/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['**/*.spec.ts', 'test/**/*.ts'],
    rules: {
      // In a test a missing element fails the test by itself, and `expect(x.method)` is not a call.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['**/*.unit.spec.ts', '**/*.int.spec.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...['mock', 'doMock'].map((property) => ({ object: 'vi', property, message: 'These specs share their modules with other files: one that mocks a module is an .alone.spec.ts.' })),
      ],
    },
  },
);
