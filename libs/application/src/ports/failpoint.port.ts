/**
 * Windows between two steps that must survive a kill. In tests the hook announces the window and the process is killed
 * in it; otherwise it does nothing.
 */
export const FAILPOINT_WINDOWS = ['append/commit', 'commit/offset', 'commit/publish', 'publish/checkpoint'] as const;
export type FailpointWindow = (typeof FAILPOINT_WINDOWS)[number];
export type Failpoint = (window: FailpointWindow) => void | Promise<void>;

export const noFailpoint: Failpoint = () => undefined;
