// `npm run help`: every command in one line. A test compares this list with package.json.
import { pathToFileURL } from 'node:url';

export const commands = {
  start: 'install and build what is missing, then serve (-- --demo: with a shop that breaks, to follow in the dashboard)',
  test: 'install and build what is missing, then run every test',
  dev: 'serve, and start again at every change of the sources',
  'dev:dashboard': 'the dashboard from its sources, against a service that runs (JOBWARDEN_URL, default http://127.0.0.1:7411)',
  check: 'everything that CI runs, in the same way',
  build: 'compile into dist',
  lint: 'the linter, with types; no warning is accepted',
  types: 'the compiler without output, and the domain without Node',
  'check:arch': 'the dependency rule over the real imports',
  'check:generated': 'are the generated documents those of the code?',
  'check:migrations': 'the migrations up, down and up again, with the same schema twice',
  'check:packages': 'pack the packages, install them into an empty folder, run the first example of each',
  generate: 'write the generated documents (OpenAPI, JSON Schema, tables, reference pages)',
  'test:unit': 'tests without I/O',
  'test:int': 'tests against a real PostgreSQL',
  'test:kafka': 'tests against a real PostgreSQL and a real Kafka (needs Java 17 and Maven)',
  'test:e2e': 'tests of whole processes',
  'test:long': 'tests of whole processes that take minutes: kills, lost brokers, histories over Kafka',
  'build:kubernetes': 'the control plane that those tests need, ahead of them: minutes, the first time',
  'test:kubernetes': 'tests with a real Kubernetes control plane, which is built the first time: needs Go and etcd',
  'test:browser': 'tests of the dashboard in a browser (needs Chromium)',
  'build:deploy': 'what the deployment is checked with, ahead of its tests: minutes, the first time',
  'test:deploy': 'image, compose file and Helm chart: needs what test:kubernetes needs, and root to run the image as a container would',
  'test:histories': 'both real job histories in full (npm test takes a thirtieth)',
  soak: 'kill the service at every dangerous point for a long time, and count',
  'soak:kafka': 'the same with three replicas, and events and commands over a real Kafka',
  'soak:versions': 'two releases side by side for ten minutes, then the switch of the fold version',
  explore: 'every state of the protocol around one job, within bounds (-- --bound N, --variant NAME, --all)',
  'report:trust': 'how far the reconciler can be trusted, each figure with its method (-- --only NAME, --real, --at-once N)',
  'report:sizing': 'what one job leaves on the disk and takes of processors, and what so many a day need (-- --quick, --write)',
  'report:rollback': 'a bad release on a real control plane: how long until it is isolated and intake whole, beside the usual script (-- --small, --runs N, --only)',
  'report:causes': 'made-up incidents: is their cause found, and nothing rolled back that was not to blame (-- --small, --wrong, --seeds training)',
  'report:gate': 'made-up rollouts: how often the canary gate alarms falsely, and how often it misses (-- --help)',
  'report:dashboard': 'how long the overview of 500 queues and a million jobs takes to open in a browser (-- --queues N, --jobs N)',
  'report:bullmq': 'what becomes of the jobs of killed BullMQ workers, without Jobwarden and with it (-- --only NAME, --small)',
  screenshots: 'pictures of the dashboard in both themes, into docs/images (needs Chromium)',
  bench: 'measure, and print ratios',
  jobwarden: 'the command line (-- --help)',
  help: 'this list',
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  for (const [name, meaning] of Object.entries(commands)) {
    const call = name === 'start' || name === 'test' ? `npm ${name}` : `npm run ${name}`;
    console.log(`${call.padEnd(width + 8)}  ${meaning}`);
  }
}
