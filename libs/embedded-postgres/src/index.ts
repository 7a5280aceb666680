// A real PostgreSQL that npm brings, started, guarded and stopped by this process.
export { DataDirInUseError, EmbeddedPostgresError, ServerStartError } from './errors.js';
export type { ServerExit } from './server.js';
export { startEmbeddedPostgres, type EmbeddedPostgres, type EmbeddedPostgresOptions } from './start.js';
export { superviseEmbeddedPostgres, type SupervisedPostgres, type SuperviseOptions } from './supervise.js';
