import { beginTracing } from './tracing.js';

/** For `node --import`, where another program than the service's own is to be traced. */
await beginTracing(process.env);
