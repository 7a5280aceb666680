export { demoEnvironment } from './environment.js';
export { demoGuest } from './guest.js';
export { runDemo, type DemoOptions, type DemoReport } from './run-demo.js';
export type { TroubleReport } from './journal.js';
