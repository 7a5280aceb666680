import { Type, type Static } from 'typebox';
import { oneOf } from '../schemas/field.js';

const SCOPES = ['emit', 'read', 'operate', 'admin'] as const;

/** Who asks, and what that allows. */
export const Me = Type.Object({
  name: Type.String({ description: 'Of the token: the author of what is done with it. `local` where there are no tokens.' }),
  scopes: Type.Array(oneOf(SCOPES, { description: 'A scope.' }), {
    description: 'All that it may do: `admin` includes the others.',
  }),
  namespaces: Type.Array(Type.String(), {
    description: 'Those that it may see, by name; of a token that sees all at most 200 of those that there are.',
  }),
  everywhere: Type.Boolean({ description: 'It sees every namespace, and what is of the whole installation.' }),
  open: Type.Boolean({ description: 'No tokens are configured: whoever reaches the service may do everything.' }),
  version: Type.String({ description: 'Of the service.' }),
  traceUrl: Type.Optional(Type.String({ description: 'Where a trace is looked at, with `{traceId}` in it; left out: nowhere that is known.' })),
});
export type Me = Static<typeof Me>;
