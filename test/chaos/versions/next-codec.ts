import type { StateCodec } from '#libs/domain';

/**
 * The fold version after the newest one, for programs that stand for the next release: other names, attempts by their
 * number instead of in a list, times as text. A program that does not know it can make nothing of it.
 */
export function nextCodec(newest: StateCodec): StateCodec {
  const version = newest.version + 1;
  return {
    version,
    toJson(state) {
      const { e, f, a = [], d = [], ...rest } = JSON.parse(newest.toJson(state)) as Known;
      return JSON.stringify({
        v: version,
        ...(e !== undefined && { e }),
        ...(f !== undefined && { first: f.toString(36) }),
        attempts: Object.fromEntries(a),
        decided: Object.fromEntries(d.map((one) => [one.n, one])),
        rest,
      });
    },
    fromJson(text) {
      const { e, first, attempts, decided, rest } = JSON.parse(text) as Next;
      return newest.fromJson(
        JSON.stringify({
          ...rest,
          ...(e !== undefined && { e }),
          ...(first !== undefined && { f: Number.parseInt(first, 36) }),
          a: Object.entries(attempts).map(([n, one]) => [Number(n), one]),
          d: Object.values(decided),
        }),
      );
    },
  };
}

interface Known {
  readonly e?: number;
  readonly f?: number;
  readonly a?: readonly (readonly [number, object])[];
  readonly d?: readonly { readonly n: number }[];
  readonly [other: string]: unknown;
}

interface Next {
  readonly e?: number;
  readonly first?: string;
  readonly attempts: Readonly<Record<string, object>>;
  readonly decided: Readonly<Record<string, object>>;
  readonly rest: object;
}
