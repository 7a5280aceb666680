import { FAILPOINT_WINDOWS } from '#libs/application';

/** Of a service without a broker. */
export const WINDOWS = FAILPOINT_WINDOWS.filter((window) => window !== 'commit/offset');
