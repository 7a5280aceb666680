import createClient from 'openapi-fetch';
import type { paths } from './generated/schema';
import { authorization, token } from './token';
import { Problem, problemOf, UNREACHABLE } from './problem';

/** A call of the API, typed by its OpenAPI document. Use it through {@link read}, which turns problems into errors. */
export const api = createClient<paths>({ baseUrl: location.origin });

/** Told when an answer was 401: what we hold is no token, or none any more. */
export const signedOut = new EventTarget();
export const SIGNED_OUT = 'signed-out';

api.use({
  onRequest({ request }) {
    for (const [name, value] of Object.entries(authorization())) request.headers.set(name, value);
    return request;
  },
  onResponse({ response, schemaPath }) {
    if (response.status !== 401) return;
    token.forget();
    // That one is asked because of this event.
    if (schemaPath === '/v1/me') return;
    signedOut.dispatchEvent(new Event(SIGNED_OUT));
  },
  onError() {
    return new Problem(0, UNREACHABLE, '', '');
  },
});

interface Answer<T> {
  readonly data?: T | undefined;
  readonly error?: unknown;
  readonly response: Response;
}

/**
 * What a call answered. Throws {@link Problem} for anything else.
 *
 *     const { items } = await read(api.GET('/v1/queues', { params: { query: { namespace } }, signal }));
 */
export async function read<T>(call: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) throw problemOf(response.status, error);
  return data as T;
}
