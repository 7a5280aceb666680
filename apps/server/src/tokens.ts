/** By what the module's providers are asked for: they are interfaces, which are gone at run time. */
export const LIFECYCLE = Symbol('lifecycle');
export const POLICIES = Symbol('policies');
export const METRICS = Symbol('metrics');
export const COLLECT = Symbol('collect');
export const DATABASE_IS_THERE = Symbol('database-is-there');
export const READS = Symbol('reads');
export const INTAKE = Symbol('intake');
export const CLAIMS = Symbol('claims');
export const OPERATE = Symbol('operate');
export const RECONCILING = Symbol('reconciling');
export const STREAMS = Symbol('streams');
export const PUBLISHING = Symbol('publishing');
export const CLOCK = Symbol('clock');
export const LANE_CALLS = Symbol('lane-calls');
export const EVENT_INTAKE = Symbol('event-intake');
export const LOG = Symbol('log');
export const OPENAPI = Symbol('openapi');
