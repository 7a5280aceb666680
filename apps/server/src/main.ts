import 'reflect-metadata';
import { demoEnvironment, demoGuest } from '../../demo/src/index.js';
import { run } from './boot/run.js';

const USAGE = `npm start                      serve
npm start -- --demo            serve, with a fleet of workers to watch
npm start -- --demo --once     the same, and end with 0 when everything was dealt with, else with 1
`;

const wanted = process.argv.slice(2).sort().join(' ');
if (wanted === '') await run(process.env);
else if (wanted === '--demo') await run(demoEnvironment(process.env), demoGuest({ once: false }));
else if (wanted === '--demo --once') await run(demoEnvironment(process.env), demoGuest({ once: true }));
else {
  process.stderr.write(`Not known: ${process.argv.slice(2).join(' ')}\n\n${USAGE}\nEverything else is set by variables: docs/configuration.md\n`);
  process.exitCode = 2;
}
