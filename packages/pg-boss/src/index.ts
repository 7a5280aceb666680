export * from './tap/index.js';
