/** The shop's other queues, and the releases of their workers. */

export const INVOICES = 'invoices';
export const ORDERS = 'orders';
export const NEWSLETTER = 'newsletter';

export const GOOD_ORDERS = '2.4.0';
export const BAD_ORDERS = '2.5.0';

/** Its own lease, of the library's workers. */
export const SHOP_LEASE_MS = 6_000;

/** Worker processes of `orders`. A new release is given to half of them first, and to the others once it has proved itself. */
export const ORDERS_WORKERS = 4;
/**
 * From the start to the bad release. Jobwarden takes a release that has been there as long as anything it knows of the queue, give
 * or take a minute, for the one that was always there.
 */
export const RELEASE_AFTER_MS = 75_000;

export const SLOWEST_NEWSLETTER_MS = 25_000;
/** Where an observed job counts as hung. */
export const NEWSLETTER_TIMEOUT_MS = 10_000;
