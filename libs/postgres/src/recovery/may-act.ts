/** Of the installation `i`: the stop switch, and nothing while a restored database is only observed. */
export const MAY_ACT = `(i.actions_enabled AND i.restored IS NULL AND i.observe_until_ms <= (SELECT jobwarden.lane_now()))`;
