/** Of rows of `replicas`: only one of this role takes requests, so only it can have read a heartbeat, or grant a claim. */
export const TAKES_IN = `'api' = ANY (string_to_array(roles, ','))`;
