/**
 * The fold version in force, and who can write which. Raised once, when every live replica knows the next one; never
 * lowered, as there are rows of it from then on.
 *
 *   N, all on N ── replicas of N + 1 come ──► N, both write N ── replicas of N end ──► N, all on N + 1 ── switch ──► N + 1
 */
export interface FoldVersionStore {
  read(): Promise<FoldStanding>;
  /** Idempotent. In one transaction, beside which writers go on: each asks for the version at its own beginning. */
  switchTo(version: number): Promise<FoldSwitch>;
}

export interface FoldStanding {
  readonly inForce: number;
  /** What this program can write. */
  readonly knows: { readonly oldest: number; readonly newest: number };
  /** Live replicas, by name. */
  readonly replicas: readonly VersionedReplica[];
  /** Jobs by the version that their row is stored in; those below the one in force are refolded by the audit. */
  readonly rows: readonly { readonly foldVersion: number; readonly count: number }[];
}

export interface VersionedReplica {
  readonly replicaId: string;
  /** Host and process. */
  readonly name: string;
  readonly roles: string;
  /** The newest that it can write. */
  readonly newest: number;
}

export type FoldSwitch =
  | { readonly kind: 'switched'; readonly from: number; readonly to: number }
  | { readonly kind: 'unchanged'; readonly inForce: number }
  | {
      readonly kind: 'refused';
      readonly code: 'fold_version_unknown' | 'fold_version_lower' | 'replicas_behind';
      readonly detail: string;
      /** Those that stand in the way; empty where none does. */
      readonly replicas: readonly VersionedReplica[];
    };
