import 'reflect-metadata';
import { run } from './boot/run.js';

await run(process.env);
