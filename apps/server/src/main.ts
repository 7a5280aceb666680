import 'reflect-metadata';
import { beginTracing } from '#libs/observability';

const USAGE = `npm start                      serve
npm start -- --demo            serve, with a shop that breaks in every way, to be followed in the dashboard
npm start -- --demo --once     the first half minute of it, and end with 0 when everything was dealt with, else with 1
`;

// Before anything that it is to see is imported, which is why the others come afterwards.
await beginTracing(process.env);
const { run } = await import('./boot/run.js');
const { demoEnvironment, demoGuest } = await import('../../demo/src/index.js');

const wanted = process.argv.slice(2).sort().join(' ');
if (wanted === '') await run(process.env);
else if (wanted === '--demo') await run(demoEnvironment(process.env), demoGuest({ once: false, env: process.env }));
else if (wanted === '--demo --once') await run(demoEnvironment(process.env), demoGuest({ once: true, env: process.env }));
else {
  process.stderr.write(`Not known: ${process.argv.slice(2).join(' ')}\n\n${USAGE}\nEverything else is set by variables: docs/configuration.md\n`);
  process.exitCode = 2;
}
