#!/usr/bin/env node
import { run } from './run.js';
import { processTerminal } from './terminal/terminal.js';

// Ctrl-C lets long work stop between two steps; the second one ends the process at once.
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    interrupted.abort();
  });
}
// `jobwarden jobs | head` closes the pipe: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

process.exitCode = await run(process.argv.slice(2), {
  terminal: processTerminal(),
  env: process.env,
  signal: interrupted.signal,
});
