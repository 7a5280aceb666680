/**
 * Windows between two steps that must survive a kill. In tests the hook announces the window and the process is killed
 * in it; otherwise it does nothing.
 */
export const FAILPOINT_WINDOWS = ['append/commit', 'commit/offset', 'commit/publish', 'publish/checkpoint'] as const;
/** Of runs of isolation and rollback: after each step, and between each act and the step that tells of it. */
export const SAGA_FAILPOINTS = ['saga/step', 'saga/acted'] as const;
export type FailpointWindow = (typeof FAILPOINT_WINDOWS)[number];
export type SagaFailpoint = (typeof SAGA_FAILPOINTS)[number];
export type Failpoint = (window: FailpointWindow | SagaFailpoint) => void | Promise<void>;

export const noFailpoint: Failpoint = () => undefined;
